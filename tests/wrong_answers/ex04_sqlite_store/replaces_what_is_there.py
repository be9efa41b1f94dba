# caught by: creates_and_reads/an_id_can_be_created_once_only
"""Overwrites the first task with the second."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def create(self, task):
        with self.writing, self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO tasks (id, session, state, created_at_ms, expires_at_ms, record) VALUES (?, ?, ?, ?, ?, ?)",
                       (task.id, task.session, task.state, task.created_at_ms, task.expires_at_ms, task.to_json()))
        self.tell(task)
