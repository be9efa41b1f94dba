# caught by: writes_with_its_token/ends_the_transaction
"""Commits its caller's transaction."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import change_rows


def change(db, job, now_ms, **new):
    held = change_rows(db, HELD, (job.task_id, job.token), now_ms, **new) == 1
    db.commit()
    return held
