# caught by: keys_have_a_scope_and_an_end/deleted_too_much
"""Sees that its own task is over, and then deletes by the key alone."""
from lessons.ex08_create_once.solution import *
from lessons.task_table import TERMINAL, enqueue, insert_task
from main import INVALID_PARAMS, RpcError


def task_of_key(db, new, fingerprint):
    mine = (*new.owner, stored_key(new))
    row = db.execute(f"SELECT task_id, request_hash, expires_at <= ? AND status IN {TERMINAL} FROM mcp_tasks WHERE {OWN_KEY}", (new.now_ms, *mine)).fetchone()
    if row and row[2]:
        db.execute("DELETE FROM mcp_tasks WHERE idempotency_key = ?", (stored_key(new),))
        return None
    if row and row[1] != fingerprint:
        raise RpcError(INVALID_PARAMS, "this key belongs to a call with other arguments", {"reason": "IDEMPOTENCY_CONFLICT"})
    return row and row[0]


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
