# caught by: makes_task_and_job/left_open
"""Begins a transaction by hand, and leaves the end to the connection."""
from lessons.ex08_create_once.solution import *
from lessons.task_table import enqueue, insert_task


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
    return known or new.task_id
