# caught by: writes_with_its_token/beats_aloud
"""Tells every listener of every sign of life."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import change_rows


def renew(db, job):
    row = db.execute("SELECT beat, updated_at FROM mcp_tasks WHERE task_id = ?", (job.task_id,)).fetchone()
    return change_rows(db, HELD, (job.task_id, job.token), row[1], beat=row[0] + 1) == 1
