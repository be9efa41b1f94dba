# caught by: hides_what_is_secret/changes_its_argument
"""Hides the secrets in the original."""
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def redact(value):
    cleaned = solved.redact(value)
    if isinstance(value, dict):
        value.clear()
        value.update(cleaned)
        return value
    return cleaned
