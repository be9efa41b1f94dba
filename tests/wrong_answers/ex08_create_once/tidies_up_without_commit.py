# caught by: makes_task_and_job/no_row
"""Rolls back whatever is still open at the end, and never commits."""
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
        return known or new.task_id
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")
