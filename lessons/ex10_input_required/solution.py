"""Exercise 10, solved: questions of a running task, and questions before there is a task.

Source of the rules: MCP 2026-07-28, Multi Round-Trip Requests, and the Tasks extension.
"""
from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
from typing import Any

import main
from main import INVALID_PARAMS, RpcError

APPROVAL = "approve_publish_v1"       # a key names one question for the whole life of a task
STATE_LIVES_MS = 600_000              # how long a person may take before a call has to begin anew
CAPABILITY = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


def take_answers(requests: dict, answers: dict, responses: dict) -> tuple[dict, dict]:
    """(questions left, answers) after a tasks/update.

    Unknown and already answered keys are ignored, part of the answers is enough to be kept.
    Raises RpcError -32602 for an answer that does not fit its question; then nothing is taken.
    """
    fitting = {key: response for key, response in responses.items() if key in requests}
    for key, response in fitting.items():
        check_response(key, requests[key], response)
    left = {key: request for key, request in requests.items() if key not in fitting}
    return left, {**answers, **fitting}


def check_response(key: str, request: dict, response: Any) -> None:
    """Whether a client's response fits the question that it answers."""
    main.check_result(request, response, f"params.inputResponses.{key}")


def approved(ctx: main.Context) -> bool:
    """A person's yes to publishing, asked once in a task's life.

    A scope says who may ask for publishing; this says that it may happen now.  Whoever
    declines, closes the window, or accepts the form without the tick has said no.
    """
    answer = ctx.ask(APPROVAL, "elicitation/create", {
        "mode": "form", "message": "Publicar o relatório de auditoria no serviço externo?",
        "requestedSchema": {"type": "object", "required": ["confirmar"], "properties": {
            "confirmar": {"type": "boolean", "title": "Confirmar publicação"}}}})
    return answer["action"] == "accept" and answer["content"]["confirmar"] is True


def input_required(requests: dict, state: str) -> dict:
    """The answer to a call that needs more before it can go on."""
    return {"resultType": "input_required", "inputRequests": requests, "requestState": state}


def digest(owner: tuple[str, str], method: str, params: dict) -> str:
    """What a state is bound to: who called what with which arguments."""
    bound = [owner, method, params.get("name"), params.get("arguments", {})]
    return hashlib.sha256(json.dumps(bound, sort_keys=True).encode()).hexdigest()


def seal(secret: bytes, owner: tuple[str, str], method: str, params: dict, answers: dict, now_ms: int) -> str:
    """The answers so far, for the client to keep: signed, expiring, bound to caller and call."""
    body = json.dumps({"call": digest(owner, method, params), "until": now_ms + STATE_LIVES_MS, "answers": answers}).encode()
    return base64.urlsafe_b64encode(hmac.digest(secret, body, "sha256") + body).decode()


def unseal(secret: bytes, owner: tuple[str, str], method: str, params: dict, now_ms: int) -> dict:
    """The answers in params.requestState; {} without one.

    Raises RpcError -32602 if it was changed, is too old, or belongs to another call or caller.
    """
    state = params.get("requestState")
    if state is None:
        return {}
    try:
        sealed = base64.b64decode(state, altchars=b"-_", validate=True)
    except (binascii.Error, TypeError, ValueError):
        sealed = b""
    signature, body = sealed[:32], sealed[32:]
    if not hmac.compare_digest(signature, hmac.digest(secret, body, "sha256")):
        raise RpcError(INVALID_PARAMS, "params.requestState is not one that this server gave out; send it back unchanged")
    kept = json.loads(body)
    if kept["call"] != digest(owner, method, params):
        raise RpcError(INVALID_PARAMS, "params.requestState belongs to another call; begin without it")
    if now_ms > kept["until"]:
        raise RpcError(INVALID_PARAMS, "params.requestState is too old; begin without it")
    return kept["answers"]


def can_be_asked(capabilities: dict, method: str) -> bool:
    """A server asks only what the client has declared that it can answer."""
    return isinstance(capabilities.get(CAPABILITY.get(method, "")), dict)
