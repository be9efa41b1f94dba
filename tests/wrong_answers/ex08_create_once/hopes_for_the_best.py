# caught by: a_power_cut_leaves_both_or_neither/left_open
"""Rolls back a conflict and nothing else."""
import main
from main import *
from lessons.task_table import *
from main import INVALID_PARAMS, RpcError
import sqlite3, json, hashlib, threading, time, zlib, itertools, secrets, contextlib, dataclasses

from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    db.execute("BEGIN IMMEDIATE")
    mine = (*new.owner, stored_key(new))
    db.execute(f"DELETE FROM mcp_tasks WHERE {OWN_KEY} AND expires_at <= ? AND status IN {TERMINAL}", (*mine, new.now_ms))
    row = db.execute(f"SELECT task_id, request_hash FROM mcp_tasks WHERE {OWN_KEY}", mine).fetchone()
    if row:
        db.execute("ROLLBACK")
        if row[1] != fingerprint:
            raise RpcError(INVALID_PARAMS, "this key belongs to a call with other arguments", {"reason": "IDEMPOTENCY_CONFLICT"})
        return row[0]
    insert_task(db, new, stored_key(new), fingerprint)
    enqueue(db, new.task_id)
    db.execute("COMMIT")
    return new.task_id
