# caught by: knows_who_and_what/nobody_taken
"""Puts everybody without a tenant into the same one."""
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def owner_of(claims):
    return solved.owner_of({"tenant": "public", **claims})
