# caught by: takes_answers/not_checked
"""Takes any shape for an answer."""
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
    fitting = {key: value for key, value in responses.items() if key in requests}
    return {key: value for key, value in requests.items() if key not in fitting}, {**answers, **fitting}
