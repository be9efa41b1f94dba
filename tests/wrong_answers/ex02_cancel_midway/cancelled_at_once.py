# caught by: cancel_by_state/too_eager
"""Calls a running task cancelled while its worker works on."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def cancel(store, task_id):
    return store.change(task_id, lambda task: {"state": "cancelled"}) or store.get(task_id)
