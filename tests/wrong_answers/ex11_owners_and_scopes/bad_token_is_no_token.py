# caught by: says_what_is_missing/wrong_status
"""Gives no error code for a token that is no good."""
from lessons.authorization import Unauthorized
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def verify(token, authority, now_s):
    try:
        return solved.verify(token, authority, now_s)
    except Unauthorized as error:
        raise Unauthorized(error.message, error="") from None
