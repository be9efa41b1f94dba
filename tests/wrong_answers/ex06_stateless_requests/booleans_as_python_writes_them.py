# caught by: compares_parameters/booleans
"""Compares with True as Python writes it."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    solved.same = lambda header, value: header == str(value) if isinstance(value, bool) else same(header, value)
    return solved.check_request(headers, message, schemas)
