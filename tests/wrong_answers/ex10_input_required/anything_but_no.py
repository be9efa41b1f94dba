# caught by: gates_publishing/decline_publishes
"""Publishes unless somebody unticks the box."""
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
    return ctx.ask(APPROVAL, "elicitation/create", PARAMS).get("content", {}).get("confirmar", True)
