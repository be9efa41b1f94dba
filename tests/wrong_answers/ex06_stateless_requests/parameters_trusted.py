# caught by: compares_parameters/param_missing
"""Never looks at Mcp-Param headers."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    return solved.check_request(headers, message, {})
