# caught by: hides_what_is_secret/no_json_left
"""Gives JSON back as Python prints it."""
import json

from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def redact(value):
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            return str(solved.redact(json.loads(value)))
        except (ValueError, RecursionError):
            pass
    return solved.redact(value)
