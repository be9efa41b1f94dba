# caught by: remembers_nothing/initialize
"""Refuses an old client without a word of help."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    if message["method"] == "initialize":
        raise RpcError(METHOD_NOT_FOUND, "unknown method")
    return solved.check_request(headers, message, schemas)
