# caught by: hands_out_a_flat_task/wrong_keys
"""Uses last year's names for the times."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def create_task_result(job):
    fields = solved.create_task_result(job)
    return {**{key: value for key, value in fields.items() if key not in ("ttlMs", "pollIntervalMs")}, "ttl": job.ttl_ms, "pollInterval": 2000}
