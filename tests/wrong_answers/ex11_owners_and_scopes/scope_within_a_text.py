# caught by: knows_who_and_what/scope_missed
"""Looks for a scope's letters and not for the word."""
from lessons.authorization import Forbidden
from lessons.ex11_owners_and_scopes.solution import *


def require_scopes(claims, needed):
    if not all(scope in (claims.get("scope") or "") for scope in needed):
        raise Forbidden(needed)
