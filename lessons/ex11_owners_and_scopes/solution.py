"""Exercise 11, solved: who asks, what they may, whose the task is, and what no log may say.

Sources of the rules: MCP 2026-07-28, Authorization and Tasks (Security); RFC 6750, 7519,
8725 (best practices for signed tokens) and 9207 (issuer identification).
"""
from __future__ import annotations

import hmac
import json
import re
import sqlite3
from typing import Any

from lessons.authorization import AUDIT, Authority, Forbidden, Unauthorized, unbase64

# ---- the server: whose task, whose token -------------------------------------------


def own_row(db: sqlite3.Connection, columns: str, task_id: str, owner: tuple[str, str]) -> tuple | None:
    """Some columns of the owner's task.  Somebody else's is None, like one that never was."""
    return db.execute(f"SELECT {columns} FROM mcp_tasks WHERE task_id = ? AND tenant_id = ? AND subject_id = ?", (task_id, *owner)).fetchone()


def bearer(headers: dict[str, str]) -> str:
    """The token of a request, from its header and from nowhere else.  Raises Unauthorized without one."""
    found = re.fullmatch(r"bearer +([A-Za-z0-9._~+/-]+=*)", headers.get("authorization", ""), re.IGNORECASE | re.ASCII)
    if found is None:
        raise Unauthorized("a token is needed, in the Authorization header", error="")
    return found[1]


def verify(token: str, authority: Authority, now_s: float) -> dict:
    """The claims of a token.  Raises Unauthorized unless all of it is in order.

    The algorithm is the server's choice, not the token's (RFC 8725, section 3.1).
    """
    try:
        signed, _, signature = token.rpartition(".")
        header, claims = (json.loads(unbase64(part)) for part in signed.split("."))
        good = hmac.compare_digest(unbase64(signature), hmac.digest(authority.key, signed.encode(), "sha256"))
    except (ValueError, RecursionError):
        raise Unauthorized("this is no signed token") from None
    if not isinstance(header, dict) or header.get("alg") != authority.algorithm or "crit" in header or not good or not isinstance(claims, dict):
        raise Unauthorized("the token's signature is not one of this issuer's")
    if claims.get("iss") != authority.issuer:
        raise Unauthorized("the token comes from another issuer")
    audience = claims.get("aud")
    if authority.audience not in (audience if isinstance(audience, list) else [audience]):
        raise Unauthorized("the token is for another server")
    if not is_time(claims.get("exp")) or now_s >= claims["exp"]:
        raise Unauthorized("the token has expired")
    if "nbf" in claims and (not is_time(claims["nbf"]) or now_s < claims["nbf"]):
        raise Unauthorized("the token is not valid yet")
    return claims


def is_time(value: Any) -> bool:
    """A NumericDate (RFC 7519, section 2); to Python True is an int, and Infinity a number like 10**400."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e15 < value < 1e15


def owner_of(claims: dict) -> tuple[str, str]:
    """(tenant, subject): who a task belongs to.  The token may be another one tomorrow; they stay."""
    owner = claims.get("tenant"), claims.get("sub")
    if not all(isinstance(name, str) and name and name.isprintable() for name in owner):
        raise Unauthorized("the token does not say whose it is")
    return owner


def require_scopes(claims: dict, needed: tuple[str, ...]) -> None:
    """Raises Forbidden, naming all that the call needs, if the token lacks one."""
    granted = claims.get("scope")
    if not set(needed) <= set(granted.split() if isinstance(granted, str) else ()):
        raise Forbidden(needed)


def challenge(authority: Authority, error: str = "", scopes: tuple[str, ...] = (AUDIT,), description: str = "") -> str:
    """WWW-Authenticate for 401 and 403 (RFC 6750, section 3; RFC 9728, section 5.1).  A quote in a value becomes '."""
    fields = {"error": error, "scope": " ".join(scopes), "resource_metadata": authority.metadata_url, "error_description": description}
    return "Bearer " + ", ".join('%s="%s"' % (name, value.replace('"', "'")) for name, value in fields.items() if value)


# ---- the client: whose code, whose credentials -------------------------------------


