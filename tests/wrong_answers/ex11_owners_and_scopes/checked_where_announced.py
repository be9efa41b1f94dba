# caught by: checks_whose_code_it_is/mixed_up
"""Looks at iss only where the metadata announce it."""
from lessons.ex11_owners_and_scopes.solution import *


def check_issuer(expected, metadata, response):
    if metadata.get("authorization_response_iss_parameter_supported") and response.get("iss") != expected:
        raise ValueError("the response comes from another issuer")
