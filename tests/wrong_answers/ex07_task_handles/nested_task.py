# caught by: hands_out_a_flat_task/nested
"""Wraps the task, as last year."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def create_task_result(job):
    return {"resultType": "task", "task": task_fields(job)}
