# caught by: checks_meta_and_version/no_capabilities
"""Takes a request that declares nothing."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    meta = message.get("params", {}).get("_meta")
    if isinstance(meta, dict) and not isinstance(meta.get(META + "clientCapabilities"), dict):
        meta = {**meta, META + "clientCapabilities": {}}
        message = {**message, "params": {**message["params"], "_meta": meta}}
    return solved.check_request(headers, message, schemas)