def check_issuer(expected: str, metadata: dict, response: dict) -> None:
    """Before the code of an authorization response is exchanged.  Raises ValueError (RFC 9207, section 2.4).

    `expected`: the issuer noted before the user was sent away; `metadata`: the document it
    came from; `response`: the parameters that came back, an error's too.
    """
    if "iss" in response:
        if response["iss"] != expected:
            raise ValueError("the response comes from another issuer")
    elif metadata.get("authorization_response_iss_parameter_supported") is True:
        raise ValueError("the response does not say who it comes from")


def client_id_for(issuer: str, metadata: dict, registered: dict[str, dict], document_url: str | None) -> tuple[str, Any]:
    """How the client makes itself known to an authorization server, in the order of preference.

    ('registered', credentials) if `registered`, issuer -> credentials, has some of this very
    issuer; ('document', URL) with a client ID metadata document; ('register', endpoint) by
    dynamic registration, which is deprecated; ('ask', None) if a person has to say.
    """
    if issuer in registered:
        return "registered", registered[issuer]
    if document_url and metadata.get("client_id_metadata_document_supported") is True:
        return "document", document_url
    if metadata.get("registration_endpoint"):
        return "register", metadata["registration_endpoint"]
    return "ask", None


# ---- what no log may say -----------------------------------------------------------

HIDDEN = "[redacted]"
SECRET_NAME = re.compile(r"authorization|token|secret|passw|pwd|(api|access|private).?key|cookie|credential|signature", re.IGNORECASE)
# No pattern here looks at a letter twice: a long word that somebody sends must not stop the server.
NAME = re.compile(r"""(?<![\w.-])([\w.-]+)(\\*["'])?[ \t]*[:=][ \t]*""")
QUOTED = re.compile(r"""\\*"(?:[^"\\]|\\.)*"|\\*'(?:[^'\\]|\\.)*'|[^\n]*""", re.DOTALL)
REST = re.compile(r"[^\n]*(?:\n[ \t]+[^\n]*)*")        # of the line, and of lines that go on with a blank
SHAPED = ((re.compile(r"\b(bearer|basic|digest)\s+\S[^\n]*", re.IGNORECASE), rf"\1 {HIDDEN}"),
          (re.compile(r"//[^\s<>]*"), lambda found: hide_in_url(found[0])),
          (re.compile(r"[?&#][\w.-]{1,40}=[^\s<>]*"), f"?{HIDDEN}"),
          (re.compile(r"(?<![\w.-])eyJ[\w.-]+"), HIDDEN))


def redact(value: Any) -> Any:
    """A copy without what looks like a secret, however deep: by the name it has, or by its shape in a text."""
    if isinstance(value, dict):
        return {redact(key): HIDDEN if SECRET_NAME.search(str(key)) else redact(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and isinstance(value[0], str) and SECRET_NAME.search(value[0]):
            return [value[0], HIDDEN]          # a list of pairs, as headers often are
        return [redact(item) for item in value]
    return redact_text(value) if isinstance(value, str) else value


def redact_text(text: str) -> str:
    """The same for a text, which may hold JSON of its own."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.dumps(redact(json.loads(text)), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    text = hide_named(text)
    for pattern, instead in SHAPED:
        text = pattern.sub(instead, text)
    return text


def hide_in_url(url: str) -> str:
    """A URL without its query and fragment, and without a name before its host."""
    place, mark, _ = re.split("([?#])", url, maxsplit=1) if re.search("[?#]", url) else (url, "", "")
    return re.sub("//[^/]*@", f"//{HIDDEN}@", place) + (f"?{HIDDEN}" if mark else "")


def hide_named(text: str) -> str:
    """What follows a secret name: the value in quotes if the name is in quotes, else the rest of the line."""
    parts, done = [], 0
    for found in NAME.finditer(text):
        if found.start() >= done and SECRET_NAME.search(found[1]):
            value = (QUOTED if found[2] else REST).match(text, found.end())
            parts += [text[done:found.end()], HIDDEN]
            done = value.end()
    return "".join([*parts, text[done:]])
