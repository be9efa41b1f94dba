# caught by: writes_with_its_token/refused_its_own
"""Refuses the worker of a task that somebody wants cancelled."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import change_rows


def change(db, job, now_ms, **new):
    return change_rows(db, HELD + " AND cancel_requested_at IS NULL", (job.task_id, job.token), now_ms, **new) == 1
