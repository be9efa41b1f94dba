# caught by: compares_parameters/nested
"""Looks at the first level of properties only."""
import base64

import main
from lessons.ex06_stateless_requests import solution as solved
from lessons.ex06_stateless_requests.solution import *

original = solved.decode_header


def check_request(headers, message, schemas):
    flat = {name: {**schema, "properties": {key: {inner: part for inner, part in value.items() if inner != "properties"}
                                            for key, value in schema.get("properties", {}).items()}} for name, schema in schemas.items()}
    return solved.check_request(headers, message, flat)
