# caught by: decides/not_the_tools_choice
"""Makes a task whenever the client could handle one."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def becomes_task(tool, arguments, capabilities):
    return solved.becomes_task(tool, arguments, capabilities) or (tool.task_support == "optional" and declares_tasks(capabilities))
