# caught by: notices_silence/remembers_the_dead
"""Remembers every lease that it has ever seen."""
from lessons.ex09_leases_and_checkpoints.solution import *


def overdue(leases, seen, now_ms, lease_ms):
    for task_id, life in leases.items():
        if task_id not in seen or seen[task_id][0] != life:
            seen[task_id] = (life, now_ms)
    return [task_id for task_id in leases if now_ms - seen[task_id][1] >= lease_ms]
