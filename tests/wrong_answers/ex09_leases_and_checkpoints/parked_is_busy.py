# caught by: cancels_in_every_state/not_at_once
"""Leaves a job that waits for an answer to a worker, and no worker has it."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import WORKED_OFF, change_rows


def cancel(db, task_id, now_ms):
    free = "task_id = ? AND status = 'working' AND worker IS NULL"
    if change_rows(db, free, (task_id,), now_ms, status="cancelled", cancel_requested_at=now_ms, **WORKED_OFF):
        db.execute("DELETE FROM mcp_outbox WHERE task_id = ?", (task_id,))
    live = "task_id = ? AND status IN ('working', 'input_required') AND cancel_requested_at IS NULL"
    change_rows(db, live, (task_id,), now_ms, cancel_requested_at=now_ms)
