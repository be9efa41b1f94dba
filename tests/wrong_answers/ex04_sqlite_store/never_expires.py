# caught by: keeps_time/a_live_task_that_expires_fails_first
"""Lets a task live on after its time."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def change(self, task_id, update):
        with self.writing:
            with self.transaction() as db:
                task = self.read(db, task_id)
                if task is None or task.finished or task.server != self.server:
                    return None
                new = update(task)
                if new is None or new.get("state", task.state) not in main.NEXT_STATES[task.state]:
                    return None
                changed = main.changed(task, self.now_ms(), **new)
                self.save(db, changed)
            self.tell(changed)
            return changed

    def settle(self, task):
        if not task.finished and task.server == self.server:
            return task
        return super().settle(task)
