# caught by: shows_every_status/values
"""Never tells when a task last changed."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def detailed_task(job):
    return {**solved.detailed_task(job), "lastUpdatedAt": main.iso(job.created_at)}


def get_task_result(job):
    return {"resultType": "complete", **detailed_task(job)}
