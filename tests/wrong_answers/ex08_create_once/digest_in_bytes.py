# caught by: hashes_what_was_meant/no_text
"""Gives the hash as bytes."""
import hashlib
import json

from lessons.ex08_create_once.solution import *


def canonical_hash(arguments):
    return hashlib.sha256(json.dumps(arguments, sort_keys=True).encode()).digest()
