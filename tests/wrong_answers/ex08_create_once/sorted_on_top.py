# caught by: hashes_what_was_meant/order_matters
"""Sorts the arguments, and not what is inside them."""
import hashlib

from lessons.ex08_create_once.solution import *


def canonical_hash(arguments):
    return hashlib.sha256(str(sorted(arguments.items())).encode()).hexdigest()
