# caught by: cancels_in_every_state/still_waiting
"""Cancels the task, and leaves its job in the outbox."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import WORKED_OFF, change_rows


def cancel(db, task_id, now_ms):
    free = "task_id = ? AND (status = 'input_required' OR status = 'working' AND worker IS NULL)"
    change_rows(db, free, (task_id,), now_ms, status="cancelled", cancel_requested_at=now_ms, **WORKED_OFF)
    change_rows(db, "task_id = ? AND status = 'working' AND cancel_requested_at IS NULL", (task_id,), now_ms, cancel_requested_at=now_ms)
