# caught by: gates_publishing/no_form
"""Asks without saying what an answer looks like."""
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
    answer = ctx.ask(APPROVAL, "elicitation/create", {"message": "Publish?", "requestedSchema": {"type": "object", "properties": {}}})
    return answer["action"] == "accept" and answer["content"]["confirmar"]
