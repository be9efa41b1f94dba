# caught by: hides_what_is_secret/hides_all
"""Hides the second of every pair, whatever the first is called."""
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def redact(value):
    if isinstance(value, dict):
        return {redact(key): HIDDEN if SECRET_NAME.search(str(key)) else redact(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [value[0], HIDDEN] if len(value) == 2 and isinstance(value[0], str) else [redact(item) for item in value]
    return solved.redact(value)
