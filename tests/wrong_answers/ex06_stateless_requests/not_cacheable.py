# caught by: discovers/not_cacheable
"""Leaves the caching hints out."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def discover(name, version):
    return {key: value for key, value in solved.discover(name, version).items() if key != "cacheScope"}
