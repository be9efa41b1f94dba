# caught by: another_goes_on_after_a_kill/never_resumed
"""Takes what it reports out of the dict of leases, which its caller still needs."""
from lessons.ex09_leases_and_checkpoints.solution import *


def overdue(leases, seen, now_ms, lease_ms):
    for task_id in seen.keys() - leases.keys():
        del seen[task_id]
    for task_id, life in leases.items():
        if task_id not in seen or seen[task_id][0] != life:
            seen[task_id] = (life, now_ms)
    late = [task_id for task_id, (_, since) in seen.items() if now_ms - since >= lease_ms]
    for task_id in late:
        del leases[task_id]
    return late
