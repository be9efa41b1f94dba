# caught by: compares_parameters/numbers
"""Compares numbers as floats."""
import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *


def check_request(headers, message, schemas):
    def alike(header, value):
        try:
            return same(header, value) or isinstance(value, int) and float(header) == value
        except ValueError:
            return False
    solved.same = alike
    return solved.check_request(headers, message, schemas)
