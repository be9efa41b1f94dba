# caught by: compares_method_and_name/method_header
"""Does without Mcp-Method."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    return solved.check_request({"mcp-method": message["method"], **headers}, message, schemas)
