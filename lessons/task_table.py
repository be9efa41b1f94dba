"""The 2026 server's only truth: one SQLite file, and one guarded UPDATE for each change.

Unlike the store of exercise 4 it does not belong to the process that made a task.  Any
instance may read, claim and change; what keeps them apart stands in the WHERE of each
UPDATE: the state that it leaves and, for a worker, the fencing token that it holds.  A
change counts only if exactly one row changed.

Three tables: mcp_tasks is what a client is told of, mcp_outbox holds the jobs that wait
for a worker, and secrets what all instances share.  How a task is created is exercise 8,
how it is claimed, held and taken back exercise 9, and whose it is exercise 11.
"""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import secrets
import sqlite3
import threading
import time
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Iterable, Iterator

import main
from lessons.pieces import Pieces, solutions
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
        traceparent         TEXT NOT NULL DEFAULT '',
        worker              TEXT,
        fencing_token       INTEGER NOT NULL DEFAULT 0,
        beat                INTEGER NOT NULL DEFAULT 0,
        attempts            INTEGER NOT NULL DEFAULT 0,
        UNIQUE (tenant_id, subject_id, idempotency_key));
    CREATE INDEX IF NOT EXISTS mcp_tasks_expires_at_idx ON mcp_tasks (expires_at);
    CREATE INDEX IF NOT EXISTS mcp_tasks_held_idx ON mcp_tasks (task_id) WHERE worker IS NOT NULL;
    CREATE TABLE IF NOT EXISTS mcp_outbox (
        place   INTEGER PRIMARY KEY AUTOINCREMENT,
        job_id  TEXT NOT NULL UNIQUE,
        task_id TEXT NOT NULL,
        tool    TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL);
"""
TTL_MS = 24 * 3_600_000
LAYOUT = 2                            # of the tables; PRAGMA user_version says which one a file has
TERMINAL = "('completed', 'failed', 'cancelled')"
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
    worker: str | None = None
    attempts: int = 0
    traceparent: str = ""

    @property
    def finished(self) -> bool:
        """Terminal states are final."""
        return self.status in main.TERMINAL

    @classmethod
    def of(cls, row: tuple) -> Job:
        """From the COLUMNS of a row."""
        (task_id, job_id, tenant, subject, tool, status, message, progress, revision, created_at, updated_at, expires_at, ttl_ms, token,
         worker, attempts, traceparent, cancel_requested_at, arguments, result, error, requests, answers, checkpoint, effects, capabilities) = row
        return cls(task_id, job_id, (tenant, subject), tool, loads(arguments), status, message, progress, revision, loads(result), loads(error),
                   loads(requests), loads(answers), loads(checkpoint), loads(effects), loads(capabilities), cancel_requested_at is not None,
                   created_at, updated_at, expires_at, ttl_ms, token, worker, attempts, traceparent)


COLUMNS = ("task_id, job_id, tenant_id, subject_id, tool, status, status_message, progress, revision, created_at, updated_at, expires_at, ttl_ms, "
           "fencing_token, worker, attempts, traceparent, cancel_requested_at, arguments_json, result_json, error_json, input_requests_json, "
           "answers_json, checkpoint_json, effects_json, capabilities_json")


@dataclass(frozen=True)
class NewTask:
    """A call that is to become a task.  `key` is the caller's idempotency key, None without one."""
    owner: tuple[str, str]
    tool: str
    arguments: dict
    key: str | None
    now_ms: int
    capabilities: dict = field(default_factory=dict)
    answers: dict = field(default_factory=dict)
    traceparent: str = ""
    task_id: str = field(default_factory=lambda: f"task_{secrets.token_hex(16)}")
    job_id: str = field(default_factory=lambda: f"job_{secrets.token_hex(16)}")


def loads(text: str | None) -> Any:
    """The value of a JSON column.  Example: loads('{}') -> {}"""
    return {} if text == "{}" else text and json.loads(text)


