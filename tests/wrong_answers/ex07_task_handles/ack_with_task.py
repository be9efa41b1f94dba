# caught by: acknowledges/not_empty
"""Acknowledges with more than was asked for."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def acknowledgement():
    return {"resultType": "complete", "status": "cancelled"}
