# caught by: repeats_get_the_same/row_left
"""Writes a job for each call, whether its task is a new one or not."""
from lessons.ex08_create_once.solution import *
from lessons.task_table import insert_task


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    db.execute("BEGIN IMMEDIATE")
    try:
        known = task_of_key(db, new, fingerprint)
        if known is None:
            insert_task(db, new, stored_key(new), fingerprint)
        db.execute("INSERT INTO mcp_outbox (job_id, task_id, tool) VALUES (?, ?, ?)", (new.job_id, known or new.task_id, new.tool))
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    return known or new.task_id
