"""Exercise 4: the same store, on SQLite.

SqliteBase (lessons/sqlite_base.py) has the connections, and everything that is no SQL.  You
write the table, the transaction, and three methods.  What you are given:
    with self.connection() as db:     a sqlite3 connection in autocommit mode
    self.read(db, task_id)            the Task in a row, or None
    self.save(db, task)               replaces a row; False if somebody was faster
    self.settle_all(records)          the Tasks in some records, each as it is now: its time or server may be over
    self.now_ms(), self.tell(task)    the clock; tells the listeners of a change
    with self.writing:                one writer at a time in this process
"""
from __future__ import annotations

import contextlib
import sqlite3
from typing import Callable, Iterator

import main
from lessons.sqlite_base import SqliteBase
from main import Task


class SqliteStore(SqliteBase):
    """The store contract (main.py, Store) on one SQLite file."""

    # The columns that SqliteBase needs are here.  Say what is unique, and add an index for
    # "all tasks of a session, oldest first".
    SCHEMA = """
        CREATE TABLE IF NOT EXISTS tasks (
            id               TEXT,
            session          TEXT NOT NULL,
            state            TEXT NOT NULL,
            created_at_ms    INTEGER NOT NULL,
            expires_at_ms    INTEGER NOT NULL,
            cancel_requested INTEGER NOT NULL DEFAULT 0,
            record           TEXT NOT NULL);
    """

    @contextlib.contextmanager
    def transaction(self, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """All or nothing: commits at the end of the block, rolls back if it raises.

        With `durable`, PRAGMA synchronous must be FULL, so that COMMIT waits for the disk.
        Which kind of BEGIN takes the write lock before you read what you are going to change?
        """
        raise NotImplementedError("transaction")
        yield

    def create(self, task: Task) -> None:
        """Inserts a new task; raises main.TaskExists if the id is taken; then tells.

        A failed INSERT arrives as main.StoreError, whose __cause__ is sqlite3.IntegrityError.
        """
        raise NotImplementedError("create")

    def change(self, task_id: str, update: Callable[[Task], dict | None]) -> Task | None:
        """The one door: read, decide and write in one transaction, then tell.

        None, and nothing happens, if the task is unknown, finished, or run by another server
        (task.server), if update(task) gives None, or if the state it gives is not in
        main.NEXT_STATES.  A task whose time is over becomes main.changed(task, now,
        **main.expired(task, now)) instead, and the answer is None too.
        """
        raise NotImplementedError("change")

    def page(self, session: str, after: tuple[int, str] = (0, ""), limit: int = 50) -> list[Task]:
        """At most `limit` of a session's tasks, oldest first, behind (created_at_ms, id), each settled.

        A finished task whose time is over counts for nothing, also not for the limit.
        """
        raise NotImplementedError("page")
