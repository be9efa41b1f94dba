"""The 2026 server's only truth: one SQLite file, and one guarded UPDATE for each change.

Unlike the store of exercise 4 it does not belong to the process that made a task.  Any
instance may read, claim and change; what keeps them apart stands in the WHERE of each
UPDATE: the state that it leaves and, for a worker, the fencing token that it holds.  A
change counts only if exactly one row changed.
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import os
import pathlib
import secrets
import sqlite3
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Iterator

import main
from lessons.sqlite_base import Connections, private_file

SCHEMA = """
    CREATE TABLE IF NOT EXISTS mcp_tasks (
        task_id             TEXT PRIMARY KEY,
        job_id              TEXT NOT NULL UNIQUE,
        tenant_id           TEXT NOT NULL,
        subject_id          TEXT NOT NULL,
        idempotency_key     TEXT NOT NULL,
        request_hash        TEXT NOT NULL,
        tool                TEXT NOT NULL,
        arguments_json      TEXT NOT NULL,
        status              TEXT NOT NULL CHECK (status IN ('working', 'input_required', 'completed', 'failed', 'cancelled')),
        status_message      TEXT NOT NULL DEFAULT '',
        progress            INTEGER NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
        revision            INTEGER NOT NULL DEFAULT 1,
        result_json         TEXT,
        error_json          TEXT,
        input_requests_json TEXT NOT NULL DEFAULT '{}',
        answers_json        TEXT NOT NULL DEFAULT '{}',
        checkpoint_json     TEXT NOT NULL DEFAULT '{}',
        effects_json        TEXT NOT NULL DEFAULT '{}',
        capabilities_json   TEXT NOT NULL DEFAULT '{}',
        cancel_requested_at INTEGER,
        created_at          INTEGER NOT NULL,
        updated_at          INTEGER NOT NULL,
        expires_at          INTEGER NOT NULL,
        ttl_ms              INTEGER NOT NULL,
        fencing_token       INTEGER NOT NULL DEFAULT 0,
        lease_until         INTEGER,
        UNIQUE (tenant_id, subject_id, idempotency_key));
    CREATE INDEX IF NOT EXISTS mcp_tasks_expires_at_idx ON mcp_tasks (expires_at);
    CREATE INDEX IF NOT EXISTS mcp_tasks_to_do_idx ON mcp_tasks (created_at) WHERE status = 'working' AND lease_until IS NULL;
    CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
