# caught by: takes_back_what_was_lost/not_taken
"""Takes the beat for the token, and the token for the beat."""
from lessons.ex09_leases_and_checkpoints import solution as solved
from lessons.ex09_leases_and_checkpoints.solution import *


def take_back(db, task_id, life, now_ms):
    beat, token = life
    return solved.take_back(db, task_id, (token, beat), now_ms)
