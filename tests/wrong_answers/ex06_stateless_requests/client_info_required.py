# caught by: checks_meta_and_version/refuses_the_right
"""Requires clientInfo, which is optional."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    meta = message.get("params", {}).get("_meta")
    if isinstance(meta, dict) and META + "clientInfo" not in meta and message["method"] == "tools/list":
        raise RpcError(INVALID_PARAMS, "clientInfo is missing", http=400)
    return solved.check_request(headers, message, schemas)
