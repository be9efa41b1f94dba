# caught by: keeps_the_finished/finished_changed
"""Fails finished tasks too."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def reload(store):
    found = main.Reload()
    for task_id in list(store.task_ids()):
        task = store.load(task_id)
        store.write(main.changed(task, store.now_ms(), **main.crashed()), durable=True)
        store.remember(task)
        found.tasks += 1
        found.orphans.append(task_id)
    return found
