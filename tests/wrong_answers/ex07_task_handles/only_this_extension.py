# caught by: gates_each_request/more_declared
"""Knows a client only if it declares tasks and nothing more."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def declares_tasks(capabilities):
    return capabilities.get("extensions") == {EXTENSION: {}}


def require_tasks(capabilities):
    if not declares_tasks(capabilities):
        solved.require_tasks({})
