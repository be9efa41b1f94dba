# caught by: decodes_names/not_compared
"""Tidies what it has decoded."""
import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *


original = solved.decode_header


def check_request(headers, message, schemas):
    solved.decode_header = lambda value: original(value).strip()
    return solved.check_request(headers, message, schemas)
