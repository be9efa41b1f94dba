# caught by: says_what_is_missing/wrong_challenge
"""Points to the resource, and not to the document about it."""
from lessons.authorization import AUDIT
from lessons.ex11_owners_and_scopes.solution import *


def challenge(authority, error="", scopes=(AUDIT,), description=""):
    fields = {"error": error, "scope": " ".join(scopes), "resource_metadata": authority.audience, "error_description": description}
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in fields.items() if value)
