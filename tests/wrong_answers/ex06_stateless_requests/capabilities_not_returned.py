# caught by: checks_meta_and_version/not_returned
"""Checks everything and tells nobody what the client can do."""
import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *


def check_request(headers, message, schemas):
    solved.check_request(headers, message, schemas)
    return {}
