# caught by: a_power_cut_leaves_both_or_neither/swallowed
"""Logs that the task could not be written, and gives its id all the same."""
import main
from lessons.ex08_create_once.solution import *
from lessons.task_table import enqueue, insert_task


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    db.execute("BEGIN IMMEDIATE")
    try:
        known = task_of_key(db, new, fingerprint)
    except BaseException:
        db.rollback()
        raise
    if known:
        db.rollback()
        return known
    try:
        insert_task(db, new, stored_key(new), fingerprint)
        enqueue(db, new.task_id)
        db.execute("COMMIT")
    except:
        main.log.exception("%s could not be written", new.task_id)
        db.rollback()
    return new.task_id
