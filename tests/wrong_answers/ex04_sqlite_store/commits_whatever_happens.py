# caught by: rolls_back/half_kept
"""Commits also what a block has broken off."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    @contextlib.contextmanager
    def transaction(self, durable=True):
        with self.connection() as db:
            db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            finally:
                db.execute("COMMIT")
