# caught by: hashes_what_was_meant/only_here
"""Uses Python's hash(), which is another one in each process."""
import json

from lessons.ex08_create_once.solution import *


def canonical_hash(arguments):
    return str(hash(json.dumps(arguments, sort_keys=True)))
