# caught by: checks_meta_and_version/order
"""Misses the capabilities before it has looked at the version."""
import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *


def check_request(headers, message, schemas):
    meta = message.get("params", {}).get("_meta")
    if isinstance(meta, dict) and META + "protocolVersion" in meta and META + "clientCapabilities" not in meta:
        raise RpcError(INVALID_PARAMS, "clientCapabilities are missing", http=400)
    return solved.check_request(headers, message, schemas)
