"""Exercise 8, solved: one transaction makes the task, records its job and takes the key.

Source of the rules: MCP 2026-07-28, Tasks extension (a task is durable before it is
announced), and the transactional outbox pattern.
"""
from __future__ import annotations

import hashlib
import json
import sqlite3

from lessons.task_table import TERMINAL, NewTask, enqueue, insert_task
from main import INVALID_PARAMS, RpcError

OWN_KEY = "tenant_id = ? AND subject_id = ? AND idempotency_key = ?"


def canonical_hash(arguments: dict) -> str:
    """The same for the same arguments, in whatever order and spacing they were sent."""
    return hashlib.sha256(json.dumps(arguments, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def create_once(db: sqlite3.Connection, new: NewTask) -> str:
    """The id of the task that answers this call: new.task_id, or the one that its key has made before.

    On return the task and its job are durable, both or neither.  Raises RpcError -32602 if
    the key came with other arguments before; then nothing has changed.
    """
    fingerprint = canonical_hash(new.arguments)
    db.execute("BEGIN IMMEDIATE")              # the write lock first: two callers with one key must not both see nothing
    try:
        known = task_of_key(db, new, fingerprint)
        if known is None:
            insert_task(db, new, stored_key(new), fingerprint)
            enqueue(db, new.task_id)
    except BaseException:
        if db.in_transaction:                  # a full disk may have ended it already
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    return known or new.task_id


def stored_key(new: NewTask) -> str:
    """What the column holds: a key belongs to its tool; a call without one has its job's id, which nobody repeats."""
    return new.job_id if new.key is None else f"{new.tool}:{new.key}"


def task_of_key(db: sqlite3.Connection, new: NewTask, fingerprint: str) -> str | None:
    """The task that this owner's key has made.  One that is over gives its key back."""
    mine = (*new.owner, stored_key(new))
    db.execute(f"DELETE FROM mcp_tasks WHERE {OWN_KEY} AND expires_at <= ? AND status IN {TERMINAL}", (*mine, new.now_ms))
    row = db.execute(f"SELECT task_id, request_hash FROM mcp_tasks WHERE {OWN_KEY}", mine).fetchone()
    if row and row[1] != fingerprint:
        raise RpcError(INVALID_PARAMS, "params.arguments.idempotency_key: this key belongs to a call with other arguments; "
                       "repeat those to get its task, or choose a new key", {"reason": "IDEMPOTENCY_CONFLICT"})
    return row and row[0]
