# caught by: trusts_no_token_unseen/letter_by_letter
"""Compares the signatures with ==."""
import hmac
import json

from lessons.authorization import Unauthorized, unbase64
from lessons.ex11_owners_and_scopes.solution import *


def verify(token, authority, now_s):
    try:
        signed, _, signature = token.rpartition(".")
        header, claims = (json.loads(unbase64(part)) for part in signed.split("."))
        good = unbase64(signature) == hmac.digest(authority.key, signed.encode(), "sha256")
    except (ValueError, RecursionError):
        raise Unauthorized("this is no signed token") from None
    if not isinstance(header, dict) or header.get("alg") != authority.algorithm or "crit" in header or not good or not isinstance(claims, dict):
        raise Unauthorized("the token's signature is not one of this issuer's")
    if claims.get("iss") != authority.issuer:
        raise Unauthorized("the token comes from another issuer")
    audience = claims.get("aud")
    if authority.audience not in (audience if isinstance(audience, list) else [audience]):
        raise Unauthorized("the token is for another server")
    if not is_time(claims.get("exp")) or now_s >= claims["exp"]:
        raise Unauthorized("the token has expired")
    if "nbf" in claims and (not is_time(claims["nbf"]) or now_s < claims["nbf"]):
        raise Unauthorized("the token is not valid yet")
    return claims
