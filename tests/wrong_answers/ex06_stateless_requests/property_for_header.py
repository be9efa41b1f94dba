# caught by: compares_parameters/refuses_the_right
"""Looks for the header under the property's own name."""
import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *


original = solved.mirrored


def check_request(headers, message, schemas):
    solved.mirrored = lambda schema, arguments: [(name, (arguments or {}).get(name)) for name in ("region", "level", "dry")]
    return solved.check_request(headers, message, schemas)
