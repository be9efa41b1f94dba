# caught by: hands_out_a_flat_task/not_a_task
"""Announces a task like any result."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def create_task_result(job):
    return {**solved.create_task_result(job), "resultType": "complete"}
