# caught by: compares_parameters/without_argument
"""Lets a header stand that has no argument."""
import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *


def check_request(headers, message, schemas):
    arguments = message.get("params", {}).get("arguments")
    if arguments == {}:
        headers = {name: value for name, value in headers.items() if not name.startswith("mcp-param-")}
    return solved.check_request(headers, message, schemas)
