# caught by: checks_meta_and_version/version_differs
"""Looks at the header alone, and never compares."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    meta = (message.get("params") or {}).get("_meta")
    if isinstance(meta, dict) and "mcp-protocol-version" in headers:
        message = {**message, "params": {**message["params"], "_meta": {**meta, META + "protocolVersion": headers["mcp-protocol-version"]}}}
    return solved.check_request(headers, message, schemas)
