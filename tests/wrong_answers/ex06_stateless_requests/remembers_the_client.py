# caught by: remembers_nothing/remembers
"""Keeps the capabilities of an earlier request."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header

KNOWN = {}


def check_request(headers, message, schemas):
    if "_meta" not in (message.get("params") or {}) and message["method"] in ("tools/list", "ping") and KNOWN:
        return KNOWN["capabilities"]
    capabilities = solved.check_request(headers, message, schemas)
    if message["method"] == "server/discover":
        KNOWN["capabilities"] = capabilities
    return capabilities
