# caught by: lists_by_index/a_page_shows_tasks_as_they_are_now
"""Believes the rows."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def page(self, session, after=(0, ""), limit=50):
        with self.connection() as db:
            rows = db.execute("SELECT record FROM tasks WHERE session = ? AND (created_at_ms, id) > (?, ?) AND expires_at_ms > ? "
                              "ORDER BY created_at_ms, id LIMIT ?", (session, *after, self.now_ms(), limit)).fetchall()
        return [self.parse(record) for record, in rows]
