# caught by: gates_each_request/no_data
"""Lists what is missing, where an object is wanted."""
import main
from lessons.ex07_task_handles import solution as solved
from lessons.ex07_task_handles.solution import *


def require_tasks(capabilities):
    if not declares_tasks(capabilities):
        raise RpcError(MISSING_CAPABILITY, "missing", {"requiredCapabilities": [EXTENSION]})
