# caught by: repeats_get_the_same/no_reason
"""Gives the reason in the message, where programs do not look for it."""
from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *
from main import RpcError


def create_once(db, new):
    try:
        return solved.create_once(db, new)
    except RpcError as error:
        raise RpcError(error.code, "IDEMPOTENCY_CONFLICT") from None
