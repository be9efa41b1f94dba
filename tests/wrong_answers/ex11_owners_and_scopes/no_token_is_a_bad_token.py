# caught by: reads_the_header/wrong_error
"""Says that a token is invalid where there is none."""
from lessons.authorization import Unauthorized
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def bearer(headers):
    try:
        return solved.bearer(headers)
    except Unauthorized as error:
        raise Unauthorized(error.message) from None
