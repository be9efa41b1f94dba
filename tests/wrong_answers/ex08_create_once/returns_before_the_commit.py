# caught by: repeats_get_the_same/left_open
"""Returns a known task at once, in the middle of the transaction."""
from lessons.ex08_create_once.solution import *
from lessons.task_table import enqueue, insert_task


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    db.execute("BEGIN IMMEDIATE")
    try:
        known = task_of_key(db, new, fingerprint)
        if known:
            return known
        insert_task(db, new, stored_key(new), fingerprint)
        enqueue(db, new.task_id)
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    return new.task_id
