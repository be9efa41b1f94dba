# caught by: takes_answers/unknown_checked
"""Judges what nobody asked for."""
import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *


def take_answers(requests, answers, responses):
    for key, response in responses.items():
        if response.get("action") not in ("accept", "decline", "cancel"):
            raise RpcError(INVALID_PARAMS, f"inputResponses.{key}: no such action")
    return solved.take_answers(requests, answers, responses)
