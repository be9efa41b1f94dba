# caught by: hides_what_is_secret/leaks
"""Treats JSON like any other text, to the end of the line."""
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def redact(value):
    return solved.redact("x" + value)[1:] if isinstance(value, str) else solved.redact(value)
