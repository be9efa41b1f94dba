# caught by: shows_every_status/wrong_status
"""Calls a tool's own error a failed task."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def get_task_result(job):
    failed = bool(job.result and job.result.get("isError"))
    return {**solved.get_task_result(job), **({"status": "failed"} if failed else {})}
