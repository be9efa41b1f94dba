"""Exercise 6, solved: a request that explains itself, and nothing remembered between two.

Source of the rules: MCP 2026-07-28, Streamable HTTP (Request Metadata, Server Validation),
Base Protocol (_meta) and Versioning.
"""
from __future__ import annotations

import base64
import binascii
import decimal
import re
from typing import Any, Iterator

import main
from main import HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION, RpcError

VERSIONS = ["2026-07-28"]
META = "io.modelcontextprotocol/"


def decode_header(value: str) -> str:
    """What a header says: plain ASCII, or UTF-8 inside =?base64?...?=.  Example: '=?base64?w6k=?=' -> 'é'

    Raises RpcError -32020 for letters that a header cannot carry and for base64 that is none.
    """
    if not re.fullmatch(r"[\t\x20-\x7e]*", value):
        raise RpcError(HEADER_MISMATCH, f"a header may hold visible ASCII only; encode {value!r} as =?base64?...?=")
    encoded = re.fullmatch(r"=\?base64\?(.*)\?=", value)
    if not encoded:
        return value
    try:
        return base64.b64decode(encoded[1], validate=True).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError):
        raise RpcError(HEADER_MISMATCH, f"{value!r} is not base64 of UTF-8") from None


def same(header: str, value: Any) -> bool:
    """Whether a header's text says the same as a parameter's value: numbers as numbers, true and false in lower case."""
    if isinstance(value, bool):
        return header == str(value).lower()
    if isinstance(value, (int, float)):
        number = re.fullmatch(r"-?[0-9]{1,400}(\.[0-9]{1,400})?([eE][+-]?[0-9]{1,3})?", header)
        return bool(number) and decimal.Decimal(header) == decimal.Decimal(repr(value))
    return header == value


def mirrored(schema: dict, arguments: Any) -> Iterator[tuple[str, Any]]:
    """(name of a Mcp-Param- header, the argument that it repeats or None), along `properties` only."""
    for name, inner in schema.get("properties", {}).items() if isinstance(schema, dict) else ():
        value = arguments.get(name) if isinstance(arguments, dict) else None
        if isinstance(inner, dict) and "x-mcp-header" in inner:
            yield inner["x-mcp-header"], value
        yield from mirrored(inner, value)


def check_version(headers: dict, meta: dict) -> None:
    """The version stands in the header and in _meta, the same in both, and it is one that we speak."""
    header, body = headers.get("mcp-protocol-version"), meta.get(META + "protocolVersion")
    if header is None:
        raise RpcError(HEADER_MISMATCH, "the header MCP-Protocol-Version is missing")
    if not isinstance(body, str):
        raise RpcError(INVALID_PARAMS, f"params._meta[{META}protocolVersion] is missing or no string", http=400)
    if header != body:
        raise RpcError(HEADER_MISMATCH, f"MCP-Protocol-Version is {header!r}, but _meta says {body!r}")
    if body not in VERSIONS:
        raise RpcError(UNSUPPORTED_VERSION, f"this server does not speak {body!r}", {"supported": VERSIONS, "requested": body})


def check_header(headers: dict, name: str, value: Any) -> None:
    """One header against the body.  A value of another type than text is for the method to refuse."""
    header = headers.get(name.lower())
    if header is None:
        raise RpcError(HEADER_MISMATCH, f"the header {name} is missing; the body says {value!r}")
    if not same(decode_header(header), value):
        raise RpcError(HEADER_MISMATCH, f"the header {name} says {header!r}, the body {value!r}")


def check_request(headers: dict[str, str], message: dict, schemas: dict[str, dict]) -> dict:
    """The client's capabilities, from a request whose headers and body agree.

    `headers`: by lower-cased name.  `schemas`: tool name -> input schema.
    Raises RpcError: -32020 for a header that is missing, malformed or differs, -32022 for a
    version that we do not speak, -32602 (HTTP 400) for a _meta that is not complete.
    """
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        raise RpcError(METHOD_NOT_FOUND, f"there is no initialize any more: send each request with its own _meta, in version {VERSIONS[0]}",
                       {"supported": VERSIONS})
    meta = params.get("_meta") if isinstance(params, dict) else None
    if meta is not None and not isinstance(meta, dict):
        raise RpcError(INVALID_PARAMS, "params._meta must be of type object", http=400)
    check_version(headers, meta or {})
    capabilities = meta.get(META + "clientCapabilities")
    if not isinstance(capabilities, dict):
        raise RpcError(INVALID_PARAMS, f"params._meta[{META}clientCapabilities] is missing or no object", http=400)
    check_header(headers, "Mcp-Method", method)
    named = params.get(main.NAME_PARAM[method]) if method in main.NAME_PARAM else None
    if isinstance(named, str):
        check_header(headers, "Mcp-Name", named)
    if method == "tools/call" and isinstance(named, str):
        for name, value in mirrored(schemas.get(named, {}), params.get("arguments")):
            if value is not None:
                check_header(headers, f"Mcp-Param-{name}", value)
            elif f"mcp-param-{name}".lower() in headers:
                raise RpcError(HEADER_MISMATCH, f"the header Mcp-Param-{name} has no counterpart in the arguments")
    return capabilities


def discover(name: str, version: str) -> dict:
    """The result of server/discover.  It creates no session: each request declares itself anew."""
    return {"resultType": "complete", "supportedVersions": VERSIONS,
            "capabilities": {"tools": {}, "extensions": {main.EXTENSION: {}}}, "ttlMs": 300_000, "cacheScope": "private",
            "_meta": {META + "serverInfo": {"name": name, "version": version}}}
