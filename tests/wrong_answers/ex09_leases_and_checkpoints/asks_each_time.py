# caught by: cancels_in_every_state/asked_again
"""Writes down the time of the last request, and forgets the first."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import WORKED_OFF, change_rows


def cancel(db, task_id, now_ms):
    free = "task_id = ? AND (status = 'input_required' OR status = 'working' AND worker IS NULL)"
    if change_rows(db, free, (task_id,), now_ms, status="cancelled", cancel_requested_at=now_ms, **WORKED_OFF):
        db.execute("DELETE FROM mcp_outbox WHERE task_id = ?", (task_id,))
    change_rows(db, "task_id = ? AND status = 'working'", (task_id,), now_ms, cancel_requested_at=now_ms)
