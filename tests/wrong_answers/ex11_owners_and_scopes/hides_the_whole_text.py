# caught by: hides_what_is_secret/hides_all
"""Hides the whole text if anything in it is secret."""
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def redact(value):
    cleaned = solved.redact(value)
    if isinstance(value, str) and cleaned != value and value[:1] not in ("{", "["):
        return HIDDEN
    return cleaned
