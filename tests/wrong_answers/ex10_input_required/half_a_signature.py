# caught by: seals_the_state/tampered
"""Compares the first bytes of the signature only."""
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
    try:
        sealed = base64.urlsafe_b64decode(params["requestState"])
        kept = json.loads(sealed[32:])
    except KeyError:
        return {}
    except Exception:
        raise RpcError(INVALID_PARAMS, "no state") from None
    if sealed[8:12] != hmac.digest(secret, sealed[32:], "sha256")[8:12]:
        raise RpcError(INVALID_PARAMS, "changed")
    return kept["answers"]
