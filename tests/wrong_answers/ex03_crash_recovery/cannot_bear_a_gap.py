# caught by: drops_the_expired/gone_meanwhile
"""Takes it for granted that a task is still there."""
import os
import pathlib
import tempfile

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def reload(store):
    found = main.Reload()
    for task_id in list(store.task_ids()):
        try:
            task = store.load(task_id)
        except main.StoreError:
            found.damaged.append(task_id)
            continue
        if task.finished and store.now_ms() >= task.expires_at_ms:
            store.forget(task_id)
            found.expired += 1
            continue
        if not task.finished and not store.presence.lives(task.server):
            task = main.changed(task, store.now_ms(), **main.crashed())
            store.write(task, durable=True)
            found.orphans.append(task_id)
        store.remember(task)
        found.tasks += 1
    return found
