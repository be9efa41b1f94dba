# caught by: many_at_once_make_one/made_several
"""Looks before it has the lock, and when the key is taken meanwhile gives an id that is nobody's."""
import sqlite3

from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *
from lessons.task_table import enqueue, insert_task


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    if db.execute(f"SELECT 1 FROM mcp_tasks WHERE {OWN_KEY}", (*new.owner, stored_key(new))).fetchone():
        return solved.create_once(db, new)
    db.execute("BEGIN IMMEDIATE")
    try:
        insert_task(db, new, stored_key(new), fingerprint)
        enqueue(db, new.task_id)
    except sqlite3.IntegrityError:
        db.execute("ROLLBACK")
        return new.task_id
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    return new.task_id
