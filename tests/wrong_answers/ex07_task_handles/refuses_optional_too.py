# caught by: decides/task_for_a_stranger
"""Has no bounded path at all."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def becomes_task(tool, arguments, capabilities):
    if tool.task_support == "forbidden" or not tool.prefers_task(arguments) and tool.task_support == "optional":
        return False
    return True
