# caught by: takes_answers/no_lost
"""Waits on for a yes."""
import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *


def take_answers(requests, answers, responses):
    yes = {key: response for key, response in responses.items() if response.get("action") not in ("decline", "cancel")}
    return solved.take_answers(requests, answers, yes)
