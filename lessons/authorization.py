"""What exercise 11 is given: the authority that a server trusts, and the classroom's issuer.

The MCP server is a resource server: it checks tokens and makes none.  In a classroom there
is no authorization server, so `python main.py token` plays it, with a shared key.  A real
one signs with a key of its own, and publishes the other half.

Sources: MCP 2026-07-28, Authorization; RFC 6750 (bearer tokens), RFC 7515 and 7519 (signed
tokens), RFC 9728 (protected resource metadata).
"""
from __future__ import annotations

import base64
import binascii
import hmac
import json
import os
import pathlib
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import main
from main import INVALID_REQUEST, RpcError

AUDIT, PUBLISH, FILES = "sites:audit", "sites:publish", "files:read"
SCOPES = (AUDIT, PUBLISH, FILES)       # of a classroom token, unless it is asked for less
WELL_KNOWN = "/.well-known/oauth-protected-resource"
FIELDS = {"issuer", "audience", "key", "algorithm"}


class Unauthorized(RpcError):
    """HTTP 401: no token, or not one that is good here.  `error` is RFC 6750's code, '' without a token."""

    def __init__(self, message: str, error: str = "invalid_token"):
        super().__init__(INVALID_REQUEST, message, http=401)
        self.error = error


class Forbidden(RpcError):
    """HTTP 403: a good token that lacks a scope.  `scopes`: all that the call needs."""

    def __init__(self, scopes: tuple[str, ...]):
        super().__init__(INVALID_REQUEST, f"this call needs a token with the scope {' '.join(scopes)}", http=403)
        self.error, self.scopes = "insufficient_scope", scopes


@dataclass(frozen=True)
class Authority:
    """Whose tokens a server takes: made by `issuer`, for `audience`, signed with `key` and no other way.

    `audience` is the server's own URL, as its clients know it: the resource.
    """
    issuer: str
    audience: str
    key: bytes
    algorithm: str = "HS256"

    @property
    def metadata_url(self) -> str:
        """Where a client finds out about this resource (RFC 9728, section 3.1)."""
        parts = urlsplit(self.audience)
        return f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path.rstrip('/')}"

    def metadata(self) -> dict:
        """The Protected Resource Metadata document."""
        return {"resource": self.audience, "authorization_servers": [self.issuer], "scopes_supported": list(SCOPES),
                "bearer_methods_supported": ["header"], "resource_name": "lesson-13"}


def read_authority(file: str | os.PathLike) -> Authority:
    """From the JSON file of --auth.  Raises ValueError that says what is wrong with it."""
    path = pathlib.Path(file)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ValueError(f"{path} cannot be read ({error.strerror}); make one with: python main.py token --auth {path}") from None
    except ValueError:
        raise ValueError(f"{path} is not JSON; make another with: python main.py token --auth FILE") from None
    if not isinstance(found, dict) or set(found) != FIELDS or not all(isinstance(value, str) and value for value in found.values()):
        raise ValueError(f"{path} must be an object with the texts {', '.join(sorted(FIELDS))}")
    if found["algorithm"] != "HS256":
        raise ValueError(f"{path}: algorithm must be HS256; this classroom knows no other")
    try:
        key = unbase64(found["key"])
    except ValueError:
        key = b""
    if len(key) < 32:
        raise ValueError(f"{path}: key must be 32 bytes or more in base64url (RFC 7518, section 3.2)")
    return Authority(found["issuer"], found["audience"], key, found["algorithm"])


def make_authority(file: str | os.PathLike, audience: str, issuer: str = "https://issuer.example") -> Authority:
    """A new authority with a key of its own, in a file that its owner alone can read."""
    made = {"issuer": issuer, "audience": audience, "key": base64url(secrets.token_bytes(32)), "algorithm": "HS256"}
    main.write_file(pathlib.Path(file), json.dumps(made, indent=1), durable=True, new=True)
    return read_authority(file)


def issue(authority: Authority, now_s: float, subject: str, tenant: str = "classroom", scopes: tuple[str, ...] = SCOPES,
          lives_s: float = 3600, **more: Any) -> str:
    """A signed token; `more` adds claims, or replaces some for whoever wants to see them refused."""
    claims = {"iss": authority.issuer, "aud": authority.audience, "sub": subject, "tenant": tenant, "scope": " ".join(scopes),
              "iat": int(now_s), "exp": int(now_s + lives_s), "jti": secrets.token_hex(8), **more}
    return sign({"alg": authority.algorithm, "typ": "at+jwt"}, claims, authority.key)


def sign(header: dict, claims: dict, key: bytes) -> str:
    """header.claims.signature, each in base64url (RFC 7515, section 3.1)."""
    signed = ".".join(base64url(json.dumps(part).encode()) for part in (header, claims))
    return f"{signed}.{base64url(hmac.digest(key, signed.encode(), 'sha256'))}"


def base64url(data: bytes) -> str:
    """Base64 as it travels in tokens: without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unbase64(text: str) -> bytes:
    """The bytes of base64url without padding.  Raises ValueError for anything else."""
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as error:
        raise ValueError(str(error)) from None
    if base64url(data) != text:                # one token has one spelling
        raise ValueError("this is not base64url without padding")
    return data
