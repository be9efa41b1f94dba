# caught by: gates_publishing/other_key
"""Asks under another key each time it runs."""
import base64
import hmac
import json
import time

import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *

PARAMS = {"mode": "form", "message": "Publicar?", "requestedSchema": {
    "type": "object", "required": ["confirmar"], "properties": {"confirmar": {"type": "boolean"}}}}


def approved(ctx):
    answer = ctx.ask(f"approve_{time.time_ns()}", "elicitation/create", PARAMS)
    return answer["action"] == "accept" and answer["content"]["confirmar"]
