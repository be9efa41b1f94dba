# caught by: cancel_against_complete/decided_too_early
"""Decides by an old look what the change will be."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def cancel(store, task_id):
    task = store.get(task_id)
    if task is None or task.finished:
        return task
    new = {"cancel_requested": True} if task.started else {"state": "cancelled"}
    return store.change(task_id, lambda task: new) or store.get(task_id)
