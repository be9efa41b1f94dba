# caught by: has_one_door/no_update_is_lost
"""Reads first, begins later: another writer comes between."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def change(self, task_id, update):
        with self.connection() as db:
            task = self.read(db, task_id)
        if task is None or task.finished or task.server != self.server:
            return None
        late = self.now_ms() >= task.expires_at_ms
        new = main.expired(task, self.now_ms()) if late else update(task)
        if new is None or new.get("state", task.state) not in main.NEXT_STATES[task.state]:
            return None
        changed = main.changed(task, self.now_ms(), **new)
        with self.transaction() as db:
            won = self.save(db, changed)
        if won:
            self.tell(changed)
        return changed if won and not late else None
