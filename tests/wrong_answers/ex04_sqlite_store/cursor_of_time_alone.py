# caught by: lists_by_index/a_page_misses_nothing_made_at_the_same_moment
"""Turns pages by time alone."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def page(self, session, after=(0, ""), limit=50):
        with self.connection() as db:
            rows = db.execute("SELECT record FROM tasks WHERE session = ? AND created_at_ms > ? ORDER BY created_at_ms, id LIMIT ?",
                              (session, after[0], limit)).fetchall()
        return self.settle_all([record for record, in rows])
