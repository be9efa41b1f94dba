# caught by: takes_the_lock_first/deferred
"""BEGIN alone takes no lock until the first write."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    @contextlib.contextmanager
    def transaction(self, durable=True):
        with self.connection() as db:
            db.execute("PRAGMA synchronous = FULL")
            db.execute("BEGIN")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")
