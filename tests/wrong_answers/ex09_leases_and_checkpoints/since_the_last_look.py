# caught by: notices_silence/unnoticed
"""Counts from its last look, and not from the last sign of life."""
from lessons.ex09_leases_and_checkpoints.solution import *


def overdue(leases, seen, now_ms, lease_ms):
    late = [task_id for task_id, life in leases.items() if task_id in seen and seen[task_id][0] == life and now_ms - seen[task_id][1] >= lease_ms]
    seen.clear()
    seen.update({task_id: (life, now_ms) for task_id, life in leases.items()})
    return late
