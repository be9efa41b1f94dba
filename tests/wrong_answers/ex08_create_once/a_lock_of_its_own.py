# caught by: many_at_once_make_one/locked
"""Relies on a lock of its own process, which another process does not know."""
import main
from main import *
from lessons.task_table import *
from main import INVALID_PARAMS, RpcError
import sqlite3, json, hashlib, threading, time, zlib, itertools, secrets, contextlib, dataclasses

from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *


LOCK = threading.Lock()


def task_of_key(db, new, fingerprint):
    row = db.execute(f"SELECT task_id, request_hash, expires_at <= ? AND status IN {TERMINAL} FROM mcp_tasks WHERE {OWN_KEY}",
                     (new.now_ms, *new.owner, stored_key(new))).fetchone()
    if row and row[2]:
        db.execute("DELETE FROM mcp_tasks WHERE task_id = ?", (row[0],))
        return None
    if row and row[1] != fingerprint:
        raise RpcError(INVALID_PARAMS, "this key belongs to a call with other arguments", {"reason": "IDEMPOTENCY_CONFLICT"})
    return row and row[0]


def unlocked(db, new):
    fingerprint = canonical_hash(new.arguments)
    db.execute("BEGIN")
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


def create_once(db, new):
    with LOCK:
        return unlocked(db, new)
