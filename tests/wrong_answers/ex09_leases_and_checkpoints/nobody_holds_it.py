# caught by: writes_with_its_token/nobodys
"""Lets a worker write that has the last token, although the job was taken back."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import change_rows


def change(db, job, now_ms, **new):
    return change_rows(db, "task_id = ? AND fencing_token = ? AND status = 'working'", (job.task_id, job.token), now_ms, **new) == 1
