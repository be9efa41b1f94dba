# caught by: cancel_again/again_raises
"""A second cancel is an error."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def cancel(store, task_id):
    task = store.get(task_id)
    if task and task.cancel_requested:
        raise ValueError("cancelled already")
    return store.change(task_id, main.cancel_asked) or store.get(task_id)
