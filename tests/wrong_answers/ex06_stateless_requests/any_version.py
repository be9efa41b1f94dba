# caught by: checks_meta_and_version/version_unknown
"""Speaks every version."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    solved.VERSIONS = [*VERSIONS, headers.get("mcp-protocol-version")]
    return solved.check_request(headers, message, schemas)
