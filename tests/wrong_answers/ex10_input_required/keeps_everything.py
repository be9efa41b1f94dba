# caught by: takes_answers/unknown_kept
"""Keeps answers to questions that were never asked."""
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
    left, _ = solved.take_answers(requests, answers, responses)
    return left, {**answers, **responses}
