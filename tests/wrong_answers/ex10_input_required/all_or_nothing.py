# caught by: takes_answers/partial
"""Takes answers only when all are there."""
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
    if set(requests) - set(responses):
        return requests, answers
    return solved.take_answers(requests, answers, responses)
