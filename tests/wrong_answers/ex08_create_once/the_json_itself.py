# caught by: hashes_what_was_meant/no_hash
"""Keeps the canonical JSON and does not hash it."""
import main
from main import *
from lessons.task_table import *
from main import INVALID_PARAMS, RpcError
import sqlite3, json, hashlib, threading, time, zlib, itertools, secrets, contextlib, dataclasses

from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *


def canonical_hash(arguments):
    return json.dumps(arguments, sort_keys=True)


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    db.execute("BEGIN IMMEDIATE")
    try:
        known = task_of_key(db, new, fingerprint)
        if known is None:
            insert_task(db, new, stored_key(new), fingerprint)
            enqueue(db, new.task_id)
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    return known or new.task_id
