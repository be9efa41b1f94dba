# caught by: decodes_names/lenient
"""Takes control characters for text."""
import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *


def decode_header(value):
    return value if value.isascii() and "=?" not in value else solved.decode_header(value)
