# caught by: fails_the_orphans/still_there
"""Reports the orphans but writes nothing."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def reload(store):
    found = main.Reload()
    for task_id in list(store.task_ids()):
        task = store.load(task_id)
        if not task.finished:
            found.orphans.append(task_id)
        store.remember(task)
        found.tasks += 1
    return found
