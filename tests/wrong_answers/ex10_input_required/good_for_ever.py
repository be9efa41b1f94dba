# caught by: binds_the_state/never_over
"""Never looks at the clock."""
import base64
import hmac
import json
import time

import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *

PARAMS = {"mode": "form", "message": "Publicar?", "requestedSchema": {
    "type": "object", "required": ["confirmar"], "properties": {"confirmar": {"type": "boolean"}}}}


def unseal(secret, owner, method, params, now_ms):
    return solved.unseal(secret, owner, method, params, 0)
