# caught by: seals_the_state/tampered
"""Keeps the time beside what it signs."""
import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *


def seal(secret, owner, method, params, answers, now_ms):
    return solved.seal(secret, owner, method, params, answers, now_ms + 10**9) + f".{now_ms + STATE_LIVES_MS}."


def unseal(secret, owner, method, params, now_ms):
    sealed, *until = str(params.get("requestState", "")).split(".")
    if until and until[0].isdigit() and now_ms > int(until[0]):
        raise RpcError(INVALID_PARAMS, "too old")
    return solved.unseal(secret, owner, method, {**params, "requestState": sealed} if "requestState" in params else params, now_ms)
