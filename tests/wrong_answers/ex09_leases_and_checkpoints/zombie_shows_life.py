# caught by: writes_with_its_token/zombie_writes
"""Takes a sign of life from any worker of the job."""
from lessons.ex09_leases_and_checkpoints.solution import *


def renew(db, job):
    return db.execute("UPDATE mcp_tasks SET beat = beat + 1 WHERE task_id = ? AND status = 'working' AND worker IS NOT NULL", (job.task_id,)).rowcount == 1
