# caught by: decides/not_refused
"""Runs a slow tool at once for a client without tasks."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def becomes_task(tool, arguments, capabilities):
    return declares_tasks(capabilities) and solved.becomes_task(tool, arguments, capabilities)
