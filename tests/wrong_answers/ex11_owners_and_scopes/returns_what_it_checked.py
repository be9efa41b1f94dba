# caught by: keeps_strangers_out/not_created
"""Gives back who asks, and loses what the token allows."""
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def verify(token, authority, now_s):
    claims = solved.verify(token, authority, now_s)
    return {name: claims[name] for name in ("iss", "aud", "exp", "tenant", "sub") if name in claims}
