# caught by: gates_each_request/undeclared
"""Lets everybody ask for tasks."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def require_tasks(capabilities):
    pass


def becomes_task(tool, arguments, capabilities):
    return solved.becomes_task(tool, arguments, capabilities)
