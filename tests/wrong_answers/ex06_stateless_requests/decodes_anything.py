# caught by: decodes_names/lenient
"""Decodes what is no base64, somehow."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    def decode(value):
        if value.lower().startswith("=?base64?") and value.endswith("?="):
            try:
                return base64.b64decode(value[9:-2] + "==").decode("utf-8", errors="ignore") or message["params"]["name"]
            except ValueError:
                return message["params"]["name"]
        return original(value)
    solved.decode_header = decode
    return solved.check_request(headers, message, schemas)
