# caught by: hashes_what_was_meant/order_matters
"""Sorts the keys of objects, but not of those inside lists."""
import main
from main import *
from lessons.task_table import *
from main import INVALID_PARAMS, RpcError
import sqlite3, json, hashlib, threading, time, zlib, itertools, secrets, contextlib, dataclasses

from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *


def canonical_hash(arguments):
    def sort(v):
        return [[k, sort(v[k])] for k in sorted(v)] if isinstance(v, dict) else v
    return hashlib.sha256(repr(sort(arguments)).encode()).hexdigest()


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
