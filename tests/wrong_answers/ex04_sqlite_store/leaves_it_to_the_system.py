# caught by: takes_the_lock_first/not_durable
"""Commits without waiting for the disk."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    @contextlib.contextmanager
    def transaction(self, durable=True):
        with self.connection() as db:
            db.execute("PRAGMA synchronous = OFF")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")
