# caught by: knows_who_and_what/one_by_one
"""Names the scopes that are missing, so a new token for them lacks the others."""
from lessons.authorization import Forbidden
from lessons.ex11_owners_and_scopes.solution import *


def require_scopes(claims, needed):
    granted = claims.get("scope")
    granted = granted.split() if isinstance(granted, str) else []
    missing = tuple(scope for scope in needed if scope not in granted)
    if missing:
        raise Forbidden(missing)
