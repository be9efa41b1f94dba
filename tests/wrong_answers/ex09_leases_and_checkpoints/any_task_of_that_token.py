# caught by: writes_with_its_token/writes_into_others
"""Forgets the task in its WHERE."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import change_rows


def change(db, job, now_ms, **new):
    return change_rows(db, "fencing_token = ? AND status = 'working' AND worker IS NOT NULL", (job.token,), now_ms, **new) >= 1
