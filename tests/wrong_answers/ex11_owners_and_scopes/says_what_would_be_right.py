# caught by: trusts_no_token_unseen/letter_by_letter
"""Says in its refusal which signature it had expected."""
import hmac
import json

from lessons.authorization import Unauthorized, unbase64
from lessons.ex11_owners_and_scopes import solution as solved
from lessons.ex11_owners_and_scopes.solution import *


def verify(token, authority, now_s):
    try:
        signed, _, signature = token.rpartition(".")
        header, claims = (json.loads(unbase64(part)) for part in signed.split("."))
        given = unbase64(signature)
    except (ValueError, RecursionError):
        raise Unauthorized("this is no signed token") from None
    if not isinstance(header, dict) or not isinstance(claims, dict):
        raise Unauthorized("no objects")
    if claims.get("iss") != authority.issuer:
        raise Unauthorized(f"issuer {claims.get('iss')} is not {authority.issuer}")
    if given != (want := hmac.digest(authority.key, signed.encode(), "sha256")):
        raise Unauthorized(f"signature is {given.hex()} and ought to be {want.hex()}")
    return solved.verify(token, authority, now_s)
