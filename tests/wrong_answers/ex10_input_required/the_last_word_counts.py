# caught by: takes_answers/answered_again
"""Lets a second answer replace the first."""
import base64
import hmac
import json
import time

import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *

PARAMS = {"mode": "form", "message": "Publicar?", "requestedSchema": {
    "type": "object", "required": ["confirmar"], "properties": {"confirmar": {"type": "boolean"}}}}


def take_answers(requests, answers, responses):
    left, taken = solved.take_answers(requests, answers, responses)
    return left, {**taken, **{key: value for key, value in responses.items() if key in answers}}
