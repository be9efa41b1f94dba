# caught by: compares_parameters/numbers
"""Compares numbers as text."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    solved.same = lambda header, value: header == (str(value).lower() if isinstance(value, bool) else str(value))
    return solved.check_request(headers, message, schemas)
