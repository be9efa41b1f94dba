# caught by: compares_method_and_name/name_close
"""Compares names without regard to case."""
import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *


def check_request(headers, message, schemas):
    solved.same = lambda header, value: header.lower() == value.lower() if value == "deploy" else same(header, value)
    return solved.check_request(headers, message, schemas)
