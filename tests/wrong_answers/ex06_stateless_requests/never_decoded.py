# caught by: decodes_names/not_decoded
"""Compares the encoded text."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    solved.decode_header = lambda value: value
    return solved.check_request(headers, message, schemas)
