# caught by: decides/must_is_a_task
"""Refuses for what must be a task, and then goes by the preference."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def becomes_task(tool, arguments, capabilities):
    if tool.task_support == "forbidden":
        return False
    if tool.task_support == "required" or tool.must_be_task(arguments):
        require_tasks(capabilities)
    return declares_tasks(capabilities) and (tool.task_support == "required" or tool.prefers_task(arguments))
