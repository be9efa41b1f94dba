# caught by: asks_before_a_task/no_state
"""Asks, and gives the client nothing to send back."""
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
    return {"resultType": "input_required", "inputRequests": requests}
