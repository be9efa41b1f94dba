# caught by: cancels_in_every_state/ends_a_held_one
"""Cancels a job under the hands of its worker."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import WORKED_OFF, change_rows


def cancel(db, task_id, now_ms):
    free = "task_id = ? AND status IN ('working', 'input_required')"
    if change_rows(db, free, (task_id,), now_ms, status="cancelled", cancel_requested_at=now_ms, **WORKED_OFF):
        db.execute("DELETE FROM mcp_outbox WHERE task_id = ?", (task_id,))
    change_rows(db, "task_id = ? AND status = 'working' AND cancel_requested_at IS NULL", (task_id,), now_ms, cancel_requested_at=now_ms)
