# caught by: writes_with_its_token/zombie_writes
"""Knows a worker by its name, which may have claimed the job anew, and not by its token."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import change_rows


def change(db, job, now_ms, **new):
    return change_rows(db, "task_id = ? AND worker = ? AND status = 'working'", (job.task_id, job.worker), now_ms, **new) == 1
