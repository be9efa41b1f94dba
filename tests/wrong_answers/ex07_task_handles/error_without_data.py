# caught by: shows_every_status/values
"""Copies what it knows of an error."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def detailed_task(job):
    task = solved.detailed_task(job)
    if "error" in task:
        task["error"] = {"code": job.error["code"], "message": job.error["message"]}
    return task


def get_task_result(job):
    return {"resultType": "complete", **detailed_task(job)}
