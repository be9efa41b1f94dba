# caught by: rolls_back/told_too_early
"""Tells the listeners before the change is committed."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def change(self, task_id, update):
        with self.writing, self.transaction() as db:
            task = self.read(db, task_id)
            if task is None or task.finished or task.server != self.server:
                return None
            late = self.now_ms() >= task.expires_at_ms
            new = main.expired(task, self.now_ms()) if late else update(task)
            if new is None or new.get("state", task.state) not in main.NEXT_STATES[task.state]:
                return None
            changed = main.changed(task, self.now_ms(), **new)
            self.save(db, changed)
            self.tell(changed)
            return None if late else changed
