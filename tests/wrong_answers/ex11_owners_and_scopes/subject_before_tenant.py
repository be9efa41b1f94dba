# caught by: knows_who_and_what/wrong_owner
"""Gives (subject, tenant)."""
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def owner_of(claims):
    tenant, subject = solved.owner_of(claims)
    return subject, tenant
