"""What exercise 4 is given: connections, and the parts of the store contract that are not SQL.

The task table of the 2026 server borrows its connections here too.

Unlike FileStore, this store holds no task in memory: the database is the truth, and a
read costs one SELECT.  The tables, the transaction, and create, change and page are the
exercise.
"""
from __future__ import annotations

import collections
import contextlib
import os
import pathlib
import sqlite3
import threading
import time
from typing import Callable, Iterator

import main
from main import StoreError, Task

IDLE_CONNECTIONS = 8
BUSY_TIMEOUT_S = 10.0             # how long to wait for another process's transaction


def private_file(path: pathlib.Path) -> None:
    """Makes a file that its owner alone can read, before SQLite does: it gives its side files the same mode."""
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        path.chmod(0o600)
    except OSError as error:
        raise StoreError(f"{path} cannot be a database ({error.strerror}); choose another place") from None


class Connections:
    """Open connections to one SQLite file.  Whoever borrows one has it alone."""

    def __init__(self, file: pathlib.Path, first: str = ""):
        """`first`: what each new connection is told, for example 'PRAGMA synchronous = FULL'."""
        self._file, self._first = file, first
        self._idle: collections.deque[sqlite3.Connection] = collections.deque()      # pop and append are atomic

    @contextlib.contextmanager
    def borrow(self) -> Iterator[sqlite3.Connection]:
        """A connection for this block.  Raises StoreError for whatever SQLite says in it."""
        try:
            try:
                db = self._idle.pop()
            except IndexError:
                db = sqlite3.connect(self._file, BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False)
                db.executescript(self._first)
            try:
                yield db
            finally:
                self._idle.append(db)
                if len(self._idle) > IDLE_CONNECTIONS:
                    self.close_one()
        except sqlite3.Error as error:
            raise StoreError(f"the database {self._file.name} failed: {error}") from error

    def close_one(self) -> bool:
        """Closes an idle connection; whether there was one."""
        with contextlib.suppress(IndexError):
            self._idle.popleft().close()
            return True
        return False

    def close(self) -> None:
        """Closes all that are idle."""
        while self.close_one():
            pass


