# caught by: takes_back_what_was_lost/still_waiting
"""Puts the job into the outbox before it looks at the attempts."""
import main
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import WORKED_OFF, change_rows, dumps, enqueue


def take_back(db, task_id, life, now_ms):
    guard, values = f"{HELD} AND beat = ?", (task_id, *life)
    row = db.execute(f"SELECT attempts FROM mcp_tasks WHERE {guard}", values).fetchone()
    if row is None:
        return False
    enqueue(db, task_id)
    if row[0] < MAX_ATTEMPTS:
        change_rows(db, guard, values, now_ms, worker=None, status_message="its worker was lost")
    else:
        given_up = main.failure("WORKER_LOST", "all workers were lost")["error"]
        change_rows(db, guard, values, now_ms, worker=None, status="failed", error_json=dumps(given_up), **WORKED_OFF)
    return True
