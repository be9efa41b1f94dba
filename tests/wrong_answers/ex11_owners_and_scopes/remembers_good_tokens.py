# caught by: keeps_strangers_out/opens_for_ever
"""Checks a token once, and remembers that it was good."""
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *

KNOWN = {}


def verify(token, authority, now_s):
    if token not in KNOWN:
        KNOWN[token] = solved.verify(token, authority, now_s)
    return KNOWN[token]
