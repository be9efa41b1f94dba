# caught by: seals_the_state/other_secret
"""Signs with a hash that everybody can compute."""
import base64
import hmac
import json
import time

import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *

PARAMS = {"mode": "form", "message": "Publicar?", "requestedSchema": {
    "type": "object", "required": ["confirmar"], "properties": {"confirmar": {"type": "boolean"}}}}


def seal(secret, owner, method, params, answers, now_ms):
    return solved.seal(b"public", owner, method, params, answers, now_ms)


def unseal(secret, owner, method, params, now_ms):
    return solved.unseal(b"public", owner, method, params, now_ms)
