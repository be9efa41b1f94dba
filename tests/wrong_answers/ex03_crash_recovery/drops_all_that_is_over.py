# caught by: drops_the_expired/drops_the_living
"""Removes every task whose time is over, whoever works on it."""
import os
import pathlib
import tempfile

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def reload(store):
    over, damaged = [], []
    for task_id in list(store.task_ids()):
        try:
            task = store.load(task_id)
        except main.StoreError:
            damaged.append(task_id)
            continue
        if task and not task.finished and store.now_ms() >= task.expires_at_ms:
            store.forget(task_id)
            over.append(task_id)
    found = solved(store)
    found.expired += len(over)
    found.damaged += damaged
    return found
