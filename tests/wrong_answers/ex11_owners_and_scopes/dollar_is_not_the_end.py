# caught by: reads_the_header/bad_taken
"""Ends its pattern with $, which also stands before a last line break."""
import re

from lessons.authorization import Unauthorized
from lessons.ex11_owners_and_scopes.solution import *


def bearer(headers):
    found = re.match(r"bearer +([A-Za-z0-9._~+/-]+=*)$", headers.get("authorization", ""), re.IGNORECASE)
    if found is None:
        raise Unauthorized("a token is needed, in the Authorization header", error="")
    return found[1]
