# caught by: writes_with_its_token/wrong_state
"""Lets a worker write until the task is over, also while it waits for an answer."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import change_rows


def change(db, job, now_ms, **new):
    live = "task_id = ? AND fencing_token = ? AND worker IS NOT NULL AND status NOT IN ('completed', 'failed', 'cancelled')"
    return change_rows(db, live, (job.task_id, job.token), now_ms, **new) == 1
