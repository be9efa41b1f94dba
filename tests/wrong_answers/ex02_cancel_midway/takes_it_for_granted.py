# caught by: cancel_by_state/unknown_raises
"""Takes it for granted that the task is there."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def cancel(store, task_id):
    task = store.get(task_id)
    if task.finished:
        return task
    return store.change(task_id, main.cancel_asked)
