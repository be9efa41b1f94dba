# caught by: compares_method_and_name/task_name
"""Forgets that tasks have names too."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    if message["method"].startswith("tasks/") and "taskId" in message.get("params", {}):
        headers = {**headers, "mcp-name": main.header_text(message["params"]["taskId"])}
    return solved.check_request(headers, message, schemas)
