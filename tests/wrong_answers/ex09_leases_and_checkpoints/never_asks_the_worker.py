# caught by: cancels_in_every_state/not_asked
"""Cancels what is free, and never asks the worker of what is held."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import WORKED_OFF, change_rows


def cancel(db, task_id, now_ms):
    free = "task_id = ? AND (status = 'input_required' OR status = 'working' AND worker IS NULL)"
    if change_rows(db, free, (task_id,), now_ms, status="cancelled", cancel_requested_at=now_ms, **WORKED_OFF):
        db.execute("DELETE FROM mcp_outbox WHERE task_id = ?", (task_id,))
