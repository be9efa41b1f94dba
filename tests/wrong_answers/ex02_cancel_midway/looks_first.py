# caught by: cancel_against_complete/none_in_a_race
"""Looks first and changes later; in between the task may end."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def cancel(store, task_id):
    task = store.get(task_id)
    if task is None or task.finished:
        return task
    return store.change(task_id, main.cancel_asked)
