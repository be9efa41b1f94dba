# caught by: binds_the_state/other_owner
"""Binds the state to the call and not to the caller."""
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
    return solved.seal(secret, ("", ""), method, params, answers, now_ms)


def unseal(secret, owner, method, params, now_ms):
    return solved.unseal(secret, ("", ""), method, params, now_ms)
