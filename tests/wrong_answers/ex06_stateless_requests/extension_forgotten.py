# caught by: discovers/no_extension
"""Announces tools and forgets the extension."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def discover(name, version):
    return {**solved.discover(name, version), "capabilities": {"tools": {}}}
