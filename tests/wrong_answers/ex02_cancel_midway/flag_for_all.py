# caught by: cancel_by_state/queued_runs
"""Sets the flag in every state; a queued task waits for a worker only to die."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def cancel(store, task_id):
    return store.change(task_id, lambda task: {"cancel_requested": True}) or store.get(task_id)
