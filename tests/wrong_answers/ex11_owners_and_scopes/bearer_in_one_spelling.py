# caught by: reads_the_header/good_refused
"""Knows the word Bearer with a capital letter only."""
import re

from lessons.authorization import Unauthorized
from lessons.ex11_owners_and_scopes.solution import *


def bearer(headers):
    found = re.fullmatch(r"Bearer +([A-Za-z0-9._~+/-]+=*)", headers.get("authorization", ""))
    if found is None:
        raise Unauthorized("a token is needed, in the Authorization header", error="")
    return found[1]
