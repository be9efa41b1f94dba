# caught by: asks_before_a_task/no_question
"""Asks in what looks like a result."""
import base64
import hmac
import json
import time

import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *

PARAMS = {"mode": "form", "message": "Publicar?", "requestedSchema": {
    "type": "object", "required": ["confirmar"], "properties": {"confirmar": {"type": "boolean"}}}}


def input_required(requests, state):
    return {**solved.input_required(requests, state), "resultType": "complete"}
