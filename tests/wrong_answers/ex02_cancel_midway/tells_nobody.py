# caught by: cancel_by_state/not_asked
"""Changes nothing for a running task."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def cancel(store, task_id):
    return store.change(task_id, lambda task: None if task.started else {"state": "cancelled"}) or store.get(task_id)
