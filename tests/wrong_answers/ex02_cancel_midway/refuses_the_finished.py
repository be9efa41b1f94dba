# caught by: cancel_by_state/finished_changed
"""Answers a cancel of a finished task with nothing."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def cancel(store, task_id):
    return store.change(task_id, main.cancel_asked)