"""
TTL_MS = 24 * 3_600_000
TERMINAL = "('completed', 'failed', 'cancelled')"
MINE = "task_id = ? AND tenant_id = ? AND subject_id = ?"
HELD = "task_id = ? AND fencing_token = ? AND status = 'working' AND lease_until IS NOT NULL"
NOBODY = ("public", "anonymous")      # tenant and subject of a server without authentication


@dataclass(frozen=True)
class Job:
    """A row, read.  Times are milliseconds since 1970."""
    task_id: str
    job_id: str
    owner: tuple[str, str]
    tool: str
    arguments: dict
    status: str
    message: str
    progress: int
    revision: int
    result: dict | None
    error: dict | None
    requests: dict
    answers: dict
    checkpoint: dict
    effects: dict
    capabilities: dict
    cancel_requested: bool
    created_at: int
    updated_at: int
    expires_at: int
    ttl_ms: int
    token: int

    @property
    def finished(self) -> bool:
        """Terminal states are final."""
        return self.status in main.TERMINAL

    @classmethod
    def of(cls, row: tuple) -> Job:
        """From the COLUMNS of a row."""
        (task_id, job_id, tenant, subject, tool, status, message, progress, revision, created_at, updated_at, expires_at, ttl_ms, token,
         cancel_requested_at, arguments, result, error, requests, answers, checkpoint, effects, capabilities) = row
        return cls(task_id, job_id, (tenant, subject), tool, loads(arguments), status, message, progress, revision, loads(result), loads(error),
                   loads(requests), loads(answers), loads(checkpoint), loads(effects), loads(capabilities), cancel_requested_at is not None,
                   created_at, updated_at, expires_at, ttl_ms, token)


COLUMNS = ("task_id, job_id, tenant_id, subject_id, tool, status, status_message, progress, revision, created_at, updated_at, expires_at, ttl_ms, "
           "fencing_token, cancel_requested_at, arguments_json, result_json, error_json, input_requests_json, answers_json, checkpoint_json, "
           "effects_json, capabilities_json")


def loads(text: str | None) -> Any:
    """The value of a JSON column.  Example: loads('{}') -> {}"""
    return {} if text == "{}" else text and json.loads(text)


def dumps(value: Any) -> str:
    """JSON for a column.  Raises ValueError for what JSON cannot say."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def canonical_hash(arguments: dict) -> str:
    """The same for the same arguments, in whatever order and spacing they were sent."""
    return hashlib.sha256(json.dumps(arguments, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


class TaskTable:
    """Every read and every change of a task.  Holds connections and nothing else."""

    def __init__(self, file: str | os.PathLike, clock: Callable[[], float] = time.time):
        """`file`: the database, made if it is not there.  `clock`: seconds since 1970."""
        self.file, self._clock = pathlib.Path(file), clock
        self._writing = threading.Lock()       # in one process, writers take turns here rather than in SQLite
        self._reading = threading.Lock()
        self.changed = threading.Condition()   # rings when this process has changed something
        self.connections = Connections(self.file, "PRAGMA synchronous = FULL")
        private_file(self.file)
        with self.connections.borrow() as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(SCHEMA)
            db.execute("INSERT OR IGNORE INTO secrets VALUES ('request_state', ?)", (secrets.token_bytes(32),))
            self.secret = db.execute("SELECT value FROM secrets WHERE name = 'request_state'").fetchone()[0]

    def now_ms(self) -> int:
        """The table's clock."""
        return int(self._clock() * 1000)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, under the write lock from the first statement on; then the bell rings.

        Raises main.StoreError.
        """
        with self._writing, self.connections.borrow() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")
        with self.changed:
            self.changed.notify_all()

    # ---- creation and reading ------------------------------------------------------

    def create(self, owner: tuple[str, str], tool: str, arguments: dict, capabilities: dict, answers: dict) -> Job:
        """A new task, durable on return.  `answers` were given before it existed.

        A caller that lost the answer repeats the call with the same arguments.idempotency_key and
        gets the task that is there, as it is now.  A key belongs to its owner and its tool, and
        lives as long as its task.  Raises main.RpcError if it came with other arguments before.
        """
        now, task_id, job_id = self.now_ms(), f"task_{secrets.token_hex(16)}", f"job_{secrets.token_hex(16)}"
        given = arguments.get("idempotency_key")
        key, fingerprint = job_id if given is None else f"{tool}:{given}", canonical_hash(arguments)
        with self.transaction() as db:
            known = None if given is None else self._task_of_key(db, owner, key, fingerprint)
            if known:
                return known
            db.execute("INSERT INTO mcp_tasks (task_id, job_id, tenant_id, subject_id, idempotency_key, request_hash, tool, "
                       "arguments_json, status, status_message, answers_json, capabilities_json, created_at, updated_at, expires_at, ttl_ms) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'working', 'queued', ?, ?, ?, ?, ?, ?)",
                       (task_id, job_id, *owner, key, fingerprint, tool, dumps(arguments), dumps(answers), dumps(capabilities),
                        now, now, now + TTL_MS, TTL_MS))
        return Job(task_id, job_id, owner, tool, arguments, "working", "queued", 0, 1, None, None, {}, answers, {}, {}, capabilities, False,
                   now, now, now + TTL_MS, TTL_MS, 0)

    def _task_of_key(self, db: sqlite3.Connection, owner: tuple[str, str], key: str, fingerprint: str) -> Job | None:
        """The task that this key has made.  A task that is over gives its key back."""
        mine = "tenant_id = ? AND subject_id = ? AND idempotency_key = ?"
        db.execute(f"DELETE FROM mcp_tasks WHERE {mine} AND expires_at <= ? AND status IN {TERMINAL}", (*owner, key, self.now_ms()))
        row = db.execute(f"SELECT {COLUMNS}, request_hash FROM mcp_tasks WHERE {mine}", (*owner, key)).fetchone()
        if row is not None and row[-1] != fingerprint:
            raise main.RpcError(main.INVALID_PARAMS, "params.arguments.idempotency_key: this key belongs to a call with other arguments; "
                                "repeat those to get its task, or choose a new key")
        return row and Job.of(row[:-1])

    def get(self, task_id: str, owner: tuple[str, str]) -> Job | None:
        """The owner's task; None for one that never was, is over, or is somebody else's: no difference."""
        with self._reading, self.connections.borrow() as db:       # many threads inside SQLite at once get in each other's way
            job = self._read(db, MINE, (task_id, *owner))
        return job if job and not (job.finished and job.expires_at <= self.now_ms()) else None

    @staticmethod
    def _read(db: sqlite3.Connection, where: str, values: tuple) -> Job | None:
        """The one job of which `where` is true."""
        row = db.execute(f"SELECT {COLUMNS} FROM mcp_tasks WHERE {where}", values).fetchone()
        return row and Job.of(row)

    # ---- changes: each names what it leaves ----------------------------------------

    def _change(self, db: sqlite3.Connection, where: str, values: tuple, **new: Any) -> bool:
        """A guarded UPDATE: sets columns in the rows of which `where` is true; whether there were any."""
        columns = ", ".join(f"{name} = ?" for name in new)
        return db.execute(f"UPDATE mcp_tasks SET {columns}, updated_at = ?, revision = revision + 1 WHERE {where}",
                          (*new.values(), self.now_ms(), *values)).rowcount > 0

    def held(self, job: Job, **new: Any) -> bool:
        """A change by the worker that holds the job; False if it no longer does."""
        with self.transaction() as db:
            return self._change(db, HELD, (job.task_id, job.token), **new)

    def claim(self, lease_ms: int, tools: Iterable[str]) -> Job | None:
        """Takes the oldest job for one of the tools that nobody works on; its token is larger than any before.

        An instance of another version may lack a tool: its jobs are for those that have it.
        """
        mine = tuple(tools)
        waiting = f"status = 'working' AND lease_until IS NULL AND tool IN ({', '.join('?' * len(mine))})"
        with self.connections.borrow() as db:      # an idle worker looks without taking the write lock
            if db.execute(f"SELECT 1 FROM mcp_tasks WHERE {waiting} LIMIT 1", mine).fetchone() is None:
                return None
        with self.transaction() as db:
            row = db.execute(f"SELECT task_id FROM mcp_tasks WHERE {waiting} ORDER BY created_at LIMIT 1", mine).fetchone()
            if row is None:
                return None
            db.execute("UPDATE mcp_tasks SET fencing_token = fencing_token + 1, lease_until = ? "
                       "WHERE task_id = ? AND status = 'working' AND lease_until IS NULL", (self.now_ms() + lease_ms, *row))
            try:
                return self._read(db, "task_id = ?", row)
            except ValueError as error:
                self._set_aside(db, row[0], error)
                return None

    def _set_aside(self, db: sqlite3.Connection, task_id: str, error: ValueError) -> None:
        """One damaged row must not stop the others: it fails, and can be read again."""
        main.log.error("%s cannot be read, and fails: %s", task_id, error)
        damaged = main.failure("ROW_DAMAGED", "the task's row could not be read")["error"]
        empty = dict.fromkeys(("arguments_json", "input_requests_json", "answers_json", "checkpoint_json", "effects_json", "capabilities_json"), "{}")
        self._change(db, "task_id = ?", (task_id,), status="failed", status_message="its row is damaged", error_json=dumps(damaged),
                     result_json=None, lease_until=None, **empty)

    def finish(self, job: Job, status: str, message: str, result: dict | None = None, error: dict | None = None) -> bool:
        """Result and terminal state in one write."""
        return self.held(job, status=status, status_message=message, lease_until=None, input_requests_json="{}",
                         progress=100 if status == "completed" else job.progress,
                         result_json=None if result is None else dumps(result), error_json=None if error is None else dumps(error))

    def park(self, job: Job, requests: dict) -> bool:
        """The job waits for answers, and nobody holds it meanwhile.  One that is to be cancelled asks nobody."""
        with self.transaction() as db:
            return self._change(db, f"{HELD} AND cancel_requested_at IS NULL", (job.task_id, job.token), status="input_required",
                                status_message="waiting for input", lease_until=None, input_requests_json=dumps(requests))

    def answer(self, task_id: str, owner: tuple[str, str], take: Callable[[dict, dict], tuple[dict, dict]]) -> None:
        """take(requests, answers) -> (requests left, answers).  With none left the job is to do again, in the same write."""
        with self.transaction() as db:
            job = self._read(db, f"{MINE} AND status = 'input_required'", (task_id, *owner))
            if job is None:
                return
            left, answers = take(job.requests, job.answers)
            if answers != job.answers:
                self._change(db, "task_id = ? AND status = 'input_required'", (task_id,), input_requests_json=dumps(left), answers_json=dumps(answers),
                             status="input_required" if left else "working", status_message=job.message if left else "input received")

    def request_cancel(self, task_id: str, owner: tuple[str, str]) -> None:
        """Writes the wish down.  A job that nobody holds is cancelled on the spot."""
        who, now = (task_id, *owner), self.now_ms()
        with self.transaction() as db:                 # in one, or a worker might park the job between the two
            self._change(db, f"{MINE} AND status IN ('working', 'input_required') AND lease_until IS NULL", who, status="cancelled",
                         status_message="cancelled while nobody worked on it", cancel_requested_at=now, input_requests_json="{}")
            self._change(db, f"{MINE} AND status = 'working' AND cancel_requested_at IS NULL", who, cancel_requested_at=now)

    def let_go(self, job: Job) -> bool:
        """The job is to do again, by anybody: its worker could not go on."""
        return self.held(job, lease_until=None)

    def sweep(self) -> None:
        """What is over: live tasks fail and show it for a moment, finished ones go."""
        now = self.now_ms()
        with self.connections.borrow() as db:
            due = db.execute("SELECT 1 FROM mcp_tasks WHERE expires_at <= ? LIMIT 1", (now,)).fetchone()
        if not due:
            return
        late = main.failure("EXPIRED", "the task was not finished within its ttl")["error"]
        with self.transaction() as db:
            db.execute(f"DELETE FROM mcp_tasks WHERE expires_at <= ? AND status IN {TERMINAL}", (now,))
            self._change(db, f"expires_at <= ? AND status NOT IN {TERMINAL}", (now,), status="failed", status_message="its ttl is over",
                         error_json=dumps(late), expires_at=now + main.EXPIRED_GRACE_MS, lease_until=None, input_requests_json="{}")

    def abandon(self) -> int:
        """At the start of the only instance: jobs that a dead worker held are to do again."""
        with self.transaction() as db:
            return db.execute("UPDATE mcp_tasks SET lease_until = NULL WHERE status = 'working' AND lease_until IS NOT NULL").rowcount

    def close(self) -> None:
        """Closes every connection."""
        self.connections.close()
