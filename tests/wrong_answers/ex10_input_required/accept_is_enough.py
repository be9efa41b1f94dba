# caught by: gates_publishing/accept_is_no_yes
"""Takes a form without the tick for a yes."""
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
    ctx.ask(APPROVAL, "elicitation/create", PARAMS)
    return ctx.ask(APPROVAL, "elicitation/create", PARAMS)["action"] == "accept"
