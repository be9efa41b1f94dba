# caught by: decides/task_for_a_stranger
"""Gives tasks to clients that cannot handle them."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def becomes_task(tool, arguments, capabilities):
    if tool.task_support == "forbidden":
        return False
    if tool.task_support == "required" or tool.must_be_task(arguments):
        require_tasks(capabilities)
        return True
    return tool.prefers_task(arguments)
