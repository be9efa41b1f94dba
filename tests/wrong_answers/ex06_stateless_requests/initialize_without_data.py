# caught by: remembers_nothing/initialize_data
"""Says in words only what is spoken here."""
import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *


def check_request(headers, message, schemas):
    if message["method"] == "initialize":
        raise RpcError(METHOD_NOT_FOUND, "there is no initialize any more; speak 2026-07-28")
    return solved.check_request(headers, message, schemas)
