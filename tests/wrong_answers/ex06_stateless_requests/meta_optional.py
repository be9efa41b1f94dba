# caught by: checks_meta_and_version/no_meta
"""Takes a request without _meta."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    if "_meta" not in message.get("params", {}):
        return {}
    return solved.check_request(headers, message, schemas)
