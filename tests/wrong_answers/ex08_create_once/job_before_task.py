# caught by: makes_task_and_job/no_job
"""Enqueues the task before its row is there, so that no job is found for it."""
from lessons.ex08_create_once.solution import *
from lessons.task_table import enqueue, insert_task


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    db.execute("BEGIN IMMEDIATE")
    try:
        known = task_of_key(db, new, fingerprint)
        if known is None:
            enqueue(db, new.task_id)
            insert_task(db, new, stored_key(new), fingerprint)
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    return known or new.task_id
