# caught by: reads_on_after_damage/stops_at_damage
"""One bad file stops everything."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def reload(store):
    found = main.Reload()
    for task_id in list(store.task_ids()):
        task = store.load(task_id)
        if not task.finished and not store.presence.lives(task.server):
            task = main.changed(task, store.now_ms(), **main.crashed())
            store.write(task, durable=True)
            found.orphans.append(task_id)
        store.remember(task)
        found.tasks += 1
    return found
