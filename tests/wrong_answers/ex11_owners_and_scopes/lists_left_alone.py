# caught by: hides_what_is_secret/leaks
"""Looks into objects, and not into the lists in them."""
from lessons.ex11_owners_and_scopes.solution import *


def redact(value):
    if isinstance(value, dict):
        return {key: HIDDEN if SECRET_NAME.search(key) else redact(item) for key, item in value.items()}
    return redact_text(value) if isinstance(value, str) else value
