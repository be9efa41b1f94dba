# caught by: writes_with_its_token/nobody_hears
"""Writes with an UPDATE of its own, which no listener hears of."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import dumps, enqueue


def change(db, job, now_ms, **new):
    columns = ", ".join(f"{name} = ?" for name in new)
    return db.execute(f"UPDATE mcp_tasks SET {columns} WHERE {HELD}", (*new.values(), job.task_id, job.token)).rowcount == 1


def take_back(db, task_id, life, now_ms):
    row = db.execute(f"SELECT attempts FROM mcp_tasks WHERE {HELD} AND beat = ?", (task_id, *life)).fetchone()
    if row is None:
        return False
    if row[0] < MAX_ATTEMPTS:
        db.execute("UPDATE mcp_tasks SET worker = NULL WHERE task_id = ?", (task_id,))
        enqueue(db, task_id)
    else:
        db.execute("UPDATE mcp_tasks SET worker = NULL, status = 'failed', error_json = ?, checkpoint_json = '{}' WHERE task_id = ?",
                   (dumps({"code": -32603}), task_id))
    return True


def cancel(db, task_id, now_ms):
    free = "task_id = ? AND (status = 'input_required' OR status = 'working' AND worker IS NULL)"
    if db.execute(f"UPDATE mcp_tasks SET status = 'cancelled', input_requests_json = '{{}}', answers_json = '{{}}' WHERE {free}", (task_id,)).rowcount:
        db.execute("DELETE FROM mcp_outbox WHERE task_id = ?", (task_id,))
    db.execute("UPDATE mcp_tasks SET cancel_requested_at = ? WHERE task_id = ? AND status = 'working' AND cancel_requested_at IS NULL", (now_ms, task_id))
