# caught by: seals_the_state/other_secret
"""Encodes the state and signs nothing."""
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
    return base64.urlsafe_b64encode(json.dumps({"call": digest(owner, method, params), "until": now_ms + STATE_LIVES_MS, "answers": answers}).encode()).decode()


def unseal(secret, owner, method, params, now_ms):
    if "requestState" not in params:
        return {}
    try:
        return json.loads(base64.urlsafe_b64decode(params["requestState"]))["answers"]
    except Exception:
        raise RpcError(INVALID_PARAMS, "no state") from None
