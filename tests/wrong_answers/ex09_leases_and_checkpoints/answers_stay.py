# caught by: cancels_in_every_state/not_worked_off
"""Cancels the task, and keeps the answers that it was given."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import change_rows


def cancel(db, task_id, now_ms):
    free = "task_id = ? AND (status = 'input_required' OR status = 'working' AND worker IS NULL)"
    if change_rows(db, free, (task_id,), now_ms, status="cancelled", cancel_requested_at=now_ms):
        db.execute("DELETE FROM mcp_outbox WHERE task_id = ?", (task_id,))
    change_rows(db, "task_id = ? AND status = 'working' AND cancel_requested_at IS NULL", (task_id,), now_ms, cancel_requested_at=now_ms)
