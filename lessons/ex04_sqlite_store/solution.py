"""Exercise 4, solved: the task store on SQLite that `main.py serve --store FILE.db` runs on.

Unlike FileStore it has no index of its own to keep: SQLite has one.
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

    SCHEMA = """
        CREATE TABLE IF NOT EXISTS tasks (
            id               TEXT PRIMARY KEY,
            session          TEXT NOT NULL,
            state            TEXT NOT NULL CHECK (state IN ('working', 'input_required', 'completed', 'failed', 'cancelled')),
            created_at_ms    INTEGER NOT NULL,
            expires_at_ms    INTEGER NOT NULL,
            cancel_requested INTEGER NOT NULL DEFAULT 0,
            record           TEXT NOT NULL);
        CREATE INDEX IF NOT EXISTS tasks_of_a_session ON tasks (session, created_at_ms, id);
        CREATE INDEX IF NOT EXISTS tasks_by_expiry ON tasks (expires_at_ms);
    """

    @contextlib.contextmanager
    def transaction(self, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """All or nothing.  IMMEDIATE takes the write lock at once, so nothing read here can be
        overtaken; a transaction that only later wants to write is told "database is locked"."""
        with self.connection() as db:
            db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    def create(self, task: Task) -> None:
        """Remembers a new task, durably.  The primary key judges whether the id is taken."""
        with self.writing:
            try:
                with self.transaction() as db:
                    db.execute("INSERT INTO tasks (id, session, state, created_at_ms, expires_at_ms, record) VALUES (?, ?, ?, ?, ?, ?)",
                               (task.id, task.session, task.state, task.created_at_ms, task.expires_at_ms, task.to_json()))
            except main.StoreError as error:
                if isinstance(error.__cause__, sqlite3.IntegrityError):
                    raise main.TaskExists(f"task {task.id} exists already") from None
                raise
            self.tell(task)

    def change(self, task_id: str, update: Callable[[Task], dict | None]) -> Task | None:
        """The one door: read, decide and write in one transaction, then tell."""
        with self.writing:
            with self.transaction() as db:
                task = self.read(db, task_id)
                if task is None or task.finished or task.server != self.server:
                    return None
                late = self.now_ms() >= task.expires_at_ms
                new = main.expired(task, self.now_ms()) if late else update(task)
                if new is None or new.get("state", task.state) not in main.NEXT_STATES[task.state]:
                    return None
                changed = main.changed(task, self.now_ms(), **new)
                if not self.save(db, changed):
                    return None
            self.tell(changed)
            return None if late else changed

    def page(self, session: str, after: tuple[int, str] = (0, ""), limit: int = 50) -> list[Task]:
        """A session's tasks, oldest first, beginning behind (created_at_ms, id): one walk along an index."""
        with self.connection() as db:
            rows = db.execute("SELECT record FROM tasks WHERE session = ? AND (created_at_ms, id) > (?, ?) "
                              "AND (expires_at_ms > ? OR state IN ('working', 'input_required')) "
                              "ORDER BY created_at_ms, id LIMIT ?", (session, *after, self.now_ms(), limit)).fetchall()
        return self.settle_all([record for record, in rows])
