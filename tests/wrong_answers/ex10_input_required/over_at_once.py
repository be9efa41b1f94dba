# caught by: binds_the_state/too_short
"""Takes minutes for milliseconds."""
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
    return solved.seal(secret, owner, method, params, answers, now_ms - STATE_LIVES_MS + 600)
