# caught by: shows_every_status/wrong_payload
"""Sends result and error with every status."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def get_task_result(job):
    return {**solved.get_task_result(job), "result": job.result, "error": job.error}
