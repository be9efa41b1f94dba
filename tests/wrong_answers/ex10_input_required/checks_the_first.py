# caught by: takes_answers/not_checked
"""Checks one response and takes them all."""
import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *


def take_answers(requests, answers, responses):
    fitting = {key: response for key, response in responses.items() if key in requests}
    for key, response in list(fitting.items())[:1]:
        check_response(key, requests[key], response)
    return {key: request for key, request in requests.items() if key not in fitting}, {**answers, **fitting}
