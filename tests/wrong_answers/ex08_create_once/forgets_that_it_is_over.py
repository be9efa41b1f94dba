# caught by: keys_have_a_scope_and_an_end/never_given_back
"""Compares the hashes first, and gives out a task that is over."""
import main
from main import *
from lessons.task_table import *
from main import INVALID_PARAMS, RpcError
import sqlite3, json, hashlib, threading, time, zlib, itertools, secrets, contextlib, dataclasses

from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *


def task_of_key(db, new, fingerprint):
    mine = (*new.owner, stored_key(new))
    row = db.execute(f"SELECT task_id, request_hash, expires_at <= ? AND status IN {TERMINAL} FROM mcp_tasks WHERE {OWN_KEY}", (new.now_ms, *mine)).fetchone()
    if row is None:
        return None
    if row[1] == fingerprint:
        return row[0]
    if not row[2]:
        raise RpcError(INVALID_PARAMS, "this key belongs to a call with other arguments", {"reason": "IDEMPOTENCY_CONFLICT"})
    db.execute("DELETE FROM mcp_tasks WHERE task_id = ?", (row[0],))


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
