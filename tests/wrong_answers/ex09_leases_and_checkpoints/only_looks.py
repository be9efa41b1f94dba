# caught by: writes_with_its_token/not_written
"""Looks whether it still holds the job, and leaves no sign of life."""
from lessons.ex09_leases_and_checkpoints.solution import *


def renew(db, job):
    return db.execute(f"SELECT 1 FROM mcp_tasks WHERE {HELD}", (job.task_id, job.token)).fetchone() is not None
