# caught by: keys_have_a_scope_and_an_end/no_second_job
"""Makes a new task in place of the one that is over, and forgets its job."""
import main
from main import *
from lessons.task_table import *
from main import INVALID_PARAMS, RpcError
import sqlite3, json, hashlib, threading, time, zlib, itertools, secrets, contextlib, dataclasses

from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *


def create_once(db, new):
    fingerprint, mine = canonical_hash(new.arguments), (*new.owner, stored_key(new))
    db.execute("BEGIN IMMEDIATE")
    try:
        row = db.execute(f"SELECT task_id, request_hash, expires_at <= ? AND status IN {TERMINAL} FROM mcp_tasks WHERE {OWN_KEY}", (new.now_ms, *mine)).fetchone()
        if row is None:
            insert_task(db, new, stored_key(new), fingerprint)
            enqueue(db, new.task_id)
            known = new.task_id
        elif row[2]:
            db.execute("DELETE FROM mcp_tasks WHERE task_id = ?", (row[0],))
            insert_task(db, new, stored_key(new), fingerprint)
            known = new.task_id
        elif row[1] != fingerprint:
            raise RpcError(INVALID_PARAMS, "this key belongs to a call with other arguments", {"reason": "IDEMPOTENCY_CONFLICT"})
        else:
            known = row[0]
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    return known