class SqliteBase(main.Store):
    """A task store on one SQLite file, without its SQL.

    A subclass gives SCHEMA, and the methods transaction, create, change and page.  `tasks`
    must have the columns id, state, expires_at_ms, cancel_requested and record (Task.to_json).
    """
    SCHEMA = ""

    def __init__(self, file: str | os.PathLike, clock: Callable[[], float] = time.time):
        """`file`: the database, made if it is not there.  Beside it a folder shows which servers live."""
        self.file = pathlib.Path(file)
        super().__init__(self.file.with_name(self.file.name + ".servers"), clock)
        self._connections = Connections(self.file)
        self.writing = threading.RLock()       # in one process, writers take turns here rather than in SQLite
        self.trace: Callable[[str], None] | None = None
        try:
            private_file(self.file)
            with self.connection() as db:
                db.execute("PRAGMA journal_mode = WAL")
                db.executescript(self.SCHEMA)
        except StoreError:
            self.close()
            raise

    @contextlib.contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection for this block, which nobody else uses meanwhile.  Raises StoreError."""
        with self._connections.borrow() as db:
            db.set_trace_callback(self.trace)
            yield db

    # ---- reading -------------------------------------------------------------------

    def read(self, db: sqlite3.Connection, task_id: str) -> Task | None:
        """The task as the database has it."""
        row = db.execute("SELECT record FROM tasks WHERE id = ?", (task_id,)).fetchone()
        return row and self.parse(row[0])

    @staticmethod
    def parse(record: str) -> Task:
        """A Task from its column.  Raises StoreError if somebody has damaged it."""
        try:
            return Task.from_json(record)
        except ValueError as error:
            raise StoreError(f"the stored task is damaged: {error}") from None

    def get(self, task_id: str) -> Task | None:
        """The task as it is now; None if there is none, or none any more."""
        if not isinstance(task_id, str) or not main.TASK_ID.fullmatch(task_id):
            return None
        with self.connection() as db:
            task = self.read(db, task_id)
        return task and self.settle(task)

    def settle(self, task: Task) -> Task | None:
        """What a row says may be out of date: its time or its server may be over."""
        if task.finished:
            return task if self.now_ms() < task.expires_at_ms else None
        if task.server == self.server:
            if self.now_ms() < task.expires_at_ms:
                return task
            self.change(task.id, lambda task: None)           # a look at an expired task is what expires it
            return self.get(task.id)
        return task if self.presence.lives(task.server) else self.fail_orphan(task)

    # ---- writing -------------------------------------------------------------------

    def save(self, db: sqlite3.Connection, task: Task) -> bool:
        """Replaces a task's row, if it still is the revision before; whether it was."""
        changed = db.execute("UPDATE tasks SET state = ?, expires_at_ms = ?, record = ? "
                             "WHERE id = ? AND json_extract(record, '$.revision') = ?",
                             (task.state, task.expires_at_ms, task.to_json(), task.id, task.revision - 1))
        return changed.rowcount == 1

    def fail_orphan(self, task: Task) -> Task | None:
        """The process that ran this task is gone, and nobody will go on with it."""
        with self.writing:
            failed = main.changed(task, self.now_ms(), **main.crashed())
            with self.transaction() as db:
                won = self.save(db, failed)
            if won:
                self.tell(failed)
        return failed if won else self.get(task.id)

    def request_cancel(self, task_id: str) -> Task | None:
        """Asks whoever runs the task to stop, and returns it as it is now."""
        task = self.change(task_id, main.cancel_asked) or self.get(task_id)
        if task and not task.finished and task.server != self.server:
            with self.writing, self.transaction() as db:
                db.execute("UPDATE tasks SET cancel_requested = 1 WHERE id = ?", (task_id,))
        return task

    def sweep(self) -> None:
        """Expires what is due, and passes on the cancels that other servers left for us."""
        with self.connection() as db:
            asked = db.execute("SELECT id FROM tasks WHERE cancel_requested AND state IN ('working', 'input_required')").fetchall()
            due = db.execute("SELECT id, state FROM tasks WHERE expires_at_ms <= ?", (self.now_ms(),)).fetchall()
        for (task_id,) in asked:
            with contextlib.suppress(StoreError):              # a damaged row does not stop the others
                self.change(task_id, lambda task: None if task.cancel_requested else main.cancel_asked(task))
        for task_id, state in due:
            if state not in main.TERMINAL:
                self.expire(task_id)
        if any(state in main.TERMINAL for _, state in due):
            with self.writing, self.transaction(durable=False) as db:
                db.execute("DELETE FROM tasks WHERE expires_at_ms <= ? AND state IN ('completed', 'failed', 'cancelled')", (self.now_ms(),))

    def expire(self, task_id: str) -> None:
        """Ends a live task whose time is over; one whose row is damaged goes at once."""
        try:
            self.get(task_id)
        except StoreError as error:
            main.log.warning("%s has expired and is removed: %s", task_id, error)
            with self.writing, self.transaction(durable=False) as db:
                db.execute("DELETE FROM tasks WHERE id = ? AND expires_at_ms <= ?", (task_id, self.now_ms()))

    def settle_all(self, records: list[str]) -> list[Task]:
        """Tasks from their columns, each as it is now; what is damaged or over is left out."""
        tasks = []
        for record in records:
            with contextlib.suppress(StoreError):
                tasks += filter(None, [self.settle(self.parse(record))])
        return tasks

    def reload(self) -> main.Reload:
        """After a start: tasks of dead servers fail, expired ones go."""
        found = main.Reload()
        with self.presence.alone(), self.connection() as db:
            rows = db.execute("SELECT id, state FROM tasks").fetchall()
        for task_id, state in rows:
            try:
                task = self.get(task_id)
            except StoreError:
                found.damaged.append(task_id)
                continue
            found.tasks += task is not None
            found.expired += task is None
            if task and task.finished and state not in main.TERMINAL:
                found.orphans.append(task_id)
        self.sweep()
        with self.presence.alone():
            self.presence.tidy()
        return found

    def close(self) -> None:
        """Closes every connection and lets go: from now on this server counts as dead."""
        self._connections.close()
        super().close()