def dumps(value: Any) -> str:
    """JSON for a column.  Raises ValueError for what JSON cannot say."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def change_rows(db: sqlite3.Connection, where: str, values: tuple, now_ms: int, **new: Any) -> int:
    """A guarded UPDATE: sets columns in the rows of which `where` is true, and says how many those were.

    The clock may be set back; a task's time of change is not.
    """
    columns = ", ".join(f"{name} = ?" for name in new)
    return db.execute(f"UPDATE mcp_tasks SET {columns}, updated_at = MAX(updated_at, ?), revision = revision + 1 WHERE {where}",
                      (*new.values(), now_ms, *values)).rowcount


def insert_task(db: sqlite3.Connection, new: NewTask, idempotency_key: str, request_hash: str) -> None:
    """A new row, `working`.  Raises sqlite3.IntegrityError if the owner has used the key."""
    row = {"task_id": new.task_id, "job_id": new.job_id, "tenant_id": new.owner[0], "subject_id": new.owner[1], "idempotency_key": idempotency_key,
           "request_hash": request_hash, "tool": new.tool, "arguments_json": dumps(new.arguments), "status": "working", "status_message": "queued",
           "answers_json": dumps(new.answers), "capabilities_json": dumps(new.capabilities), "traceparent": new.traceparent,
           "created_at": new.now_ms, "updated_at": new.now_ms, "expires_at": new.now_ms + TTL_MS, "ttl_ms": TTL_MS}
    db.execute(f"INSERT INTO mcp_tasks ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))


def enqueue(db: sqlite3.Connection, task_id: str) -> None:
    """Puts a task's job into the outbox, where workers look; once, however often it is called."""
    db.execute("INSERT OR IGNORE INTO mcp_outbox (job_id, task_id, tool) SELECT job_id, task_id, tool FROM mcp_tasks WHERE task_id = ?", (task_id,))


# A row that is over keeps what a client may still ask for, and nothing that only the work needed: secrets may be in it.
WORKED_OFF = dict.fromkeys(("arguments_json", "input_requests_json", "answers_json", "checkpoint_json", "effects_json", "capabilities_json"), "{}")


