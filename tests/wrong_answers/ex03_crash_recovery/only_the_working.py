# caught by: fails_the_orphans/still_there
"""Forgets the tasks that waited for input."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def reload(store):
    found = main.Reload()
    for task_id in list(store.task_ids()):
        task = store.load(task_id)
        if task.state == "working" and not store.presence.lives(task.server):
            store.write(main.changed(task, store.now_ms(), **main.crashed()), durable=True)
            found.orphans.append(task_id)
        store.remember(task)
        found.tasks += 1
    return found
