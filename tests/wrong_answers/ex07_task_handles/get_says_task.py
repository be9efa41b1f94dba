# caught by: shows_every_status/not_complete
"""Believes the two examples that say "task"."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def get_task_result(job):
    return {**solved.get_task_result(job), "resultType": "task"}
