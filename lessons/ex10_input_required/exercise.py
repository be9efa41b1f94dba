"""Exercise 10: questions of a running task, and questions before there is a task.

A question is {"method": "elicitation/create", "params": {...}} under a key; an answer is the
client's result under the same key.
"""
import base64
import hashlib
import hmac
import json

import main
from main import INVALID_PARAMS, RpcError

APPROVAL = "approve_publish_v1"       # a key names one question for the whole life of a task
STATE_LIVES_MS = 600_000              # how long a person may take before a call has to begin anew
CAPABILITY = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


def check_response(key, request, response):
    """Given: raises RpcError INVALID_PARAMS if a client's response does not fit its question."""
    main.check_result(request, response, f"params.inputResponses.{key}")


def digest(owner, method, params):
    """Given: what a state is bound to, as text: who called what with which arguments."""
    bound = [owner, method, params.get("name"), params.get("arguments", {})]
    return hashlib.sha256(json.dumps(bound, sort_keys=True).encode()).hexdigest()


def take_answers(requests, answers, responses):
    """(questions left, answers) after a tasks/update with `responses`.

    `requests` are the questions still open, `answers` those received before, all by key.
    - A response to an open question is checked (check_response) and kept; the question goes.
    - Responses to unknown or already answered keys are ignored.
    - Some of the answers are enough to be kept; the rest stays open.
    The arguments are not changed; one response that does not fit, and nothing is taken.
    """
    raise NotImplementedError("take_answers")


def approved(ctx):
    """Asks a person, under the key APPROVAL, whether a report may be published: True for a yes.

    ctx.ask(key, "elicitation/create", {"mode": "form", "message": ..., "requestedSchema": a
    schema that requires the boolean `confirmar`}) gives {"action": "accept", "content": {...}}
    or an action of "decline" or "cancel".
    """
    raise NotImplementedError("approved")


def can_be_asked(capabilities, method):
    """Whether the client has declared the capability (CAPABILITY) for this kind of question: an object under its name."""
    raise NotImplementedError("can_be_asked")


def input_required(requests, state):
    """The answer to a call that needs more before it can go on: resultType, inputRequests, requestState."""
    raise NotImplementedError("input_required")


def seal(secret, owner, method, params, answers, now_ms):
    """A text that holds the answers so far, for the client to keep and to send back.

    Signed with `secret` (hmac.digest(secret, body, "sha256") gives 32 bytes), expiring
    STATE_LIVES_MS from now, and bound to the caller and the call (digest).
    """
    raise NotImplementedError("seal")


def unseal(secret, owner, method, params, now_ms):
    """The answers in params["requestState"]; {} if there is none.

    RpcError INVALID_PARAMS if anything that it holds was changed, if it is too old, or belongs
    to another caller or call.  Compare signatures with hmac.compare_digest.
    """
    raise NotImplementedError("unseal")
