# caught by: lists_by_index/a_session_lists_its_own_tasks_in_order
"""Lists the tasks of all sessions."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def page(self, session, after=(0, ""), limit=50):
        with self.connection() as db:
            rows = db.execute("SELECT record FROM tasks WHERE (created_at_ms, id) > (?, ?) ORDER BY created_at_ms, id LIMIT ?",
                              (*after, limit)).fetchall()
        return [task for task in (self.settle(self.parse(record)) for record, in rows) if task]
