# caught by: takes_answers/changes_arguments
"""Changes what it was given."""
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
    for key in list(responses):
        if key in requests:
            check_response(key, requests[key], responses[key])
            requests.pop(key)
            answers[key] = responses[key]
    return requests, answers
