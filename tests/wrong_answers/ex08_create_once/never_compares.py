# caught by: repeats_get_the_same/conflict_missed
"""Trusts the key, and does not look whether the arguments are the same."""
from lessons.ex08_create_once.solution import *
from lessons.task_table import TERMINAL, enqueue, insert_task


def task_of_key(db, new, fingerprint):
    mine = (*new.owner, stored_key(new))
    db.execute(f"DELETE FROM mcp_tasks WHERE {OWN_KEY} AND expires_at <= ? AND status IN {TERMINAL}", (*mine, new.now_ms))
    row = db.execute(f"SELECT task_id FROM mcp_tasks WHERE {OWN_KEY}", mine).fetchone()
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
