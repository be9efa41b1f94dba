# caught by: a_living_worker_keeps_its_job/lost_alive
"""Shows one sign of life, and the same one each time."""
from lessons.ex09_leases_and_checkpoints.solution import *


def renew(db, job):
    return db.execute(f"UPDATE mcp_tasks SET beat = 1 WHERE {HELD}", (job.task_id, job.token)).rowcount == 1
