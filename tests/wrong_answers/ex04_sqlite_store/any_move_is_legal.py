# caught by: has_one_door/every_legal_move_works_and_no_other
"""Never looks at the table of legal moves."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def change(self, task_id, update):
        with self.writing:
            with self.transaction() as db:
                task = self.read(db, task_id)
                if task is None or task.server != self.server:
                    return None
                late = self.now_ms() >= task.expires_at_ms
                new = main.expired(task, self.now_ms()) if late else update(task)
                if new is None:
                    return None
                changed = main.changed(task, self.now_ms(), **new)
                self.save(db, changed)
            self.tell(changed)
            return None if late else changed
