# caught by: compares_method_and_name/method_case
"""Compares methods without regard to case."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    if headers.get("mcp-method", "").lower() == message["method"]:
        headers = {**headers, "mcp-method": message["method"]}
    return solved.check_request(headers, message, schemas)
