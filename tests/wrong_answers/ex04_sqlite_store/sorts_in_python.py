# caught by: lists_by_index/scans
"""Reads everything and sorts it in Python."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def page(self, session, after=(0, ""), limit=50):
        with self.connection() as db:
            tasks = [self.parse(record) for record, in db.execute("SELECT record FROM tasks").fetchall()]
        mine = sorted((task.created_at_ms, task.id, task) for task in tasks if task.session == session)
        return [task for task in (self.settle(task) for *key, task in mine if tuple(key) > after) if task][:limit]
