# caught by: writes_with_its_token/wrong_state
"""Shows signs of life for a job that is over."""
from lessons.ex09_leases_and_checkpoints.solution import *


def renew(db, job):
    mine = "task_id = ? AND fencing_token = ? AND worker IS NOT NULL"
    return db.execute(f"UPDATE mcp_tasks SET beat = beat + 1 WHERE {mine}", (job.task_id, job.token)).rowcount == 1
