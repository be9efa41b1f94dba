"""What exercise 12 is given: one HEAD request, one report handed over, and the tool around them.

Where a request may go is not decided here: `dial(host, port)` gives the address that was
checked, and that very address is dialled.
"""
from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import os
import re
import socket
import ssl
import threading
import time
from types import ModuleType
from typing import Any, Callable
from urllib.parse import quote, urlsplit

from lessons.authorization import AUDIT, PUBLISH
from lessons.server_2026 import Tool2026
from main import ToolError

MAX_SYNC_URLS, MAX_URLS = 5, 500
WITHIN_S, MAX_BYTES = 8.0, 1 << 20
RETRY_AFTER_S = (0.0, 0.5, 2.0)
SCHEMA = {"type": "object", "additionalProperties": False, "required": ["urls", "idempotency_key"], "properties": {
    "urls": {"type": "array", "minItems": 1, "maxItems": MAX_URLS, "items": {"type": "string", "minLength": 1, "maxLength": 2000}},
    "idempotency_key": {"type": "string", "minLength": 1, "maxLength": 200},
    "publicar": {"type": "boolean"}}}
# Where reports go, and which private networks may be audited all the same: for a laboratory, by configuration only.
PUBLISHER = os.environ.get("AUDITORIA_PUBLISHER", "")
ALLOWED_NETWORKS = os.environ.get("AUDITORIA_ALLOWED_NETWORKS", "")


def beyond_sync(arguments: dict) -> bool:
    """Whether a call is too large, or too serious, for the bounded synchronous path."""
    return len(arguments["urls"]) > MAX_SYNC_URLS or arguments.get("publicar", False)


class NotAllowed(ValueError):
    """Where the tool may not go; the words are ours, and hold nothing of the URL."""


def audit(url: str, dial: Callable[[str, int], str]) -> dict:
    """One URL, by one HEAD request; what went wrong is a finding and not an error."""
    shown = shown_as(url)
    try:
        response = head(url, dial)
    except (OSError, ValueError, http.client.HTTPException) as error:
        return {"url": shown, "ok": False, "error": str(error) if isinstance(error, NotAllowed) else type(error).__name__}
    return {"url": shown, "ok": 200 <= response.status < 300, "status": response.status,
            "content_type": response.headers.get("content-type", "")[:200]}


def shown_as(url: str) -> str:
    """A URL as a report may show it: its query may hold a secret, and so may a name before its host."""
    plain = re.match(r"(https?://(?:\[[0-9a-f:.]+\]|[^/?#@\\:\s]+)(?::\d{1,5})?(?:/[^?#]*)?)(?:[?#]|$)", url, re.IGNORECASE)
    if plain:
        return plain[1]
    return "a URL with an @ in it, not shown" if "@" in url else re.split("[?#]", url, maxsplit=1)[0]


def head(url: str, dial: Callable[[str, int], str]) -> http.client.HTTPResponse:
    """A HEAD request to the address that `dial` gives; no redirect is followed, and nothing but the head is read."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise NotAllowed("only http and https URLs with a host name")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    connection = http.client.HTTPConnection(parts.hostname, port, timeout=WITHIN_S)
    address = dial(parts.hostname, port)
    connection.sock = socket.create_connection((address, port), WITHIN_S)
    in_all = threading.Timer(WITHIN_S, cut, (connection,))         # the socket's own limit is for each read
    in_all.start()
    try:
        if ipaddress.ip_address(connection.sock.getpeername()[0]) != ipaddress.ip_address(address):
            raise NotAllowed("somebody else has answered")
        if parts.scheme == "https":
            context = ssl.create_default_context()
            connection.sock = context.wrap_socket(connection.sock, server_hostname=parts.hostname, do_handshake_on_connect=False)
            connection.sock.do_handshake()
        target = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe="/?%:@!$&'()*+,;=~")
        connection.request("HEAD", target, headers={"User-Agent": "auditoria-mcp/2.0"})
        return connection.getresponse()
    finally:
        in_all.cancel()
        connection.close()


def cut(connection: http.client.HTTPConnection) -> None:
    """Ends a connection under the hands of whoever reads from it."""
    with contextlib.suppress(OSError, TypeError):          # TypeError: it is closed already
        socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)


def publish(report: dict, job_id: str) -> dict:
    """Hands the report to the external service: {'id': ...}.  Raises ToolError.

    The job's id is the idempotency key: a service that has seen it makes no second report,
    so an answer that was lost on the way is asked for again.
    """
    if not PUBLISHER:
        raise ToolError("no service to publish to is configured (AUDITORIA_PUBLISHER)")
    for pause_s in RETRY_AFTER_S:
        time.sleep(pause_s)
        try:
            status, answer = hand_over(report, job_id)
        except (OSError, ValueError, http.client.HTTPException) as error:
            trouble = f"the service could not be reached ({type(error).__name__})"
            continue
        if status in (200, 201) and isinstance(answer, dict) and isinstance(answer.get("id"), str):
            return {"id": answer["id"]}
        trouble = f"the service refused the report (HTTP {status})"
        if status < 500:
            break
    raise ToolError(trouble)


def hand_over(report: dict, job_id: str) -> tuple[int, Any]:
    """One POST of the report: (HTTP status, what was answered)."""
    parts = urlsplit(PUBLISHER)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ToolError("AUDITORIA_PUBLISHER is no http or https URL")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.hostname, parts.port, timeout=WITHIN_S)
    try:
        connection.request("POST", parts.path or "/", json.dumps(report), {"Content-Type": "application/json", "Idempotency-Key": job_id})
        response = connection.getresponse()
        return response.status, json.loads(response.read(MAX_BYTES))
    finally:
        connection.close()


def scopes_of(arguments: dict) -> tuple[str, ...]:
    """What a token must allow: reading, and publishing apart from it."""
    return (AUDIT, PUBLISH) if arguments.get("publicar") else (AUDIT,)


def auditar_site(piece: ModuleType) -> Tool2026:
    """The tool, with the solution or an answer of exercise 12 inside."""
    return Tool2026("auditar_site", "Auditoria de site", "Audita URLs por HTTP; com mais de cinco, ou para publicar, como task.",
                    SCHEMA, "optional", piece.auditar_site, must_be_task=beyond_sync, scopes=scopes_of)
