# caught by: hashes_what_was_meant/not_told_apart
"""Leaves out what is null, as if it had not been sent."""
from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *


def canonical_hash(arguments):
    return solved.canonical_hash({name: value for name, value in arguments.items() if value is not None})
