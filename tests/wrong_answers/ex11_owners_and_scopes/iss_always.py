# caught by: checks_whose_code_it_is/good_refused
"""Wants iss from servers that do not send one."""
from lessons.ex11_owners_and_scopes.solution import *


def check_issuer(expected, metadata, response):
    if response.get("iss") != expected:
        raise ValueError("the response comes from another issuer")
