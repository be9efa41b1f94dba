# caught by: writes_with_its_token/refused_its_own
"""Wants a token that is larger than the row's, where its own is the same."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import change_rows


def change(db, job, now_ms, **new):
    newer = "task_id = ? AND fencing_token < ? AND status = 'working' AND worker IS NOT NULL"
    return change_rows(db, newer, (job.task_id, job.token), now_ms, **new) == 1
