# caught by: notices_silence/too_soon
"""Takes the milliseconds of a lease for its seconds."""
from lessons.ex09_leases_and_checkpoints.solution import *


def overdue(leases, seen, now_ms, lease_ms):
    for task_id in seen.keys() - leases.keys():
        del seen[task_id]
    for task_id, life in leases.items():
        if task_id not in seen or seen[task_id][0] != life:
            seen[task_id] = (life, now_ms)
    return [task_id for task_id, (_, since) in seen.items() if now_ms - since >= lease_ms / 1000]
