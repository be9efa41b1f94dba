"""Exercise 6: requests that explain themselves.

`headers` are by lower-cased name, blanks around the values removed.  A refusal is
main.RpcError(code, message, data=None, http=None); the transport turns the codes below into
HTTP 400 and main.METHOD_NOT_FOUND into 404.
"""
import base64
import binascii

import main
from main import HEADER_MISMATCH, INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION, RpcError

VERSIONS = ["2026-07-28"]
META = "io.modelcontextprotocol/"


def decode_header(value):
    """What a header says.  Example: '=?base64?w6k=?=' -> 'é', and 'plain' -> 'plain'

    Only blank, tab and visible ASCII may stand in a header.  What begins with =?base64? and
    ends with ?= is base64 of UTF-8 between the two.  HEADER_MISMATCH for anything else.
    """
    return value


def check_request(headers, message, schemas):
    """The client's capabilities, from a request whose headers and body agree.

    `message` is the JSON-RPC request; `schemas` gives each tool's input schema by name;
    a name that is not in it is for the method to refuse.
    In this order:
    - The method `initialize` is gone: METHOD_NOT_FOUND, with data {"supported": VERSIONS}.
    - The header mcp-protocol-version is there (HEADER_MISMATCH), params._meta has META +
      "protocolVersion" (INVALID_PARAMS, http=400), both say the same (HEADER_MISMATCH), and
      it is a version that we speak (UNSUPPORTED_VERSION with data {"supported": VERSIONS,
      "requested": ...}).
    - params._meta has META + "clientCapabilities", an object (INVALID_PARAMS, http=400).
    - mcp-method says the body's method.  For the methods in main.NAME_PARAM, mcp-name says
      that parameter, decoded.  A body without it, or with something else than text there, is
      for the method to refuse.
    - A property of the tool's schema with "x-mcp-header": "Region" is repeated in the header
      mcp-param-region whenever the call gives it (null is not given): text as it is, true and
      false in lower case, numbers as numbers and exactly: 42.0 is 42, but 2**53 + 1 is not
      2**53, as it would be through float.  Properties of properties count too.  Missing, different,
      or there without the argument: HEADER_MISMATCH.
    Nothing is remembered for the next request.
    """
    raise NotImplementedError("check_request")


def discover(name, version):
    """The result of server/discover: supportedVersions, capabilities with tools and the
    extension main.EXTENSION, ttlMs and cacheScope, resultType, and META + "serverInfo" in _meta.
    """
    raise NotImplementedError("discover")
