# caught by: repeats_get_the_same/order_matters
"""Compares the arguments with the JSON in the row, text with text."""
import json

from lessons.ex08_create_once.solution import *
from lessons.task_table import TERMINAL, enqueue, insert_task
from main import INVALID_PARAMS, RpcError


def task_of_key(db, new, fingerprint):
    mine = (*new.owner, stored_key(new))
    db.execute(f"DELETE FROM mcp_tasks WHERE {OWN_KEY} AND expires_at <= ? AND status IN {TERMINAL}", (*mine, new.now_ms))
    row = db.execute(f"SELECT task_id, arguments_json FROM mcp_tasks WHERE {OWN_KEY}", mine).fetchone()
    if row and row[1] != json.dumps(new.arguments, ensure_ascii=False):
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
