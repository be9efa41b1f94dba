# caught by: decides/forbidden_as_task
"""Makes tasks of quick tools."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def becomes_task(tool, arguments, capabilities):
    return declares_tasks(capabilities) or solved.becomes_task(tool, arguments, capabilities)
