# caught by: shows_every_status/wrong_payload
"""Leaves the result out: there used to be tasks/result."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def get_task_result(job):
    return {key: value for key, value in solved.get_task_result(job).items() if key != "result"}
