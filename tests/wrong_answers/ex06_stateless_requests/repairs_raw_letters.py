# caught by: decodes_names/raw_letters
"""Repairs letters that no header may carry."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    def decode(value):
        return value.encode("latin-1").decode("utf-8") if not value.isascii() else original(value)
    solved.decode_header = decode
    return solved.check_request(headers, message, schemas)
