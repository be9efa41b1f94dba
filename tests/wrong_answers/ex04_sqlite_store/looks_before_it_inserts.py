# caught by: creates_and_reads/of_many_threads_one_creates
"""Looks whether the id is free, and then inserts: two steps."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    SCHEMA = Solved.SCHEMA.replace("TEXT PRIMARY KEY", "TEXT")

    def create(self, task):
        if self.get(task.id):
            raise main.TaskExists(task.id)
        time.sleep(0.001)
        with self.transaction() as db:
            db.execute("INSERT INTO tasks (id, session, state, created_at_ms, expires_at_ms, record) VALUES (?, ?, ?, ?, ?, ?)",
                       (task.id, task.session, task.state, task.created_at_ms, task.expires_at_ms, task.to_json()))
        self.tell(task)
