# caught by: gates_each_request/undeclared
"""Says that the method does not exist."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def require_tasks(capabilities):
    if not declares_tasks(capabilities):
        raise RpcError(main.METHOD_NOT_FOUND, "no such method")


def becomes_task(tool, arguments, capabilities):
    return solved.becomes_task(tool, arguments, capabilities)
