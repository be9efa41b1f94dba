# caught by: checks_whose_code_it_is/mixed_up
"""Compares iss with the metadata that came last."""
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def check_issuer(expected, metadata, response):
    expected = metadata.get("issuer", expected)
    solved.check_issuer(expected, metadata, response)