class TaskTable:
    """Every read and every change of a task.  Holds connections and nothing else."""

    def __init__(self, file: str | os.PathLike, clock: Callable[[], float] = time.time, pieces: Pieces | None = None):
        """`file`: the database, made if it is not there.  `clock`: seconds since 1970.  Raises main.StoreError."""
        self.file, self._clock, self.pieces = pathlib.Path(file), clock, pieces or solutions()
        self._writing = threading.Lock()       # in one process, writers take turns here rather than in SQLite
        self._reading = threading.Lock()
        self.changed = threading.Condition()   # rings when this process has changed something
        self.observe: Callable[[Job, str], None] = lambda job, what: None       # told of each change of a state, once it is durable
        self.connections = Connections(self.file, "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON")
        private_file(self.file)
        with self.connections.borrow() as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("BEGIN IMMEDIATE")      # two instances may start at once
            try:
                self._check_layout(db)
            finally:
                db.execute("COMMIT")
            db.executescript(SCHEMA)
            db.execute("INSERT OR IGNORE INTO secrets VALUES ('request_state', ?)", (secrets.token_bytes(32),))
            self.secret = db.execute("SELECT value FROM secrets WHERE name = 'request_state'").fetchone()[0]

    def _check_layout(self, db: sqlite3.Connection) -> None:
        """A file that an earlier version of the lab has made, or another program, is left alone."""
        found = db.execute("PRAGMA user_version").fetchone()[0]
        if found != LAYOUT and db.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise main.StoreError(f"{self.file} holds tables of another program or version; choose a new file")
        db.execute(f"PRAGMA user_version = {LAYOUT}")

    def now_ms(self) -> int:
        """The table's clock."""
        return int(self._clock() * 1000)

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection for a change, one thread at a time; then the bell rings.  Raises main.StoreError."""
        with self._writing, self.connections.borrow() as db:
            yield db
        with self.changed:
            self.changed.notify_all()

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, under the write lock from the first statement on.  Raises main.StoreError."""
        with self.writing() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                if db.in_transaction:          # a full disk may have ended it already
                    db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")

    # ---- creation and reading ------------------------------------------------------

    def create(self, owner: tuple[str, str], tool: str, arguments: dict, capabilities: dict, answers: dict, traceparent: str = "") -> Job:
        """The task for a call, durable on return: a new one, or the one that its idempotency key has made.

        `answers` were given before there was a task.  Raises RpcError if the key came with
        other arguments before.
        """
        new = NewTask(owner, tool, arguments, arguments.get("idempotency_key"), self.now_ms(), capabilities, answers, traceparent)
        with self.writing() as db:
            task_id = self.pieces.creation.create_once(db, new)
            job = self._read(db, task_id)
        self.observe(job, "created" if task_id == new.task_id else "found by its key")
        return job

    def get(self, task_id: str, owner: tuple[str, str]) -> Job | None:
        """The owner's task; None for one that never was, is over, or is somebody else's: no difference."""
        with self._reading, self.connections.borrow() as db:       # many threads inside SQLite at once get in each other's way
            job = self._own(db, task_id, owner)
        return job if job and not (job.finished and job.expires_at <= self.now_ms()) else None

    def _own(self, db: sqlite3.Connection, task_id: str, owner: tuple[str, str]) -> Job | None:
        row = self.pieces.owners.own_row(db, COLUMNS, task_id, owner)
        return row and Job.of(row)

    @staticmethod
    def _read(db: sqlite3.Connection, task_id: str) -> Job | None:
        """A job, whoever owns it."""
        row = db.execute(f"SELECT {COLUMNS} FROM mcp_tasks WHERE task_id = ?", (task_id,)).fetchone()
        return row and Job.of(row)

    # ---- changes by the worker that holds the job ----------------------------------

    def held(self, job: Job, **new: Any) -> bool:
        """A change by the worker that holds the job; False if it no longer does."""
        with self.transaction() as db:
            return self.pieces.leases.change(db, job, self.now_ms(), **new)

    def claim(self, worker: str, tools: Iterable[str]) -> Job | None:
        """The first job of the outbox for one of the tools, now held by this worker.

        An instance of another version may lack a tool: its jobs are for those that have it.
        """
        tools = tuple(tools)
        with self.connections.borrow() as db:      # an idle worker looks without taking the write lock
            if db.execute(f"SELECT 1 FROM mcp_outbox WHERE tool IN ({', '.join('?' * len(tools))}) LIMIT 1", tools).fetchone() is None:
                return None
        with self.transaction() as db:
            task_id = self.pieces.leases.claim(db, worker, tools)
            job = task_id and self._readable(db, task_id)
        if job:
            self.observe(job, "resumed" if job.attempts > 1 else "claimed")
        return job

    def _readable(self, db: sqlite3.Connection, task_id: str) -> Job | None:
        """A job; None for one whose row is damaged, which fails here and now."""
        try:
            return self._read(db, task_id)
        except ValueError as error:
            self._set_aside(db, task_id, error)
            return None

    def _set_aside(self, db: sqlite3.Connection, task_id: str, error: ValueError) -> None:
        """One damaged row must not stop the others: it fails, and can be read again."""
        main.log.error("%s cannot be read, and fails: %s", task_id, error)
        damaged = main.failure("ROW_DAMAGED", "the task's row could not be read")["error"]
        change_rows(db, "task_id = ?", (task_id,), self.now_ms(), status="failed", status_message="its row is damaged", error_json=dumps(damaged),
                    result_json=None, worker=None, **WORKED_OFF)

    def finish(self, job: Job, status: str, message: str, result: dict | None = None, error: dict | None = None) -> bool:
        """Result and terminal state in one write, and what only the work needed goes."""
        done = self.held(job, status=status, status_message=message, worker=None, progress=100 if status == "completed" else job.progress,
                         result_json=None if result is None else dumps(result), error_json=None if error is None else dumps(error), **WORKED_OFF)
        if done:
            self._tell(job, status)
        return done

    def park(self, job: Job, requests: dict, checkpoint: dict) -> bool:
        """The job waits for answers, and nobody holds it meanwhile.  One that is to be cancelled asks nobody."""
        with self.transaction() as db:
            asked = db.execute("SELECT 1 FROM mcp_tasks WHERE task_id = ? AND cancel_requested_at IS NULL", (job.task_id,)).fetchone()
            parked = bool(asked) and self.pieces.leases.change(
                db, job, self.now_ms(), status="input_required", status_message="waiting for input", worker=None, attempts=0,
                input_requests_json=dumps(requests), checkpoint_json=dumps(checkpoint))
        if parked:
            self._tell(job, "input_required")
        return parked

    def let_go(self, job: Job) -> bool:
        """The job is to do again, by anybody: its worker could not go on."""
        with self.transaction() as db:
            let = self.pieces.leases.change(db, job, self.now_ms(), worker=None, attempts=0)
            if let:
                enqueue(db, job.task_id)
        return let

    # ---- leases --------------------------------------------------------------------

    def renew(self, jobs: Iterable[Job]) -> bool:
        """A sign of life from the worker of each job; whether all still held theirs."""
        with self.transaction() as db:
            return all([self.pieces.leases.renew(db, job) for job in jobs])

    def leases(self) -> dict[str, tuple[int, int]]:
        """The jobs that are held: task id -> (fencing token, beat).  Either changes with each sign of life."""
        with self.connections.borrow() as db:
            rows = db.execute("SELECT task_id, fencing_token, beat FROM mcp_tasks WHERE worker IS NOT NULL AND status = 'working'").fetchall()
        return {task_id: (token, beat) for task_id, token, beat in rows}

    def take_back(self, task_id: str, life: tuple[int, int]) -> None:
        """Frees a job whose worker has shown no sign of life since `life`."""
        with self.transaction() as db:
            job = self._readable(db, task_id)
            taken = job and self.pieces.leases.take_back(db, task_id, life, self.now_ms())
        if taken:
            self._tell(job, "lease lost")

    def _tell(self, before: Job, what: str) -> None:
        """Tells the observer how a task is after a change.  What it was asked for is no longer in the row."""
        with self.connections.borrow() as db:
            job = self._read(db, before.task_id)
        if job:
            self.observe(replace(job, arguments=before.arguments), what)

    # ---- changes by the client, and by time ----------------------------------------

    def answer(self, task_id: str, owner: tuple[str, str], take: Callable[[dict, dict], tuple[dict, dict]]) -> None:
        """take(requests, answers) -> (requests left, answers).  With none left the job is to do again, in the same write."""
        with self.transaction() as db:
            job = self._own(db, task_id, owner)
            if job is None or job.status != "input_required":
                return
            left, answers = take(job.requests, job.answers)
            if answers != job.answers:
                change_rows(db, "task_id = ? AND status = 'input_required'", (task_id,), self.now_ms(), input_requests_json=dumps(left),
                            answers_json=dumps(answers), status="input_required" if left else "working",
                            status_message=job.message if left else "input received")
            if not left:
                enqueue(db, task_id)
        if not left:
            self._tell(job, "input received")

    def request_cancel(self, task_id: str, owner: tuple[str, str]) -> None:
        """Writes the wish down.  A job that nobody holds is cancelled on the spot."""
        with self.transaction() as db:
            job = self._own(db, task_id, owner)
            if job:
                self.pieces.leases.cancel(db, task_id, self.now_ms())
        if job and not job.finished:
            self._tell(job, "cancel requested")

    def sweep(self) -> None:
        """What is over: live tasks fail and show it for a moment, finished ones go."""
        now = self.now_ms()
        with self.connections.borrow() as db:
            if not db.execute("SELECT 1 FROM mcp_tasks WHERE expires_at <= ? LIMIT 1", (now,)).fetchone():
                return
        late = main.failure("EXPIRED", "the task was not finished within its ttl")["error"]
        with self.transaction() as db:
            db.execute(f"DELETE FROM mcp_tasks WHERE expires_at <= ? AND status IN {TERMINAL}", (now,))
            rows = db.execute("SELECT task_id FROM mcp_tasks WHERE expires_at <= ?", (now,)).fetchall()
            live = [job for row in rows if (job := self._readable(db, *row))]
            change_rows(db, f"expires_at <= ? AND status NOT IN {TERMINAL}", (now,), now, status="failed", status_message="its ttl is over", error_json=dumps(late),
                        expires_at=now + main.EXPIRED_GRACE_MS, worker=None, **WORKED_OFF)
            db.executemany("DELETE FROM mcp_outbox WHERE task_id = ?", [(job.task_id,) for job in live])
        for job in live:
            self._tell(job, "expired")

    def close(self) -> None:
        """Closes every connection."""
        self.connections.close()
