# caught by: knows_who_and_what/scope_refused
"""Wants the scopes that are needed, in this order and no others."""
from lessons.authorization import Forbidden
from lessons.ex11_owners_and_scopes.solution import *


def require_scopes(claims, needed):
    if claims.get("scope") != " ".join(needed):
        raise Forbidden(needed)
