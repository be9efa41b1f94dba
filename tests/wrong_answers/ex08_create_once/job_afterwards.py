# caught by: a_power_cut_leaves_both_or_neither/torn
"""Commits the task, and then puts its job into the outbox."""
from lessons.ex08_create_once.solution import *
from lessons.task_table import enqueue, insert_task


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    db.execute("BEGIN IMMEDIATE")
    try:
        known = task_of_key(db, new, fingerprint)
        if known is None:
            insert_task(db, new, stored_key(new), fingerprint)
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    if known is None:
        enqueue(db, new.task_id)
    return known or new.task_id
