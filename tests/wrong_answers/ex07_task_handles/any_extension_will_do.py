# caught by: gates_each_request/undeclared
"""Takes any mention of extensions for a yes."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def declares_tasks(capabilities):
    return bool(capabilities.get("extensions"))


def require_tasks(capabilities):
    if not declares_tasks(capabilities):
        solved.require_tasks({})
