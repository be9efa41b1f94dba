#!/usr/bin/env python3
"""Call now, fetch later: a lab about long-running MCP tasks, in one file.

A tool call that takes minutes outlives the connection that asked for it.  So the
server answers at once with a task id, works on, and the client comes back for the
result.  This file is such a server, a client for it, and a tour of both.

    python main.py            the tour: watch tasks run, wait, stop and survive a kill
    python main.py serve      the server alone
    python main.py --help     everything else

What it leaves out, because the exercises build it: a database, workers on other
machines, users and tokens, and the MCP 2026-07-28 wire format.  The dialect here is a
classroom dialect; README.md says where it departs from what was published.

Reading order, one banner each:
    Task         what is remembered, and which moves are legal
    Store        one JSON file a task, and what survives a crash
    Executor     a bounded pool of threads, one Event a task, and what a tool sees
    Tools        generate_report, notes_search, checksum_folder
    Methods      the lesson dialect over the store and the executor
    Server       JSON-RPC over HTTP, and every rule of the transport
    Client       a keep-alive connection that polls politely
    Tour         the narrated demonstration
    Command line tour, serve, call, doctor
"""
from __future__ import annotations

import argparse
import base64
import collections
import contextlib
import errno
import functools
import hashlib
import heapq
import http.client
import itertools
import json
import logging
import os
import pathlib
import platform
import queue
import re
import secrets
import signal
import socket
import socketserver
import stat
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from dataclasses import dataclass, field, fields, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Iterator
from urllib.parse import parse_qs, quote, urlsplit

try:
    import fcntl
except ImportError:  # Windows locks files through another module
    fcntl = None
    import msvcrt

VERSION = "1.0.0"
LAB = pathlib.Path(__file__).resolve().parent
log = logging.getLogger("lesson-13")

# ======================================================================================
# Task: what is remembered, and which moves are legal
# ======================================================================================

# The whole state machine.  A state may "move" to itself: that is progress.
NEXT_STATES = {
    "working":        {"working", "input_required", "completed", "failed", "cancelled"},
    "input_required": {"input_required", "working", "failed", "cancelled"},
    "completed":      set(),
    "failed":         set(),
    "cancelled":      set(),
}
TERMINAL = {state for state, following in NEXT_STATES.items() if not following}

TASK_ID = re.compile(r"tsk_[0-9a-f]{32}")     # 128 random bits: an id cannot be guessed
SERVER_ID = re.compile(r"srv_[0-9a-f]{16}")
SCHEMA = 1                                    # the shape of a task file; see Task.from_json


@dataclass(frozen=True)
class Task:
    """One promise to a client.  Never changed in place: each change makes a new one.

    Times are milliseconds since 1970; `revision` counts the changes.  `requests` are the
    questions still open and `answers` those received, both by key; `saved` is the tool's
    checkpoint and `effects` what it did to the outside world.  `error` is a JSON-RPC error
    object.
    """
    id: str
    tool: str
    arguments: dict
    session: str
    server: str
    created_at_ms: int
    updated_at_ms: int
    expires_at_ms: int
    ttl_ms: int
    revision: int = 1
    state: str = "working"
    started: bool = False
    cancel_requested: bool = False
    progress: float = 0.0
    message: str = ""
    requests: dict = field(default_factory=dict)
    answers: dict = field(default_factory=dict)
    saved: dict = field(default_factory=dict)
    effects: dict = field(default_factory=dict)
    result: dict | None = None
    error: dict | None = None

    @property
    def finished(self) -> bool:
        """Terminal states are final: nothing leaves them."""
        return self.state in TERMINAL

    def to_json(self) -> str:
        """The text of the task's file.  Raises ValueError for what JSON cannot say."""
        record = {name: getattr(self, name) for name in TASK_FIELDS}
        return json.dumps({"schema": SCHEMA, **record}, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: bytes) -> Task:
        """The reverse of to_json.  Raises ValueError that says what is wrong with `text`."""
        record = json.loads(text)
        if not isinstance(record, dict):
            raise ValueError("it is not a JSON object")
        if record.pop("schema", None) != SCHEMA:
            raise ValueError(f"its schema is not {SCHEMA}")
        for name, kinds in TASK_FIELDS.items():
            value = record.get(name)
            if not isinstance(value, kinds) or isinstance(value, bool) is not (kinds is bool):
                raise ValueError(f"its field {name!r} is missing or of the wrong type")
        if record["state"] not in NEXT_STATES:
            raise ValueError(f"its state {record['state']!r} does not exist")
        if not TASK_ID.fullmatch(record["id"]) or not SERVER_ID.fullmatch(record["server"]):
            raise ValueError("its id or its server's id is malformed")
        if not all(0 <= record[name] < 2 ** 53 for name in ("created_at_ms", "updated_at_ms", "expires_at_ms", "progress")):
            raise ValueError("one of its numbers is out of range")
        for name, needed in (("result", {"content"}), ("error", {"code", "message"})):
            if record[name] is not None and not needed <= record[name].keys():
                raise ValueError(f"its {name} lacks one of: {', '.join(sorted(needed))}")
        return cls(**{name: record[name] for name in TASK_FIELDS})


# Field name -> the types that JSON may give it, read off the annotations above.
TASK_FIELDS = {f.name: {"str": str, "int": int, "bool": bool, "float": (int, float), "dict": dict,
                        "dict | None": (dict, type(None))}[f.type] for f in fields(Task)}


@functools.lru_cache(maxsize=1024)             # polls show the same times again and again
def iso(ms: int) -> str:
    """ISO 8601 in UTC.  Example: iso(0) -> '1970-01-01T00:00:00.000Z'"""
    seconds, millis = divmod(ms, 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{millis:03d}Z"


class RpcError(Exception):
    """A JSON-RPC error on its way to a client.

    `http` overrides the HTTP status that the code would get (HTTP_STATUS, in Server).
    """

    def __init__(self, code: int, message: str, data: Any = None, http: int | None = None):
        super().__init__(message)
        self.code, self.message, self.data, self.http = code, message, data, http

    def body(self) -> dict:
        """The error object as it travels."""
        error = {"code": self.code, "message": self.message}
        return error if self.data is None else {**error, "data": self.data}


PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR = -32602, -32603
HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION = -32020, -32021, -32022
NOT_READY, BUSY, STOPPED = -32002, -32000, -32001    # ours, in the range left to servers


def failure(reason: str, message: str, code: int = INTERNAL_ERROR) -> dict:
    """The fields of a task that fails.  Example: failure('EXPIRED', 'too late')['state'] -> 'failed'"""
    error = {"code": code, "message": f"{reason}: {message}", "data": {"reason": reason}}
    return {"state": "failed", "message": message, "error": error, "requests": {}}


# ======================================================================================
# Store: one JSON file a task, and what survives a crash
#
# The contract, kept by FileStore here and by the SQLite store of exercise 4:
#     create(task)                   durable on return; TaskExists if the id is taken
#     get(task_id)                   the Task, or None if unknown or expired
#     change(task_id, update)        the one door for every change; None if refused
#     page(session, after, limit)    a session's tasks in order of creation
#     request_cancel(task_id)        asks whoever runs the task to stop
#     reload()                       after a start: orphans fail, the expired go
#     sweep()                        now and then: expiry, and cancels from other servers
#     close()                        let go
# The class Store, which both inherit, gives now_ms, server, wait(task_id, until, timeout_s),
# tell(task) and `listeners`: whoever wants to hear of changes appends a function there.
# ======================================================================================

DEFAULT_TTL_MS = 900_000         # 15 minutes, and the most a client may ask for
EXPIRED_GRACE_MS = 3_000         # how long a task that expired in mid-run shows as failed
PROGRESS_EVERY_MS = 250          # how often mere progress is written to disk
RECENT = 256                     # finished tasks kept in memory to answer polls quickly
RECENT_BYTES = 1 << 20           # ... as long as they are not larger than this altogether


class StoreError(RpcError):
    """The store cannot keep its promise; the message says why."""

    def __init__(self, message: str):
        super().__init__(INTERNAL_ERROR, message)


class TaskExists(StoreError):
    """create() was given an id that is taken."""


def write_file(path: pathlib.Path, text: str, durable: bool, new: bool = False, mark: str = "") -> None:
    """Writes `text` so that a reader, or a crash, sees the old file or the new, never half.

    The text goes to a temporary file that then takes the name in one step.  `durable`
    means: on the disk before this returns.  `new` refuses to replace (FileExistsError).
    """
    temp = path.with_name(f"{path.stem}.{mark}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temp, "x", encoding="utf-8", newline="", opener=owner_only) as file:
            file.write(text)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if new:
            os.link(temp, path)        # fails if the name is taken, which a rename would not
        else:
            patiently(lambda: os.replace(temp, path))
    finally:
        temp.unlink(missing_ok=True)
    if durable:
        sync_folder(path.parent)       # the name is on the disk too, not only the bytes


def owner_only(path: str, flags: int) -> int:
    """An opener for open(): the new file can be read by its owner alone."""
    return os.open(path, flags, 0o600)


def patiently(action: Callable[[], Any], tries: int = 10) -> Any:
    """Retries on PermissionError: on Windows a file being read cannot be replaced, nor the reverse."""
    for left in reversed(range(tries)):
        try:
            return action()
        except PermissionError:
            if not left:
                raise
            time.sleep(0.01)


def sync_folder(folder: pathlib.Path) -> None:
    """fsync for a folder's list of names.  Windows has no such call and needs none."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def private_folder(path: pathlib.Path) -> pathlib.Path:
    """Makes `path` a folder that only its owner can enter.  Raises StoreError if it cannot be.

    A temp folder is shared: somebody else may have made this name first, to read our tasks.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = path.lstat()
        if not stat.S_ISDIR(about.st_mode):
            raise StoreError(f"{path} is a link; choose a real folder with --store")
        if os.name == "nt":
            return path                  # there a user's temp folder is private already
        if about.st_uid != os.getuid():
            raise StoreError(f"{path} belongs to somebody else; choose another folder with --store")
        if about.st_mode & 0o077:
            names = os.listdir(path)
            if names and "folder.lock" not in names:
                raise StoreError(f"{path} is open to others and holds other files; choose a new folder with --store")
            path.chmod(0o700)
    except OSError as error:
        raise StoreError(f"{path} cannot be a task folder ({error.strerror}); choose another with --store") from None
    return path


def lock_file(file, wait: bool = False, shared: bool = False) -> bool:
    """Takes the operating system's lock on an open file; False if somebody else has it.

    The system itself lets go when the process ends, however it ends.  A process id in a
    file could not tell the living from the dead: ids are reused.
    """
    try:
        if fcntl:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        else:
            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        return True
    except OSError:
        return False


@dataclass
class Reload:
    """What reload() found: the number of tasks, and the ids or names of those in trouble."""
    tasks: int = 0
    orphans: list = field(default_factory=list)
    expired: int = 0
    damaged: list = field(default_factory=list)

    def __str__(self) -> str:
        return (f"{self.tasks} tasks found, {len(self.orphans)} failed with CRASH_RECOVERY, "
                f"{self.expired} expired, {len(self.damaged)} damaged")


class Presence:
    """One server's sign of life in a folder: a lock file that it holds as long as its process exists."""

    def __init__(self, folder: pathlib.Path):
        self.folder, self.server = private_folder(folder), f"srv_{secrets.token_hex(8)}"
        try:
            with self.alone():
                self._lock = open(self._path(self.server), "x+b")
                lock_file(self._lock)
        except OSError as error:
            raise StoreError(f"{folder} cannot hold a server's lock ({error.strerror}); choose another place with --store") from None

    def _path(self, server: str) -> pathlib.Path:
        return self.folder / f"{server}.lock"

    def lives(self, server: str) -> bool:
        """Whether the process of a server still exists."""
        if server == self.server:
            return True
        try:
            with open(self._path(server), "r+b") as file:
                return not lock_file(file, shared=True)
        except FileNotFoundError:
            return False

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """One server at a time starts, reloads or leaves; the others wait."""
        with open(self.folder / "folder.lock", "a+b") as file:
            lock_file(file, wait=True)
            yield

    def tidy(self) -> None:
        """Removes what dead servers left behind: their locks, and files half written."""
        for path in list(self.folder.iterdir()):
            left_over = re.fullmatch(r"(?:tsk_[0-9a-f]{32}\.(?=.*tmp))?(srv_[0-9a-f]{16})\.(?:lock|[0-9a-f]{8}\.tmp)", path.name)
            if left_over and not self.lives(left_over.group(1)):
                path.unlink(missing_ok=True)

    def close(self) -> None:
        """Lets the lock go: from now on this server counts as dead."""
        with contextlib.suppress(OSError), self.alone():      # the folder itself may be gone
            self._lock.close()
            self._path(self.server).unlink(missing_ok=True)
        self._lock.close()


class Store:
    """What every store shares: a clock, a sign of life, and telling whoever listens."""

    def __init__(self, folder: pathlib.Path, clock: Callable[[], float]):
        """`folder`: where servers show that they live.  `clock`: seconds since 1970."""
        self.presence = Presence(folder)
        self.server = self.presence.server
        self.listeners: list[Callable[[Task], None]] = []
        self._clock = clock
        self._version = 0
        self._changed = threading.Condition()

    def now_ms(self) -> int:
        """The store's clock.  Every time stamp comes from here."""
        return int(self._clock() * 1000)

    def tell(self, task: Task) -> None:
        """Tells everybody who listens; call it in the order of the changes."""
        for listener in self.listeners:
            listener(task)
        with self._changed:
            self._version += 1
            self._changed.notify_all()

    def wait(self, task_id: str, until: Callable[[Task], bool], timeout_s: float) -> Task | None:
        """Blocks until `until(task)` holds or the time is over; returns the newest task."""
        deadline = time.monotonic() + timeout_s
        while True:
            seen = self._version
            task = self.get(task_id)
            left = deadline - time.monotonic()
            if task is None or until(task) or left <= 0:
                return task
            with self._changed:              # another server's task changes without telling us
                self._changed.wait_for(lambda: self._version != seen, min(left, 0.25))

    def close(self) -> None:
        """Lets go: from now on this server counts as dead."""
        self.presence.close()


def changed(task: Task, now_ms: int, **new: Any) -> Task:
    """The task with some fields replaced: the next revision."""
    return replace(task, revision=task.revision + 1, updated_at_ms=now_ms, **new)


def crashed() -> dict:
    """The fields of a task whose server has died."""
    return failure("CRASH_RECOVERY", "the server process that ran this task has died")


def expired(task: Task, now_ms: int) -> dict:
    """The fields of a live task whose time is over: it shows as failed for a moment, then goes."""
    late = failure("EXPIRED", f"the task was not finished within its ttl of {task.ttl_ms} ms")
    return {**late, "expires_at_ms": now_ms + EXPIRED_GRACE_MS}


def cancel_asked(task: Task) -> dict:
    """The fields of a task that is asked to stop: at once while it waits for a free thread."""
    if not task.started:
        return {"state": "cancelled", "cancel_requested": True, "message": "cancelled before it began"}
    return {"cancel_requested": True}


class FileStore(Store):
    """One JSON file a task.  The files are the truth; memory holds what this process runs.

    Any number of servers may share a folder.  Each task belongs to the server that runs
    it, and only that one writes its file while it lives.
    """

    def __init__(self, folder: str | os.PathLike | None = None, clock: Callable[[], float] = time.time):
        """`folder`: default <temp folder>/lesson-13-tasks.  `clock`: seconds since 1970."""
        self.folder = pathlib.Path(folder or default_folder())
        super().__init__(self.folder, clock)
        self._live: dict[str, Task] = {}                # the tasks this process runs
        self._locks: dict[str, threading.Lock] = {}     # one a live task: writers take turns
        self._written_ms: dict[str, int] = {}           # when a live task was last written
        self._recent: dict[str, Task] = {}              # finished ones, the latest last
        self._sizes: dict[str, int] = {}                # how large each of those is
        self._known: dict[str, tuple[str, int]] = {}    # every task: its session, created when
        self._expiry: list[tuple[int, str]] = []        # a heap: who expires first
        self._memory = threading.Lock()                 # guards _recent, _sizes, _known and _expiry

    # ---- create, get, change -------------------------------------------------------

    def create(self, task: Task) -> None:
        """Remembers a new task.  On return it is on the disk, so its id may be told."""
        self.write(task, durable=True, new=True)
        self._live[task.id] = task
        self._locks[task.id] = threading.Lock()
        self.remember(task)
        self.tell(task)

    def get(self, task_id: str) -> Task | None:
        """The task as it is now; None if there is none, or none any more.

        Raises StoreError if its file is damaged.  Costs no disk access for the tasks that
        this process runs, nor for recently finished ones.
        """
        if not isinstance(task_id, str) or not TASK_ID.fullmatch(task_id):
            return None                      # an unchecked id never reaches the file system
        task = self._live.get(task_id) or self._recent.get(task_id) or self.load(task_id)
        if task is None:
            with self._memory:
                self._known.pop(task_id, None)
            return None
        task = self._settle(task)
        if task and task.finished and task_id not in self._recent:
            self._keep_recent(task)
        return task

    def change(self, task_id: str, update: Callable[[Task], dict | None]) -> Task | None:
        """The one door through which a task changes.

        `update` sees the task and gives the fields to set, or None to leave it alone.
        Returns the changed task; or None, and then nothing has happened: the task is
        finished, expired, unknown, run by another server, or the move is not legal.
        A terminal state is on the disk, with its result, before anybody sees it.
        """
        lock = self._locks.get(task_id)
        if lock is None:
            return None
        with lock:
            task = self._live.get(task_id)
            if task is None:
                return None
            if self.now_ms() >= task.expires_at_ms:
                self._expire(task)           # too late: a result does not bring it back
                return None
            new = update(task)
            if new is None or new.get("state", task.state) not in NEXT_STATES[task.state]:
                return None
            return self._put(task, new)

    def _put(self, task: Task, new: dict) -> Task:
        """Replaces a live task, whose lock the caller holds, first on disk, then in memory."""
        task = changed(task, self.now_ms(), **new)
        if new.keys() - {"progress", "message", "started"}:
            self.write(task, durable=task.finished or "effects" in new)
        else:
            self._write_progress(task)
        self._live[task.id] = task
        if task.finished:
            self._retire(task)
        self.tell(task)
        return task

    def write(self, task: Task, durable: bool, new: bool = False) -> None:
        """Puts a task on the disk.  Raises StoreError; the old file is then untouched."""
        try:
            write_file(self._path(task.id), task.to_json(), durable, new, mark=self.server)
            self._written_ms[task.id] = task.updated_at_ms
        except FileExistsError:
            raise TaskExists(f"task {task.id} exists already") from None
        except OSError as error:
            if new:
                self._path(task.id).unlink(missing_ok=True)      # never told, so never there
            raise StoreError(f"the task store cannot write: {error.strerror or error}") from error

    def _write_progress(self, task: Task) -> None:
        """Progress is nice to have: written now and then, and not worth failing for."""
        if task.updated_at_ms - self._written_ms.get(task.id, 0) >= PROGRESS_EVERY_MS:
            with contextlib.suppress(StoreError):
                self.write(task, durable=False)

    def _retire(self, task: Task) -> None:
        """Frees all that a running task holds, once it has finished."""
        self.remember(task)
        self._keep_recent(task)
        self._live.pop(task.id, None)        # in this order: a poll always finds one of the two
        self._locks.pop(task.id, None)
        self._written_ms.pop(task.id, None)
        self._path(task.id, ".cancel").unlink(missing_ok=True)

    # ---- memory of finished and foreign tasks --------------------------------------

    def _path(self, task_id: str, ending: str = ".json") -> pathlib.Path:
        return self.folder / (task_id + ending)

    def remember(self, task: Task) -> None:
        """Notes a task in the index: whose it is, and when it expires."""
        with self._memory:
            self._known[task.id] = (task.session, task.created_at_ms)
            heapq.heappush(self._expiry, (task.expires_at_ms, task.id))

    def _keep_recent(self, task: Task) -> None:
        """Keeps a finished task at hand, and lets the earliest go when it gets too much."""
        with self._memory:
            self._recent[task.id], self._sizes[task.id] = task, len(task.to_json())
            while len(self._recent) > RECENT or sum(self._sizes.values()) > RECENT_BYTES:
                self._drop(next(iter(self._recent)))

    def _drop(self, task_id: str) -> None:
        self._recent.pop(task_id, None)
        self._sizes.pop(task_id, None)

    def load(self, task_id: str) -> Task | None:
        """Reads a task's file.  A damaged one is set aside under another name, once."""
        path = self._path(task_id)
        try:
            task = Task.from_json(patiently(path.read_bytes))
            if task.id != task_id:
                raise ValueError("it holds another task")
        except FileNotFoundError:
            if self._path(task_id, ".json.damaged").exists():
                raise StoreError("the stored task is damaged; its file was set aside") from None
            return None
        except (ValueError, RecursionError, IsADirectoryError, PermissionError) as error:
            self._set_aside(path, error)
            raise StoreError("the stored task is damaged; its file was set aside") from None
        except OSError as error:
            raise StoreError(f"the task store cannot read: {error.strerror or error}") from error
        return task

    def _set_aside(self, path: pathlib.Path, why: Exception) -> None:
        aside = path.with_name(path.name + ".damaged")
        if aside.exists():
            aside = path.with_name(f"{path.name}.{secrets.token_hex(4)}.damaged")
        with contextlib.suppress(OSError):
            os.rename(path, aside)
        log.warning("%s is damaged (%s); it is now %s", path.name, why, aside.name)

    def _settle(self, task: Task) -> Task | None:
        """The task as it has to be seen now: expired if its time is over, failed if its server is."""
        mine = task.server == self.server
        if self.now_ms() >= task.expires_at_ms and (task.finished or mine):
            return self._expire_or_forget(task)
        if task.finished or mine or self.presence.lives(task.server):
            return task
        return self._fail_orphan(task)

    def _fail_orphan(self, task: Task) -> Task | None:
        """The process that ran this task is gone, and nobody will go on with it."""
        task = self.load(task.id)                # it may have finished right before it died
        if task is None or task.finished:
            return task
        task = changed(task, self.now_ms(), **crashed())
        self.write(task, durable=True)
        self._path(task.id, ".cancel").unlink(missing_ok=True)
        self.remember(task)
        self.tell(task)
        return task

    # ---- expiry --------------------------------------------------------------------

    def _expire_or_forget(self, task: Task) -> Task | None:
        """A live task first fails, visibly; a finished one goes, unless it finished a moment ago."""
        if not task.finished:
            with self._locks.get(task.id) or contextlib.nullcontext():
                if task.id in self._live:
                    return self._expire(self._live[task.id])
            task = self._recent.get(task.id) or self.load(task.id)       # it finished while we looked
            if task and task.finished and self.now_ms() < task.expires_at_ms:
                return task
        if task:
            self.forget(task.id)
        return None

    def _expire(self, task: Task) -> Task:
        """Fails a live task, whose lock the caller holds, because its time is over."""
        return self._put(task, expired(task, self.now_ms()))

    def forget(self, task_id: str) -> None:
        """Removes a task, from the disk and from memory."""
        with self._memory:
            self._known.pop(task_id, None)
            self._drop(task_id)
        with contextlib.suppress(OSError):
            self._path(task_id).unlink(missing_ok=True)

    def sweep(self) -> None:
        """Expires what is due, and passes on the cancels that other servers left for us."""
        for task_id in list(self._live):
            if self._path(task_id, ".cancel").exists():
                self.request_cancel(task_id)
        while True:
            with self._memory:
                if not self._expiry or self._expiry[0][0] > self.now_ms():
                    return
                task_id = heapq.heappop(self._expiry)[1]
            try:
                self.get(task_id)            # looking at an expired task is what expires it
            except StoreError as error:
                log.warning("%s could not expire, will try again: %s", task_id, error)
                with self._memory:
                    heapq.heappush(self._expiry, (self.now_ms() + 1000, task_id))

    # ---- cancel, list, reload, close -----------------------------------------------

    def request_cancel(self, task_id: str) -> Task | None:
        """Asks whoever runs the task to stop, and returns it as it is now.

        A task that waits for a free thread is cancelled on the spot.  One that another
        server runs gets a note beside its file, which that server finds within a moment.
        """
        task = self.change(task_id, cancel_asked) or self.get(task_id)
        if task and not task.finished and task.server != self.server:
            self._path(task_id, ".cancel").touch(mode=0o600)
        return task

    def page(self, session: str, after: tuple[int, str] = (0, ""), limit: int = 50) -> list[Task]:
        """A session's tasks, oldest first, beginning behind (created_at_ms, id)."""
        self._discover()
        with self._memory:
            mine = [(created, task_id) for task_id, (owner, created) in self._known.items() if owner == session]
        tasks = []
        for key in sorted(key for key in mine if key > after):
            with contextlib.suppress(StoreError):
                tasks += filter(None, [self.get(key[1])])
            if len(tasks) == limit:
                break
        return tasks

    def task_ids(self) -> Iterator[str]:
        """The ids of all tasks that have a file here."""
        try:
            names = os.listdir(self.folder)
        except OSError as error:
            raise StoreError(f"the task store cannot be read: {error.strerror}") from error
        yield from (name[:-5] for name in names if name.endswith(".json") and TASK_ID.fullmatch(name[:-5]))

    def _discover(self) -> None:
        """Notes the tasks that another server on this folder has made since we looked."""
        for task_id in self.task_ids():
            if task_id not in self._known:
                with contextlib.suppress(StoreError):
                    task = self.load(task_id)
                    if task:
                        self.remember(task)

    def reload(self) -> Reload:
        """Reads every task after a start.

        A task whose server has died is failed with CRASH_RECOVERY; expired ones go; damaged
        files are set aside and the rest is read on.  A living server's tasks are left alone.
        """
        found = Reload()
        with self.presence.alone():
            for task_id in list(self.task_ids()):
                try:
                    task = self.load(task_id)
                except StoreError:
                    found.damaged.append(task_id)
                    continue
                if task:                     # else another server removed it while we looked
                    self._reload_one(task, found)
            self.presence.tidy()
        return found

    def _reload_one(self, task: Task, found: Reload) -> None:
        if task.finished and self.now_ms() >= task.expires_at_ms:
            self.forget(task.id)
            found.expired += 1
            return
        found.tasks += 1
        self.remember(task)
        if task.finished or self.presence.lives(task.server):
            return
        try:
            task = self._fail_orphan(task)
        except StoreError as error:          # a full disk: get() will try again
            log.warning("%s has lost its server, which could not be written: %s", task.id, error)
        if task and (not task.finished or task.error == crashed()["error"]):     # else it ended before its server did
            found.orphans.append(task.id)


def default_folder() -> pathlib.Path:
    """Where the tasks live unless you say otherwise: /tmp/lesson-13-tasks on Linux."""
    return pathlib.Path(tempfile.gettempdir()) / "lesson-13-tasks"


# ======================================================================================
# Executor: a bounded pool of threads, one Event a task, and what a tool sees
# ======================================================================================

WORKERS = 4                      # tools that run at the same time
MAX_LIVE = 1_000                 # tasks running or waiting for a thread; more are refused
MAX_RESULT_BYTES = 4 << 20       # a larger result belongs in a file, with a link to it


class Cancelled(BaseException):
    """Raised inside a tool that should stop.

    Not an Exception: a tool's own `except Exception` must not swallow it.
    """


class ToolError(Exception):
    """A tool's own words to its caller: the result says isError, with this message."""


class Context:
    """What a tool sees of the world.  This one belongs to a call that somebody waits for.

    There is no task behind it, so nothing is stored and nobody can be asked.
    """

    def __init__(self, cancelled: Callable[[], bool] = lambda: False):
        """`cancelled` tells whether the caller has gone away."""
        self.cancelled = cancelled
        self.saved: dict = {}

    def progress(self, fraction: float, message: str = "") -> None:
        """Reports how far the work is, 0.0 to 1.0.  Raises Cancelled if it should stop."""
        if self.cancelled():
            raise Cancelled

    def ask(self, key: str, method: str, params: dict) -> dict:
        """Asks the client ('elicitation/create', 'sampling/createMessage') and gives its result.

        `key` names the question for the whole life of the task: asked again, it gives the
        same answer.  Raises ToolError if the client answered with an error.
        """
        return self.ask_all({key: (method, params)})[key]

    def ask_all(self, questions: dict[str, tuple[str, dict]]) -> dict[str, dict]:
        """Asks several at once: {key: (method, params)} -> {key: result}."""
        raise ToolError("this call has to ask you something, so it must run as a task")

    def save(self) -> None:
        """Stores `saved`, the checkpoint: a runtime that can resume starts from there."""

    def once(self, effect_key: str, function: Callable[[str], Any]) -> Any:
        """Calls function(idempotency_key) and remembers its result under `effect_key`.

        A crash between the effect and the remembering calls it again with the same
        idempotency key.  Exactly once therefore needs both ends: the receiver must know
        the key and do nothing the second time.
        """
        return function(f"{secrets.token_hex(16)}:{effect_key}")


class TaskContext(Context):
    """The context of a task that a thread runs: `ask` makes the thread wait."""

    def __init__(self, store: Store, task: Task, stop: threading.Event):
        super().__init__(stop.is_set)
        self._store, self._id = store, task.id
        self.saved = dict(task.saved)

    def _change(self, update: Callable[[Task], dict | None]) -> Task:
        """A change that is refused means that the task has ended without us."""
        task = self._store.change(self._id, update)
        if task is None:
            raise Cancelled
        return task

    def progress(self, fraction: float, message: str = "") -> None:
        super().progress(fraction, message)
        done = min(max(float(fraction), 0.0), 1.0)
        with contextlib.suppress(StoreError):             # progress is not worth failing for
            self._change(lambda task: {"progress": max(task.progress, done), "message": message})

    def ask_all(self, questions: dict[str, tuple[str, dict]]) -> dict[str, dict]:
        asked = {key: {"method": method, "params": params} for key, (method, params) in questions.items()}

        def open_questions(task: Task) -> dict:
            new = {key: asked[key] for key in asked.keys() - task.answers.keys()}
            return questions_open({**task.requests, **new})

        self._change(open_questions)
        task = self._store.wait(self._id, lambda task: self._answered(task, asked), threading.TIMEOUT_MAX)
        if task is None or task.finished or self.cancelled():
            raise Cancelled
        return {key: self._answer(key, task.answers[key]) for key in asked}

    def _answered(self, task: Task, asked: dict) -> bool:
        return task.finished or self.cancelled() or asked.keys() <= task.answers.keys()

    @staticmethod
    def _answer(key: str, response: dict) -> dict:
        if "error" in response:
            raise ToolError(f"the client could not answer {key!r}: {response['error'].get('message', '')}")
        return response["result"]

    def save(self) -> None:
        saved = json.loads(json.dumps(self.saved))        # a copy: the tool goes on changing its own
        self._change(lambda task: {"saved": saved})

    def once(self, effect_key: str, function: Callable[[str], Any]) -> Any:
        task = self._store.get(self._id)
        if task is None:
            raise Cancelled
        if effect_key not in task.effects:
            result = function(f"{self._id}:{effect_key}")
            task = self._change(lambda task: {"effects": {**task.effects, effect_key: result}})
        return task.effects[effect_key]


def questions_open(requests: dict) -> dict:
    """The fields of a task with these open questions.

    A person has to act on an elicitation: input_required.  A model answers a sampling
    request by itself: the task goes on working.
    """
    waits = any(request["method"] == "elicitation/create" for request in requests.values())
    return {"requests": requests, "state": "input_required" if waits else "working"}


def run_tool(tool: Tool, arguments: dict, ctx: Context) -> dict:
    """Runs a tool and gives its CallToolResult, the same for a task and for a direct call.

    What the tool raises becomes a result with isError, its words only if it chose them
    (ToolError).  Raises RpcError if the result cannot be sent, Cancelled if it stopped.
    """
    try:
        result = tool.run(arguments, ctx)
    except ToolError as error:
        return text_result(str(error), is_error=True)
    except RpcError:
        raise
    except Exception:
        log.exception("%s raised", tool.name)
        return text_result(f"{tool.name} failed unexpectedly; the server's log says why", is_error=True)
    if not isinstance(result, dict) or not isinstance(result.get("content"), list):
        raise RpcError(INTERNAL_ERROR, f"{tool.name} gave no CallToolResult: a dict with a list 'content'")
    try:
        size = len(json.dumps(result, ensure_ascii=False, allow_nan=False).encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise RpcError(INTERNAL_ERROR, f"the result of {tool.name} is not JSON: {error}") from None
    if size > MAX_RESULT_BYTES:
        raise RpcError(INTERNAL_ERROR, f"the result of {tool.name} has {size} bytes; at most {MAX_RESULT_BYTES} fit")
    return result


def text_result(text: str, structured: dict | None = None, is_error: bool = False) -> dict:
    """A CallToolResult of one text.  Example: text_result('7 files')['isError'] -> False"""
    result = {"content": [{"type": "text", "text": text}], "isError": is_error}
    return result if structured is None else {**result, "structuredContent": structured}


class Executor:
    """Runs tools as tasks on a fixed number of threads.

    Each live task has one threading.Event: set means stop.  Whoever sets it, a client's
    cancel, the end of its time, or the end of the server, the tool notices in one place.
    """

    def __init__(self, store: Store, tools: dict[str, Tool], workers: int = WORKERS):
        self.store, self.tools = store, tools
        self._queue: queue.Queue[str | None] = queue.Queue()
        self._stops: dict[str, threading.Event] = {}
        self._stopping = threading.Event()
        store.listeners.append(self._hear)
        self._threads = [threading.Thread(target=self._work, name=f"worker-{i}", daemon=True)
                         for i in range(workers)]
        for thread in self._threads:
            thread.start()

    def start(self, tool: Tool, arguments: dict, session: str, ttl_ms: int = DEFAULT_TTL_MS) -> Task:
        """Creates a task, on the disk, and queues it.  Raises RpcError if there is no room."""
        if len(self._stops) >= MAX_LIVE:
            raise RpcError(BUSY, f"{MAX_LIVE} tasks are waiting already; try again later", http=503)
        now = self.store.now_ms()
        task = Task(id=f"tsk_{secrets.token_hex(16)}", tool=tool.name, arguments=arguments, session=session,
                    server=self.store.server, created_at_ms=now, updated_at_ms=now,
                    expires_at_ms=now + ttl_ms, ttl_ms=ttl_ms, message="waiting for a free worker")
        self._stops[task.id] = threading.Event()
        try:
            self.store.create(task)
        except StoreError:
            self._stops.pop(task.id, None)
            raise
        self._queue.put(task.id)
        return task

    def cancel(self, task_id: str) -> Task | None:
        """Asks a task to stop; says how it is now.  Harmless in every state, however often."""
        return self.store.request_cancel(task_id)

    def answer(self, task_id: str, key: str, response: dict) -> Task | None:
        """Hands the client's {'result': …} or {'error': …} to a waiting task; None if not asked."""
        def take(task: Task) -> dict | None:
            if key not in task.requests:
                return None
            left = {other: request for other, request in task.requests.items() if other != key}
            return {**questions_open(left), "answers": {**task.answers, key: response}}
        return self.store.change(task_id, take)

    def _hear(self, task: Task) -> None:
        """The store tells of a change: does somebody have to stop?"""
        if task.finished:
            stop = self._stops.pop(task.id, None)
        else:
            stop = self._stops.get(task.id) if task.cancel_requested else None
        if stop:
            stop.set()

    def _work(self) -> None:
        """A worker's life: one task after another.  A failing task is a result, not an end."""
        while (task_id := self._queue.get()) is not None:
            try:
                self._run(task_id)
            except Exception:                # the store stumbled: the task goes to the end of the line
                log.exception("%s could not be begun, will try again", task_id)
                self._stopping.wait(0.2)
                self._queue.put(task_id)

    def _run(self, task_id: str) -> None:
        """One task, from its place in the line to its last state."""
        stop = self._stops.get(task_id)
        task = stop and self.store.change(task_id, lambda task: {"started": True, "message": "started"})
        if task:
            self._finish(task_id, self._outcome(task, stop))

    def _outcome(self, task: Task, stop: threading.Event) -> dict:
        """Runs the tool to its end and gives the fields of the task's last state."""
        try:
            if self._stopping.is_set():
                raise Cancelled
            result = run_tool(self.tools[task.tool], task.arguments, TaskContext(self.store, task, stop))
            return {"state": "completed", "progress": 1.0, "message": "done", "result": result}
        except Cancelled:
            if self._stopping.is_set():
                return failure("SERVER_STOPPED", "the server was shut down", STOPPED)
            return {"state": "cancelled", "message": "stopped at the client's request"}
        except RpcError as error:
            return {"state": "failed", "message": error.message, "error": error.body()}
        except BaseException:                # a tool's sys.exit() must not take the worker along
            log.exception("%s broke out of its task", task.tool)
            return failure("TOOL_CRASHED", "the tool broke down; the server's log says why")

    def _finish(self, task_id: str, outcome: dict) -> None:
        """Writes the last state.  With the disk full it waits for room rather than lose a result."""
        for tries in itertools.count(1):
            try:
                self.store.change(task_id, lambda task: {**outcome, "requests": {}})
                return
            except StoreError as error:
                log.error("%s has ended but cannot be written (try %d): %s", task_id, tries, error)
                if getattr(error.__cause__, "errno", None) == errno.EFBIG:        # it will never fit
                    outcome = {"state": "failed", "message": error.message, "error": error.body()}
            if self._stopping.wait(min(0.05 * 2 ** tries, 1.0)):
                return

    def stop(self, patience_s: float = 2.0) -> None:
        """Tells all tasks to stop and waits for the workers, but not for ever."""
        self._stopping.set()
        for stop in list(self._stops.values()):
            stop.set()
        for _ in self._threads:
            self._queue.put(None)
        deadline = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))


# ======================================================================================
# Tools: generate_report, notes_search, checksum_folder
#
# A tool is run(arguments, ctx) -> CallToolResult, written once.  Nothing in it knows
# whether a thread, a lease on another machine or a waiting caller is behind `ctx`.
# ======================================================================================

TEXT_ENDINGS = {".css", ".csv", ".html", ".js", ".json", ".md", ".py", ".rst", ".toml", ".txt"}
LAB_PARTS = ("main.py", "README.md", "lessons", "outputs", "tests")
MAX_FILES, MAX_FILE_BYTES, MAX_CORPUS_BYTES = 5_000, 1 << 20, 32 << 20
TASK_ABOVE_FILES = 200           # checksum_folder becomes a task above this, if it may


@dataclass(frozen=True)
class Tool:
    """A tool and what tools/list says of it.

    `task_support`: 'forbidden' (always answers at once), 'optional' or 'required' (always
    a task).  `prefers_task(arguments)` decides for an optional tool when the client leaves
    the choice to the server.
    """
    name: str
    title: str
    description: str
    schema: dict
    task_support: str
    run: Callable[[dict, Context], dict]
    prefers_task: Callable[[dict], bool] = lambda arguments: False


KEPT_BACK: set[pathlib.Path] = set()      # what a server keeps to itself: its store, its keys; no tool reads them


def corpus(folder: str | None, ctx: Context | None = None) -> list[tuple[str, pathlib.Path]]:
    """The text files below `folder`, or of the lab: (name, path), sorted by name.

    Never leaves the folder: links are not followed, and hidden names are left out.
    Raises ToolError if there is no such folder or if it holds too much, Cancelled if asked to stop.
    """
    try:
        root = LAB if folder is None else (LAB / folder).resolve()
        if not root.is_dir():
            raise ToolError(f"there is no folder {folder!r}")
        if KEPT_BACK & {root, *root.parents}:
            raise ToolError(f"the folder {folder!r} is the server's own")
    except (OSError, RuntimeError) as error:             # too long a name, a circle of links, a door that is shut
        raise ToolError(f"the folder {folder!r} cannot be read ({type(error).__name__})") from None
    tops = [root / part for part in LAB_PARTS] if root == LAB else [root]
    found, size = [], 0
    for path in itertools.chain(*(text_files(top, ctx) for top in tops)):
        found.append((path.relative_to(root).as_posix(), path))
        size += path.lstat().st_size
        if len(found) > MAX_FILES or size > MAX_CORPUS_BYTES:
            raise ToolError(f"{folder or 'the lab'} holds more than the {MAX_FILES} text files, or the {MAX_CORPUS_BYTES} bytes "
                            "of text, that are read at most: choose a smaller folder")
    return sorted(found)


def text_files(top: pathlib.Path, ctx: Context | None) -> Iterator[pathlib.Path]:
    """Regular text files of a readable size in and below `top`; a file is its own list."""
    walk = os.walk(top, followlinks=False) if top.is_dir() else [(top.parent, [], [top.name])]
    for parent, folders, names in walk:
        if ctx and ctx.cancelled():
            raise Cancelled
        folders[:] = [name for name in folders if not name.startswith((".", "__")) and pathlib.Path(parent, name) not in KEPT_BACK]
        yield from (path for path in (pathlib.Path(parent, name) for name in names) if path not in KEPT_BACK and readable_text(path))


def readable_text(path: pathlib.Path) -> bool:
    """Whether it is a text that the tools read: regular, not hidden, not too large, with a name that can be told."""
    with contextlib.suppress(OSError, UnicodeEncodeError):
        path.name.encode("utf-8")
        about = path.lstat()
        return (path.suffix in TEXT_ENDINGS and not path.name.startswith(".") and stat.S_ISREG(about.st_mode)
                and about.st_size <= MAX_FILE_BYTES and os.access(path, os.R_OK))
    return False


def read_bytes(path: pathlib.Path) -> bytes:
    """A file's bytes, at most MAX_FILE_BYTES.  A link put there in the meantime is not followed."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags), "rb") as file:
        return file.read(MAX_FILE_BYTES)


def rest(ctx: Context, seconds: float) -> None:
    """Waits, but leaves early if asked to: a sleep that nobody can interrupt is a bug."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0 and not ctx.cancelled():
        time.sleep(min(left, 0.02))


# ---- generate_report: extract, count, summarise, write -----------------------------

def generate_report(arguments: dict, ctx: Context) -> dict:
    """Reads a folder and writes a report of it, in stages that show and that can be stopped."""
    ctx.progress(0.0, "listing files")
    texts = corpus(arguments.get("folder"), ctx)
    pause_s = arguments.get("pace_ms", 0) / 1000 / (len(texts) + 2)
    counts = count_texts(texts, ctx, pause_s)
    title = ask_title(ctx) if arguments.get("ask_title") else arguments.get("title", "Report")
    ctx.progress(0.85, "summarising")
    rest(ctx, pause_s)
    facts = summarise(title, counts)
    facts["summary"] = ask_model(ctx, facts) if arguments.get("use_model") else plain_summary(facts)
    ctx.progress(0.95, "writing the report")
    rest(ctx, pause_s)
    ctx.progress(1.0, "report written")
    return text_result(report_text(facts), facts)


def count_texts(texts: list, ctx: Context, pause_s: float) -> dict:
    """Reads file after file into ctx.saved, so that a runtime that can resume goes on from there."""
    saved = ctx.saved
    saved.setdefault("files", {})
    saved.setdefault("words", {})
    saved.setdefault("headings", [])
    for position, (name, path) in enumerate(texts, start=1):
        if name in saved["files"]:
            continue
        text = read_bytes(path).decode("utf-8", errors="replace")
        words = re.findall(r"\w+", text.lower())
        saved["files"][name] = {"lines": len(text.splitlines()), "words": len(words), "bytes": path.lstat().st_size}
        for word, times in collections.Counter(w for w in words if len(w) > 3 and w.isalpha()).items():
            saved["words"][word] = saved["words"].get(word, 0) + times
        saved["headings"] += [line.strip("# ") for line in text.splitlines() if name.endswith(".md") and re.match("#+ ", line)]
        if position % 10 == 0:
            ctx.save()
        ctx.progress(0.8 * position / len(texts), f"{position} of {len(texts)} files read")
        rest(ctx, pause_s)
    ctx.save()
    return saved


def summarise(title: str, counts: dict) -> dict:
    """The report's numbers, each of which can be checked against the folder."""
    files = counts["files"]
    frequent = sorted(counts["words"].items(), key=lambda item: (-item[1], item[0]))
    return {"title": title, "files": len(files),
            **{what: sum(file[what] for file in files.values()) for what in ("lines", "words", "bytes")},
            "longest": sorted(files, key=lambda name: (-files[name]["lines"], name))[:5],
            "frequent": [[word, times] for word, times in frequent[:8]],
            "headings": counts["headings"][:10]}


def plain_summary(facts: dict) -> str:
    """One sentence without a model."""
    subject = ", ".join(word for word, _ in facts["frequent"][:3]) or "nothing"
    return f"{facts['files']} files with {facts['words']} words, mostly about {subject}."


def ask_title(ctx: Context) -> str:
    """Asks the person at the client; whoever declines gets a plain title."""
    answer = ctx.ask("report_title", "elicitation/create", {
        "mode": "form",
        "message": "What should the report be called?",
        "requestedSchema": {"type": "object", "required": ["title"], "properties": {
            "title": {"type": "string", "title": "Title", "minLength": 1, "maxLength": 80}}}})
    return answer["content"]["title"] if answer["action"] == "accept" else "Report"


def ask_model(ctx: Context, facts: dict) -> str:
    """Asks the client's model: the server itself has none."""
    question = "Summarise in one sentence: " + json.dumps(facts, ensure_ascii=False)
    answer = ctx.ask("report_summary", "sampling/createMessage", {
        "messages": [{"role": "user", "content": {"type": "text", "text": question}}], "maxTokens": 200})
    content = answer["content"] if isinstance(answer["content"], list) else [answer["content"]]
    return " ".join(block.get("text", "") for block in content)


def report_text(facts: dict) -> str:
    """The report as Markdown."""
    lines = [f"# {facts['title']}", "", facts["summary"], "",
             f"- files: {facts['files']}", f"- lines: {facts['lines']}",
             f"- words: {facts['words']}", f"- bytes: {facts['bytes']}",
             "", "## Longest files", *(f"- {name}" for name in facts["longest"]),
             "", "## Frequent words", *(f"- {word}: {times}" for word, times in facts["frequent"]),
             "", "## Headings", *(f"- {heading}" for heading in facts["headings"])]
    return "\n".join(lines) + "\n"


# ---- notes_search and checksum_folder ----------------------------------------------

def notes_search(arguments: dict, ctx: Context) -> dict:
    """Finds lines in the same texts that generate_report reads."""
    wanted, limit = arguments["query"].casefold(), arguments.get("limit", 5)
    matches = []
    for name, path in corpus(arguments.get("folder"), ctx):
        ctx.progress(0.0)
        text = read_bytes(path).decode("utf-8", errors="replace")
        matches += [{"file": name, "line": number, "text": line.strip()[:200]}
                    for number, line in enumerate(text.splitlines(), start=1) if wanted in line.casefold()]
        if len(matches) >= limit:
            break
    matches = matches[:limit]
    text = "\n".join(f"{match['file']}:{match['line']}: {match['text']}" for match in matches)
    return text_result(text or "nothing found", {"matches": matches})


def checksum_folder(arguments: dict, ctx: Context) -> dict:
    """SHA-256 of each text file: quick for a few, a task for many."""
    texts = corpus(arguments.get("folder"), ctx)
    sums = {}
    for name, path in texts:
        sums[name] = hashlib.sha256(read_bytes(path)).hexdigest()
        ctx.progress(len(sums) / len(texts), f"{len(sums)} of {len(texts)} files")
    return text_result(f"{len(sums)} files", {"sha256": sums})


def many_files(arguments: dict) -> bool:
    """Whether checksum_folder has enough to do to be worth a task."""
    with contextlib.suppress(ToolError):
        return len(corpus(arguments.get("folder"))) > TASK_ABOVE_FILES
    return False


FOLDER = {"type": "string", "minLength": 1, "maxLength": 500, "pattern": "^[^\\u0000]+$",
          "description": "A folder on the server; the lab's own texts if left out"}
TOOLS = {tool.name: tool for tool in (
    Tool("generate_report", "Report on a folder", "Reads a folder's texts, counts and summarises them. Takes minutes.",
         {"type": "object", "additionalProperties": False, "properties": {
             "folder": FOLDER,
             "title": {"type": "string", "minLength": 1, "maxLength": 80},
             "ask_title": {"type": "boolean", "description": "Ask the person for the title"},
             "use_model": {"type": "boolean", "description": "Let the client's model write the summary"},
             "pace_ms": {"type": "integer", "minimum": 0, "maximum": 600_000,
                         "description": "Stretch the work over this many milliseconds"}}},
         "required", generate_report),
    Tool("notes_search", "Search the notes", "Finds lines that contain a text. Answers at once.",
         {"type": "object", "additionalProperties": False, "required": ["query"], "properties": {
             "query": {"type": "string", "minLength": 1, "maxLength": 200},
             "folder": FOLDER,
             "limit": {"type": "integer", "minimum": 1, "maximum": 50}}},
         "forbidden", notes_search),
    Tool("checksum_folder", "Checksums of a folder", "SHA-256 of each text file of a folder.",
         {"type": "object", "additionalProperties": False, "properties": {"folder": FOLDER}},
         "optional", checksum_folder, many_files),
)}


# ---- checking arguments against a schema -------------------------------------------

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
         "number": (int, float), "null": type(None)}
LIMITS = (("minimum", lambda v, n: v >= n, "at least {}"), ("maximum", lambda v, n: v <= n, "at most {}"),
          ("minLength", lambda v, n: len(v) >= n, "at least {} characters long"),
          ("maxLength", lambda v, n: len(v) <= n, "at most {} characters long"),
          ("minItems", lambda v, n: len(v) >= n, "at least {} items long"),
          ("maxItems", lambda v, n: len(v) <= n, "at most {} items long"),
          ("pattern", lambda v, n: re.search(n, v), "of the form {}"),
          ("enum", lambda v, n: v in n, "one of {}"))


def check(schema: dict, value: Any, where: str) -> None:
    """Checks a value against the part of JSON Schema that our tools use.

    Raises RpcError -32602 that names the field.  Example:
    check({'type': 'integer'}, True, 'pace_ms') -> 'pace_ms must be of type integer'
    """
    kinds = KINDS.get(schema.get("type"), object)
    is_bool = isinstance(value, bool)        # to Python True is an int; to JSON it is not
    if not isinstance(value, kinds) or (is_bool and kinds in (int, (int, float))):
        raise RpcError(INVALID_PARAMS, f"{where} must be of type {schema['type']}")
    for name, holds, words in LIMITS:
        if name in schema and not holds(value, schema[name]):
            raise RpcError(INVALID_PARAMS, f"{where} must be {words.format(schema[name])}")
    if isinstance(value, dict):
        check_object(schema, value, where)
    if isinstance(value, list) and "items" in schema:
        for position, item in enumerate(value):
            check(schema["items"], item, f"{where}[{position}]")


def check_object(schema: dict, value: dict, where: str) -> None:
    """The part of `check` about an object's properties."""
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise RpcError(INVALID_PARAMS, f"{where}.{name} is missing")
    for name, item in value.items():
        if name in properties:
            check(properties[name], item, f"{where}.{name}")
        elif schema.get("additionalProperties") is False:
            known = ", ".join(properties) or "none"
            raise RpcError(INVALID_PARAMS, f"{where}.{name} is not known; known are: {known}")


# ======================================================================================
# Methods: the lesson dialect over the store and the executor
#
#     tools/call {name, arguments, _meta: {task: {required: true}}}  -> {_meta: {task: {id, state, ttl}}}
#     tasks/status {taskId}             -> {taskId, state, progress, ...}
#     tasks/result {taskId, waitMs?}    -> the tool's result; 404 while there is none
#     tasks/cancel {taskId}             -> {taskId, state}
#     tasks/list {cursor?}              -> {tasks, nextCursor?}
#     GET /mcp?taskId=...               -> notifications/tasks/updated, and the tasks' questions
# ======================================================================================

POLL_INTERVAL_MS = 500
MAX_WAIT_MS = 30_000
MAX_PENDING = 1_000              # messages that a slow listener may be behind
KEEP_ALIVE_S = 15.0
PROTOCOLS = ("2025-11-25", "2025-06-18", "2025-03-26")     # whose basics this dialect shares
TASK_OPTIONS = {"type": "object", "additionalProperties": False, "properties": {
    "required": {"type": "boolean"}, "optional": {"type": "boolean"},
    "ttl": {"type": "integer", "minimum": 1}}}
ANSWERS = {"elicitation/create": {"type": "object", "required": ["action"], "properties": {
               "action": {"type": "string", "enum": ["accept", "decline", "cancel"]},
               "content": {"type": "object"}}},
           "sampling/createMessage": {"type": "object", "required": ["role", "content", "model"], "properties": {
               "role": {"type": "string"}, "model": {"type": "string"}}}}
BLOCK = {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}, "text": {"type": "string"}}}


def status_view(task: Task) -> dict:
    """What tasks/status, tasks/list and the stream say of a task."""
    view = {"taskId": task.id, "state": task.state, "progress": round(task.progress, 3),
            "statusMessage": task.message, "tool": task.tool,
            "createdAt": iso(task.created_at_ms), "lastUpdatedAt": iso(task.updated_at_ms),
            "ttl": task.ttl_ms, "pollInterval": POLL_INTERVAL_MS}
    if task.requests:
        view["inputRequests"] = task.requests
    return {**view, "error": task.error} if task.error else view


class Listener:
    """One open stream: a mailbox that a slow reader cannot make others wait for."""

    def __init__(self, session: str, task_ids: set[str]):
        self.session, self.task_ids, self.narrow = session, task_ids, bool(task_ids)
        self.lost = False
        self._pending: dict[Any, dict] = {}       # a newer progress report replaces an older one
        self._newest: dict[str, int] = {}         # task id -> the last revision put
        self._asked: set[str] = set()
        self._wake = threading.Condition()

    def put(self, task: Task) -> None:
        """Takes in a task's change, if this listener may and wants to hear of it."""
        if task.session != self.session or (self.narrow and task.id not in self.task_ids):
            return
        with self._wake:
            if self._newest.get(task.id, 0) >= task.revision:
                return
            self._newest[task.id] = task.revision
            self._post((task.id, task.state), {"method": "notifications/tasks/updated", "params": status_view(task)})
            for key, request in task.requests.items():
                request_id = f"{task.id}/{key}"
                if request_id not in self._asked:
                    self._asked.add(request_id)
                    self._post(request_id, {"id": request_id, **request})
            if task.finished:
                self.task_ids.discard(task.id)
                self._asked = {asked for asked in self._asked if not asked.startswith(task.id)}
            if len(self._newest) > MAX_PENDING:
                del self._newest[next(iter(self._newest))]
            self.lost = self.lost or len(self._pending) > MAX_PENDING
            self._wake.notify()

    def _post(self, key: Any, message: dict) -> None:
        self._pending.pop(key, None)              # the newest goes to the end of the line
        self._pending[key] = {"jsonrpc": "2.0", **message}

    def messages(self, gone: Callable[[], bool] = lambda: False, look: Callable[[], None] = lambda: None) -> Iterator[dict | None]:
        """What to send until the listener is `gone` or all its tasks are finished; None keeps alive."""
        spoke = time.monotonic()
        while not (self.lost or gone()):
            look()
            with self._wake:
                self._wake.wait_for(lambda: self._pending or self.lost, 0.25)
                batch, self._pending = list(self._pending.values()), {}
                over = self.narrow and not self.task_ids
            if not batch and time.monotonic() - spoke > KEEP_ALIVE_S:
                batch = [None]
            if batch:
                spoke = time.monotonic()
            yield from batch
            if over:
                return

    def close(self) -> None:
        """Ends the stream."""
        with self._wake:
            self.lost = True
            self._wake.notify()


class LessonMethods:
    """The methods of the lesson dialect, and its stream."""

    def __init__(self, store: Store, executor: Executor, tools: dict[str, Tool]):
        self.store, self.executor, self.tools = store, executor, tools
        self._listeners: set[Listener] = set()
        store.listeners.append(self._publish)

    def table(self) -> dict[str, Callable]:
        """Method name -> function(params, request) -> result."""
        return {"initialize": self.initialize, "ping": lambda params, request: {},
                "tools/list": self.tools_list, "tools/call": self.tools_call,
                "tasks/status": self.tasks_status, "tasks/result": self.tasks_result,
                "tasks/cancel": self.tasks_cancel, "tasks/list": self.tasks_list}

    # ---- as published in 2025-11-25 ------------------------------------------------

    def initialize(self, params: dict, request: Request) -> dict:
        """An ordinary client's first call.  The session that it names is only a name."""
        asked = params.get("protocolVersion")
        request.reply_headers["Mcp-Session-Id"] = request.session or f"ses_{secrets.token_hex(16)}"
        return {"protocolVersion": asked if asked in PROTOCOLS else PROTOCOLS[0],
                "capabilities": {"tools": {}, "experimental": {"lesson-13-tasks": {}}},
                "serverInfo": {"name": "lesson-13", "title": "Call now, fetch later", "version": VERSION},
                "instructions": "generate_report runs only as a task: set params._meta.task.required."}

    def tools_list(self, params: dict, request: Request) -> dict:
        """The tools, and for each whether it may, must or must not become a task.

        2025-11-25 says that under `execution`; older clients show `annotations`.
        """
        if params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "params.cursor: the list has one page; leave the cursor out")
        return {"tools": [{"name": tool.name, "title": tool.title, "description": tool.description,
                           "inputSchema": tool.schema, "annotations": {"taskSupport": tool.task_support},
                           "execution": {"taskSupport": tool.task_support}} for tool in self.tools.values()]}

    # ---- call now ------------------------------------------------------------------

    def tools_call(self, params: dict, request: Request) -> dict:
        """Runs a tool: at once, or as a task if the client opted in and the tool allows it.

        Everything is checked before a task exists, so a refused call leaves nothing behind.
        """
        check({"type": "string"}, params.get("name"), "params.name")
        tool = self.tools.get(params["name"])
        if tool is None:
            raise RpcError(INVALID_PARAMS, f"params.name: there is no tool {params['name']!r}; see tools/list")
        arguments = params.get("arguments", {})
        check(tool.schema, arguments, "params.arguments")
        options = task_options(params)
        if not self._as_task(tool, arguments, options):
            return run_tool(tool, arguments, Context(request.gone))
        ttl_ms = min(options.get("ttl", DEFAULT_TTL_MS), DEFAULT_TTL_MS)
        task = self.executor.start(tool, arguments, request.session, ttl_ms)
        return {"_meta": {"task": {"id": task.id, "state": task.state, "ttl": task.ttl_ms}}}

    @staticmethod
    def _as_task(tool: Tool, arguments: dict, options: dict) -> bool:
        """Decides between answer and task; refuses what the tool's taskSupport rules out."""
        required, optional = options.get("required", False), options.get("optional", False)
        if tool.task_support == "forbidden":
            if required:
                raise RpcError(INVALID_PARAMS, f"params._meta.task: {tool.name} has taskSupport 'forbidden': "
                                               "it answers at once; call it without _meta.task")
            return False
        if tool.task_support == "required" and not (required or optional):
            raise RpcError(INVALID_PARAMS, f"params._meta.task: {tool.name} has taskSupport 'required': it takes "
                                           "too long to wait for; set params._meta.task to {\"required\": true}")
        return required or tool.task_support == "required" or (optional and tool.prefers_task(arguments))

    # ---- fetch later ---------------------------------------------------------------

    def _task(self, params: dict, request: Request) -> Task:
        """The caller's own task.  Somebody else's is answered exactly like one that never was."""
        check({"type": "string"}, params.get("taskId"), "params.taskId")
        task = self.store.get(params["taskId"])
        if task is None or task.session != request.session:
            raise RpcError(INVALID_PARAMS, "params.taskId: there is no such task, or its ttl is over", http=404)
        return task

    def tasks_status(self, params: dict, request: Request) -> dict:
        """How the task is now."""
        return status_view(self._task(params, request))

    def tasks_result(self, params: dict, request: Request) -> dict:
        """The tool's result, after waiting up to waitMs for it.

        Raises RpcError: HTTP 404 while there is none; the task's own error if it failed.
        """
        check({"type": "integer", "minimum": 0, "maximum": MAX_WAIT_MS}, params.get("waitMs", 0), "params.waitMs")
        task = self._task(params, request)
        if params.get("waitMs", 0) and not task.finished:
            until = lambda task: task.finished or request.gone()
            task = self.store.wait(task.id, until, params["waitMs"] / 1000) or self._task(params, request)
        if task.state == "completed" and task.result:
            return task.result
        if task.state == "failed" and task.error:
            raise RpcError(task.error["code"], task.error["message"], task.error.get("data"), http=200)
        data = {"taskId": task.id, "state": task.state, "pollInterval": POLL_INTERVAL_MS}
        if task.state == "cancelled":
            raise RpcError(STOPPED, "the task was cancelled, so it has no result", data)
        raise RpcError(NOT_READY, f"the task is {task.state}; its result is not there yet", data, http=404)

    def tasks_cancel(self, params: dict, request: Request) -> dict:
        """Asks the task to stop.  A finished task stays as it is, and the answer is the same again."""
        task = self.executor.cancel(self._task(params, request).id) or self._task(params, request)
        return {"taskId": task.id, "state": task.state}

    def tasks_list(self, params: dict, request: Request) -> dict:
        """The session's tasks, oldest first, in pages of 50."""
        tasks = self.store.page(request.session, read_cursor(params.get("cursor")), limit=51)
        page = {"tasks": [status_view(task) for task in tasks[:50]]}
        return {**page, "nextCursor": make_cursor(tasks[49])} if len(tasks) > 50 else page

    # ---- the stream ----------------------------------------------------------------

    def listen(self, request: Request) -> Iterator[dict | None]:
        """GET /mcp: the session's tasks as they change, or only those named by ?taskId=.

        Begins with how they are now, so that whoever comes late has missed nothing.
        """
        unknown = request.query.keys() - {"taskId"}
        if unknown:
            raise RpcError(INVALID_PARAMS, f"?{min(unknown)}= is not known here; known is ?taskId=", http=400)
        wanted = {self._task({"taskId": task_id}, request).id for task_id in request.query.get("taskId", ())}
        return self._stream(Listener(request.session, wanted), request.gone)

    def _stream(self, listener: Listener, gone: Callable[[], bool]) -> Iterator[dict | None]:
        self._listeners.add(listener)
        try:
            if not listener.narrow:
                for task in self._live_tasks(listener.session):
                    listener.put(task)
            yield from listener.messages(gone, lambda: self._look(listener))
        finally:
            self._listeners.discard(listener)

    def _live_tasks(self, session: str) -> Iterator[Task]:
        """All tasks of a session that are not finished."""
        after = (0, "")
        while page := self.store.page(session, after):
            yield from (task for task in page if not task.finished)
            after = (page[-1].created_at_ms, page[-1].id)

    def _look(self, listener: Listener) -> None:
        """How the named tasks are now: another server's tasks change without telling us."""
        for task_id in list(listener.task_ids):
            task = self.store.get(task_id)
            listener.put(task) if task else listener.task_ids.discard(task_id)

    def _publish(self, task: Task) -> None:
        for listener in list(self._listeners):
            listener.put(task)

    def answered(self, message: dict, request: Request) -> None:
        """A posted JSON-RPC response: the client's answer to a task's question.

        Raises RpcError if nothing like it was asked, or if the answer has the wrong shape;
        the task then goes on waiting.  A second answer to the same question is ignored.
        """
        task_id, _, key = str(message["id"]).partition("/")
        task = self.store.get(task_id)
        if task is None or task.session != request.session or key not in {*task.requests, *task.answers}:
            raise RpcError(INVALID_REQUEST, f"no task has asked a question with id {message['id']!r}")
        if key in task.requests:
            response = {name: message[name] for name in ("result", "error") if name in message}
            check_answer(task.requests[key], response)
            if task.server != self.store.server:
                raise RpcError(BUSY, "another server runs this task; answer there", http=503)
            self.executor.answer(task_id, key, response)

    def close(self) -> None:
        """Ends all streams."""
        for listener in list(self._listeners):
            listener.close()


def task_options(params: dict) -> dict:
    """params._meta.task, checked.  Example: {'required': True, 'ttl': 60000}"""
    meta = params.get("_meta", {})
    if not isinstance(meta, dict):
        raise RpcError(INVALID_PARAMS, "params._meta must be of type object", http=400)
    options = meta.get("task", {})
    check(TASK_OPTIONS, options, "params._meta.task")
    return options


def check_answer(asked: dict, response: dict) -> None:
    """Raises RpcError -32602 unless a client's response fits its question."""
    if "error" in response:
        check({"type": "object", "required": ["code", "message"]}, response["error"], "error")
    else:
        check_result(asked, response["result"], "result")


def check_result(asked: dict, result: Any, where: str) -> None:
    """Raises RpcError -32602 unless a client's result fits the question {method, params}."""
    check(ANSWERS.get(asked["method"], {"type": "object"}), result, where)
    content = result.get("content")
    if result.get("action") == "accept":
        check(asked["params"].get("requestedSchema", {}), content, f"{where}.content")
    if asked["method"] == "sampling/createMessage":
        for block in content if isinstance(content, list) else [content]:
            check(BLOCK, block, f"{where}.content")


def make_cursor(task: Task) -> str:
    """An opaque place in the list: behind this task."""
    return base64.urlsafe_b64encode(f"{task.created_at_ms}/{task.id}".encode()).decode()


def read_cursor(cursor: str | None) -> tuple[int, str]:
    """The reverse of make_cursor.  Raises RpcError for anything else."""
    if cursor is None:
        return (0, "")
    try:
        created, _, task_id = base64.b64decode(cursor, altchars=b"-_", validate=True).decode().partition("/")
        if TASK_ID.fullmatch(task_id) and re.fullmatch("[0-9]{1,15}", created):
            return (int(created), task_id)
    except (TypeError, ValueError):
        pass
    raise RpcError(INVALID_PARAMS, "params.cursor is not one that this server gave out; begin without it")


# ======================================================================================
# Server: JSON-RPC over HTTP, and every rule of the transport
#
# It knows nothing of tasks.  The 2026-07-28 server of the exercises uses it as it is.
# ======================================================================================

PATH = "/mcp"
MAX_BODY = 4 << 20
MAX_DEPTH = 64                   # of nesting in a message
MAX_CONNECTIONS = 256
MAX_STREAMS = 64
PATIENCE_S = 30.0                # a client has this long to send a whole request, or to take an answer
HTTP_STATUS = {PARSE_ERROR: 400, INVALID_REQUEST: 400, HEADER_MISMATCH: 400, MISSING_CAPABILITY: 400,
               UNSUPPORTED_VERSION: 400, METHOD_NOT_FOUND: 404, INTERNAL_ERROR: 500}
CLIENT_GONE = 499                # never sent: nobody is left to read it
LOCAL = r"(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?"       # how this machine calls itself
LOCAL_HOST, LOCAL_ORIGIN = re.compile(LOCAL, re.I), re.compile(f"https?://{LOCAL}", re.I)
SINGLE_HEADERS = {"host", "origin", "content-type", "content-length", "authorization", "mcp-session-id",
                  "mcp-protocol-version", "mcp-method", "mcp-name"}
REQUEST_LINE = re.compile(rb"([!-~]+) ([!-~]+) HTTP/([0-9]\.[0-9])\r?\n")
HEADER_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\0\r\n]*)\r?\n")
MAX_HEADERS, MAX_LINE = 100, 65_536


@dataclass
class Request:
    """One HTTP request, read in full.  `message` is the JSON-RPC object of a POST."""
    verb: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]                           # by lower-cased name
    body: bytes = b""
    message: dict | None = None
    gone: Callable[[], bool] = lambda: False          # has the client hung up?
    reply_headers: dict[str, str] = field(default_factory=dict)
    error: RpcError | None = None                     # what it was answered with
    facts: dict = field(default_factory=dict)         # what a log line should say of it

    @property
    def target(self) -> str:
        """Example: 'GET /metrics'"""
        return f"{self.verb} {self.path}"

    @property
    def session(self) -> str:
        """The name in Mcp-Session-Id; '' for a client without one."""
        return self.headers.get("mcp-session-id", "")


def parse_message(body: bytes) -> dict:
    """The JSON-RPC object in a body.

    Raises RpcError: -32700 if it is no JSON, -32600 if it is no single JSON-RPC 2.0 message.
    Stricter than json.loads: UTF-8 only, no NaN, nothing twice, no half characters, no
    numbers that overflow and no nesting that exhausts the stack.
    """
    try:
        text = body.decode("utf-8")
        message = STRICT_JSON.decode(text)
    except (ValueError, RecursionError) as error:
        raise RpcError(PARSE_ERROR, f"the body is not JSON in UTF-8: {error}") from None
    if body.count(b"[") + body.count(b"{") > MAX_DEPTH and depth(message) > MAX_DEPTH:
        raise RpcError(INVALID_REQUEST, f"the message is nested deeper than {MAX_DEPTH}")
    if re.search(rb"\\u[dD][89a-fA-F]", body):
        try:
            json.dumps(message, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            raise RpcError(INVALID_REQUEST, "a string holds half of a surrogate pair") from None
    check_message(message)
    return message


def no_constant(name: str) -> None:
    """Refuses NaN and Infinity, which Python reads and JSON does not have."""
    raise ValueError(f"{name} is not a JSON number")


def finite(digits: str) -> float:
    """Refuses 1e400, which would come back as Infinity."""
    if abs(float(digits)) == float("inf"):
        raise ValueError(f"the number {digits[:20]} is too large")
    return float(digits)


def short_int(digits: str) -> int:
    """Refuses a number so long that reading it is an attack."""
    if len(digits) > 100:
        raise ValueError(f"a number has {len(digits)} digits; at most 100 are read")
    return int(digits)


def no_duplicates(pairs: list[tuple[str, Any]]) -> dict:
    """Refuses an object with the same key twice, of which two readers might see different ones."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("an object has the same key twice")
    return found


STRICT_JSON = json.JSONDecoder(parse_constant=no_constant, parse_float=finite, parse_int=short_int,
                               object_pairs_hook=no_duplicates)
PLAIN_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def header_error(line: bytes) -> Exception:
    """What to raise for a line that is no header."""
    if not line.endswith(b"\n"):
        if len(line) > MAX_LINE:
            return RpcError(INVALID_REQUEST, f"a header line is longer than {MAX_LINE} bytes", http=431)
        return ConnectionError("the client hung up in the middle of a header")
    return RpcError(INVALID_REQUEST, "a header line is malformed; write it as Name: value", http=400)


def depth(value: Any) -> int:
    """How deep lists and objects nest, found without recursion.  Example: depth([[1]]) -> 2"""
    level, layer = 0, [value]
    while layer := [item for item in layer if isinstance(item, (dict, list))]:
        level += 1
        layer = [child for item in layer for child in (item.values() if isinstance(item, dict) else item)]
    return level


def encode(reply: dict | None) -> bytes:
    """The bytes of an answer.  Raises ValueError for what JSON in UTF-8 cannot say."""
    return b"" if reply is None else PLAIN_JSON.encode(reply).encode("utf-8")


def error_reply(error: RpcError, message_id: str | int | None = None, clean: Callable[[dict], dict] = lambda body: body) -> tuple[int, bytes]:
    """(HTTP status, body) that carry an error."""
    status = error.http or HTTP_STATUS.get(error.code, 200)
    return status, encode({"jsonrpc": "2.0", "id": message_id, "error": clean(error.body())})


def check_message(message: Any) -> None:
    """JSON-RPC 2.0, sections 4 and 5, and MCP: one object, never a batch, and no null id."""
    if isinstance(message, list):
        raise RpcError(INVALID_REQUEST, "batches are not part of MCP: send one object a request")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, 'the body must be one JSON object with "jsonrpc": "2.0"')
    if "id" in message and (isinstance(message["id"], bool) or not isinstance(message["id"], (str, int))):
        raise RpcError(INVALID_REQUEST, "id must be a string or an integer")
    if "method" in message:
        if not isinstance(message["method"], str):
            raise RpcError(INVALID_REQUEST, "method must be a string")
    elif "id" not in message or ("result" in message) == ("error" in message):
        raise RpcError(INVALID_REQUEST, "the message is neither a request (method) nor a response (id and result or error)")


def hung_up(sock: socket.socket) -> bool:
    """Whether the other side has closed a connection, found by a look that takes nothing from it."""
    before = sock.gettimeout()
    try:
        sock.settimeout(0)
        return sock.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        with contextlib.suppress(OSError):
            sock.settimeout(before)


class JsonRpcServer(ThreadingHTTPServer):
    """Serves JSON-RPC methods at /mcp on this machine only.

    `methods`: name -> function(params, request) -> result, or an iterator of messages that
        are streamed as Server-Sent Events (None among them keeps the stream alive).
    `guard(request)`: sees every message before its method does; refuses by raising RpcError.
    `stream(request)`: what GET /mcp streams; without it GET is answered 405.
    `answered(message, request)`: takes posted responses; without it they are refused.
    `admit(request)`: sees every request before its body is looked at; refuses like guard.
    `pages`: 'GET /path' or 'POST /path' -> function(request) -> (content type, bytes).
    `observe(request, status, seconds)`: is told of every answer.
    `clean(error body)`: the last look at an error before it is sent.
    """
    daemon_threads = True
    request_queue_size = 128
    allow_reuse_address = os.name != "nt"      # on Windows it would share the port with a stranger

    def __init__(self, methods: dict[str, Callable], guard: Callable = lambda request: None,
                 stream: Callable | None = None, answered: Callable | None = None,
                 port: int = 0, origins: tuple[str, ...] = (), admit: Callable = lambda request: None,
                 pages: dict[str, Callable] | None = None, observe: Callable = lambda request, status, seconds: None,
                 clean: Callable[[dict], dict] = lambda body: body):
        """`port` 0 takes any free one; `origins` are web pages allowed besides local ones."""
        self.methods, self.guard, self.stream, self.answered, self.origins = methods, guard, stream, answered, origins
        self.admit, self.pages, self.observe, self.clean = admit, pages or {}, observe, clean
        self.open: set[socket.socket] = set()
        self.owing: dict[socket.socket, float] = {}      # whose turn it is to send or to take, and since when; oldest first
        self.streams = threading.BoundedSemaphore(MAX_STREAMS)
        super().__init__(("127.0.0.1", port), RpcHandler)

    @property
    def url(self) -> str:
        """Example: http://127.0.0.1:8013/mcp"""
        return f"http://127.0.0.1:{self.server_port}{PATH}"

    def server_bind(self) -> None:
        """As HTTPServer does, without asking a name server who we are."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    # ---- answering -----------------------------------------------------------------

    def answer(self, request: Request) -> tuple[int, Any]:
        """(HTTP status, body) for a request; the body is bytes, or an iterator to stream."""
        began = time.perf_counter()
        try:
            status, body = self.find_answer(request)
        except Cancelled:
            status, body = CLIENT_GONE, b""
        except BaseException as error:         # a tool's sys.exit() must not cost its caller the answer
            if not isinstance(error, RpcError):
                log.exception("a request failed")
                error = RpcError(INTERNAL_ERROR, "internal error; the server's log says more")
            request.error = error
            asked = request.message if request.message and "method" in request.message else {}
            status, body = error_reply(error, asked.get("id"), self.clean)
        self.observe(request, status, time.perf_counter() - began)
        return status, body

    def find_answer(self, request: Request) -> tuple[int, Any]:
        """The same, or whatever is raised on the way."""
        self.check_http(request)
        if request.target in self.pages:
            request.reply_headers["Content-Type"], body = self.pages[request.target](request)
            return 200, body
        self.admit(request)
        if request.verb == "GET":
            self.guard(request)
            return 200, self.stream(request)
        request.message = parse_message(request.body)
        self.guard(request)
        status, reply = self.dispatch(request)
        return status, reply if hasattr(reply, "__next__") else encode(reply)

    def check_http(self, request: Request) -> None:
        """Who may ask, where and how: Streamable HTTP, sections Security and Sending Messages."""
        origin, host = request.headers.get("origin"), request.headers.get("host")
        if host is None:
            raise RpcError(INVALID_REQUEST, "the Host header is missing", http=400)
        if not LOCAL_HOST.fullmatch(host):
            raise RpcError(INVALID_REQUEST, f"Host {host!r} is not this machine; use 127.0.0.1 or localhost", http=403)
        if origin is not None and origin not in self.origins and not LOCAL_ORIGIN.fullmatch(origin):
            raise RpcError(INVALID_REQUEST, f"Origin {origin!r} may not call this server", http=403)
        if request.verb == "GET" and request.target in self.pages:
            return
        if request.path != PATH and request.target not in self.pages:
            raise RpcError(INVALID_REQUEST, f"there is nothing at {request.path!r}; the endpoint is {PATH}", http=404)
        if request.verb == "GET" and self.stream:
            if not re.search(r"text/(event-stream|\*)|\*/\*", request.headers.get("accept", "*/*")):
                raise RpcError(INVALID_REQUEST, "GET streams text/event-stream, which Accept rules out", http=406)
            return
        if request.verb != "POST":
            raise RpcError(INVALID_REQUEST, f"{request.verb} is not allowed here; use POST", http=405)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise RpcError(INVALID_REQUEST, "Content-Type must be application/json", http=415)

    def dispatch(self, request: Request) -> tuple[int, Any]:
        """A response or a notification gets 202 and no body; a request gets its result."""
        message = request.message
        if "method" not in message:
            if self.answered is None:
                raise RpcError(INVALID_REQUEST, "this server asks nothing, so it takes no responses")
            self.answered(message, request)
            return 202, None
        if "id" not in message:
            return 202, None                   # a notification; none of them changes anything here
        params = message.get("params", {})
        if not isinstance(params, dict):
            raise RpcError(INVALID_PARAMS, "params must be of type object")
        method = self.methods.get(message["method"])
        if method is None:
            raise RpcError(METHOD_NOT_FOUND, f"there is no method {message['method']!r}")
        result = method(params, request)
        if hasattr(result, "__next__"):
            return 200, result
        return 200, {"jsonrpc": "2.0", "id": message["id"], "result": result}

    # ---- connections ---------------------------------------------------------------

    def process_request(self, sock: socket.socket, address: Any) -> None:
        """A new connection.  When there are too many, the one that idles longest makes room."""
        if len(self.open) >= MAX_CONNECTIONS:
            idle = next(iter(list(self.owing)), None)
            if idle is None:
                return self.turn_away(sock)
            self.hang_up(idle)
        self.open.add(sock)
        super().process_request(sock, address)

    def turn_away(self, sock: socket.socket) -> None:
        """503 to a connection for which there is no room, without waiting for its request."""
        with contextlib.suppress(OSError):
            sock.sendall(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            sock.settimeout(0)
            sock.recv(65536)                   # unread bytes would reset the connection, answer and all
        self.shutdown_request(sock)

    def get_request(self) -> tuple[socket.socket, Any]:
        """The next connection.  Out of file descriptors, the one that idles longest makes room."""
        try:
            return super().get_request()
        except OSError:
            for idle in list(self.owing)[:1]:
                self.hang_up(idle)
            time.sleep(0.01)
            raise

    def service_actions(self) -> None:
        """Called several times a second: ends the connections that keep us waiting too long.

        A time limit on the socket would start anew with each byte; this one does not.
        """
        late = time.monotonic() - PATIENCE_S
        for sock, since in list(self.owing.items()):
            if since < late:
                self.hang_up(sock)

    def clients_turn(self, sock: socket.socket) -> None:
        """From now on the client has to send, or to take, and PATIENCE_S to do it."""
        self.owing.pop(sock, None)
        self.owing[sock] = time.monotonic()

    def hang_up(self, sock: socket.socket) -> None:
        """Ends a connection; its thread notices and cleans up."""
        self.owing.pop(sock, None)
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    def shutdown_request(self, sock: socket.socket) -> None:
        self.open.discard(sock)
        self.owing.pop(sock, None)
        super().shutdown_request(sock)

    def handle_error(self, sock: socket.socket, address: Any) -> None:
        """A client that hangs up is everyday life; anything else is a fault worth a traceback."""
        level = logging.DEBUG if isinstance(sys.exc_info()[1], OSError) else logging.ERROR
        log.log(level, "connection from %s ended", address, exc_info=True)

    def start(self, poll_s: float = 0.05) -> JsonRpcServer:
        """Serves in a thread of its own until stop(), which it looks for every `poll_s`."""
        self._thread = threading.Thread(target=self.serve_forever, args=(poll_s,), daemon=True)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stops listening and ends every connection."""
        self.shutdown()
        self.server_close()
        for sock in list(self.open):
            self.hang_up(sock)
        deadline = time.monotonic() + 2.0
        while self.open and time.monotonic() < deadline:
            time.sleep(0.005)


class RpcHandler(BaseHTTPRequestHandler):
    """One connection: reads each request in full, has it answered, writes the answer at once."""
    protocol_version = "HTTP/1.1"
    server_version = f"lesson-13/{VERSION}"
    disable_nagle_algorithm = True   # an answer does not wait for the other side's acknowledgement
    server: JsonRpcServer

    def handle_one_request(self) -> None:
        self.server.clients_turn(self.connection)
        self.body_read = False
        super().handle_one_request()

    def handle_any(self) -> None:
        """Every HTTP verb comes here, after its head was read."""
        try:
            request = self.read_request()
        except RpcError as error:
            return self.refuse(error)
        self.server.owing.pop(self.connection, None)
        status, body = self.server.answer(request)
        if status == CLIENT_GONE:
            self.close_connection = True
        elif isinstance(body, bytes):
            self.send_body(status, body, request.reply_headers)
        elif self.server.streams.acquire(blocking=False):
            try:
                self.send_stream(body)
            finally:
                self.server.streams.release()
        else:
            busy = RpcError(BUSY, f"{MAX_STREAMS} streams are open already; poll instead", http=503)
            self.send_body(*error_reply(busy, request.message and request.message["id"]))

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_HEAD = handle_any

    # ---- reading -------------------------------------------------------------------

    def parse_request(self) -> bool:
        """Reads a request's head; False after a refusal, as http.server wants it.

        In place of http.server's own, which reads headers as mail headers and forgives what
        HTTP must not: a blank before the colon, a folded line or a bare CR can hide a header
        that a gateway has seen.
        """
        self.command, self.close_connection = "", True
        try:
            line = REQUEST_LINE.fullmatch(self.raw_requestline)
            if line is None:
                raise RpcError(INVALID_REQUEST, "the request line must be like: POST /mcp HTTP/1.1", http=400)
            self.command, self.path, version = (part.decode("ascii") for part in line.groups())
            if version not in ("1.0", "1.1"):
                raise RpcError(INVALID_REQUEST, "speak HTTP/1.1", http=505)
            self.headers = self.read_headers()
        except RpcError as error:
            self.refuse(error)
            return False
        wish = self.headers.get("connection", "").lower()
        self.close_connection = "close" in wish or (version == "1.0" and "keep-alive" not in wish)
        if self.headers.get("expect", "").lower() == "100-continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return True

    def read_headers(self) -> dict[str, str]:
        """Lower-cased name -> value.  RFC 9112, section 5: what is malformed is refused, not repaired."""
        headers: dict[str, str] = {}
        for _ in range(MAX_HEADERS):
            line = self.rfile.readline(MAX_LINE + 1)
            if line in (b"\r\n", b"\n"):
                return headers
            header = HEADER_LINE.fullmatch(line)
            if header is None:
                raise header_error(line)
            name, value = header[1].decode("ascii").lower(), header[2].decode("latin-1").strip(" \t")
            if name in headers:
                if name in SINGLE_HEADERS:
                    code = HEADER_MISMATCH if name.startswith("mcp-") else INVALID_REQUEST
                    raise RpcError(code, f"header {name} is given more than once", http=400)
                value = f"{headers[name]}, {value}"
            headers[name] = value
        raise RpcError(INVALID_REQUEST, f"more than {MAX_HEADERS} headers", http=431)

    def read_request(self) -> Request:
        """The whole request.  Raises RpcError if where it ends cannot be trusted; then we hang up."""
        body = self.read_body(self.headers)
        self.body_read = True
        path, _, query = self.path.partition("?")
        query = parse_qs(query, keep_blank_values=True) if query else {}
        return Request(self.command, path, query, self.headers, body, gone=self.gone)

    def read_body(self, headers: dict[str, str]) -> bytes:
        """RFC 9112, section 6.3: the declared length, in digits, and that many bytes."""
        length = headers.get("content-length")
        if "transfer-encoding" in headers:
            both = length is not None
            raise RpcError(INVALID_REQUEST, "a chunked body is not taken; send Content-Length", http=400 if both else 411)
        if length is None:
            if self.command == "POST":
                raise RpcError(INVALID_REQUEST, "POST needs a Content-Length", http=411)
            return b""
        if not re.fullmatch("[0-9]{1,18}", length):
            raise RpcError(INVALID_REQUEST, "Content-Length must be digits", http=400)
        if int(length) > MAX_BODY:
            raise RpcError(INVALID_REQUEST, f"the body has {int(length)} bytes; at most {MAX_BODY} are taken", http=413)
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise ConnectionError("the client hung up in the middle of its request")
        return body

    def gone(self) -> bool:
        """Whether the client has hung up."""
        return hung_up(self.connection)

    # ---- writing -------------------------------------------------------------------

    def send_body(self, status: int, body: bytes, headers: dict[str, str] | None = None) -> None:
        """An answer in one piece.  After a request that was not read in full it is the last one."""
        fields = {"Content-Type": "application/json"} if body else {}
        if status == 405:
            fields["Allow"] = "GET, POST" if self.server.stream else "POST"
        if not self.body_read:
            fields["Connection"] = "close"
        head = self.head(status, {**fields, **(headers or {}), "Content-Length": str(len(body))})
        self.server.clients_turn(self.connection)
        self.wfile.write(head if self.command == "HEAD" else head + body)
        if not self.body_read:
            self.linger()

    def head(self, status: int, fields: dict[str, str]) -> bytes:
        """A response's head, as bytes."""
        phrase = http.client.responses.get(status, "")
        lines = [f"HTTP/1.1 {status} {phrase}", f"Server: {self.server_version}", f"Date: {self.date_time_string()}"]
        lines += [f"{name}: {value}" for name, value in fields.items()]
        return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace")

    def send_stream(self, messages: Iterator[dict | None]) -> None:
        """Server-Sent Events: one `data:` line a message, and the connection ends with the stream."""
        self.close_connection = True
        head = self.head(200, {"Content-Type": "text/event-stream", "Cache-Control": "no-store",
                               "X-Accel-Buffering": "no", "Connection": "close"})
        try:
            self.send_piece(head + b": listening\n\n")
            for message in messages:
                self.send_piece(b": still here\n\n" if message is None else b"data: " + encode(message) + b"\n\n")
        finally:
            messages.close()

    def send_piece(self, piece: bytes) -> None:
        """Sends a part of a stream at once."""
        self.server.clients_turn(self.connection)
        self.wfile.write(piece)
        self.server.owing.pop(self.connection, None)

    def refuse(self, error: RpcError) -> None:
        """Answers a request that was not read in full, which is the last on its connection."""
        self.close_connection = True
        self.send_body(*error_reply(error))

    def linger(self, limit_s: float = 1.0) -> None:
        """Lets the answer arrive before we hang up on unread bytes, which would reset the connection."""
        until = time.monotonic() + limit_s
        with contextlib.suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(0.2)
            while time.monotonic() < until and self.connection.recv(65536):
                pass

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What http.server itself refuses (an unknown verb, a request line without end), as JSON too."""
        self.command = self.command or ""
        self.refuse(RpcError(INVALID_REQUEST, message or http.client.responses.get(code, "refused"), http=code))

    def log_message(self, *args: Any) -> None:
        """Silent: the story of this server is told by its tasks."""


def lesson_guard(request: Request) -> None:
    """The headers of the lesson dialect.  A session is a name that the client keeps, no more."""
    session = request.headers.get("mcp-session-id")
    if session is not None and not re.fullmatch(r"[\x21-\x7e]{1,200}", session):
        raise RpcError(INVALID_REQUEST, "Mcp-Session-Id must be 1 to 200 visible ASCII characters")
    version = request.headers.get("mcp-protocol-version", PROTOCOLS[0])
    if version not in PROTOCOLS:
        raise RpcError(UNSUPPORTED_VERSION, f"this server does not speak {version!r}",
                       {"supported": list(PROTOCOLS), "requested": version})


class Keeper(threading.Thread):
    """Calls a function every quarter of a second: expiry has no client that would ask for it."""

    def __init__(self, sweep: Callable[[], None]):
        super().__init__(name="keeper", daemon=True)
        self._sweep, self._over = sweep, threading.Event()

    def run(self) -> None:
        """The thread's life."""
        while not self._over.wait(0.25):
            try:
                self._sweep()
            except Exception:                  # the next round may go better
                log.exception("the sweep failed")

    def stop(self) -> None:
        """Ends it, and waits until it has ended."""
        self._over.set()
        if self.is_alive():
            self.join()


class LessonServer:
    """The whole first server: store, executor, methods and transport, put together."""

    def __init__(self, store: Store, port: int = 0, workers: int = WORKERS, tools: dict[str, Tool] = TOOLS):
        """Reloads an open store and listens.  Raises OSError if the port is taken; the store is closed then."""
        self.store, self.reloaded = store, store.reload()
        self.executor = Executor(store, tools, workers)
        self.methods = LessonMethods(store, self.executor, tools)
        try:
            self.http = JsonRpcServer(self.methods.table(), lesson_guard, self.methods.listen,
                                      self.methods.answered, port)
        except OSError:
            self.executor.stop()
            store.close()
            raise
        self._keeper = Keeper(store.sweep)

    @property
    def url(self) -> str:
        """Where it listens."""
        return self.http.url

    def start(self) -> LessonServer:
        """Serves in threads of its own until stop()."""
        self._keeper.start()
        self.http.start()
        return self

    def stop(self) -> None:
        """Streams end, tasks are told to stop, the store lets go."""
        self.methods.close()
        self.http.stop()
        self.executor.stop()
        self._keeper.stop()
        self.store.close()


# ======================================================================================
# Client: a keep-alive connection that polls politely
# ======================================================================================

MODERN = "2026-07-28"                          # the wire of lessons/server_2026.py
EXTENSION = "io.modelcontextprotocol/tasks"
# Which parameter the header Mcp-Name repeats.  The 2026 server reads the same table.
NAME_PARAM = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri",
              "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}


class Client:
    """Speaks to one server.  Holds a connection, but nothing that a lost one would lose.

    `sleep` is how it waits; a test may put its own clock there.
    """
    sleep = staticmethod(time.sleep)

    def __init__(self, url: str, session: str = "", wire: str = "lesson", token: str = "",
                 trace: Callable[[str, Any], None] = lambda direction, message: None, timeout_s: float = 40.0):
        """`session` names the client to a lesson server; `trace` sees every message pass."""
        address = urlsplit(url)
        if address.scheme != "http" or not address.hostname:
            raise ValueError(f"{url!r} is not a URL like http://127.0.0.1:8013/mcp")
        self.url, self._path, self.session, self._wire, self._token, self._trace = url, address.path, session, wire, token, trace
        self._connect = functools.partial(http.client.HTTPConnection, address.hostname, address.port, timeout=timeout_s)
        self._connection = self._connect()
        self._ids = itertools.count(1)

    # ---- one message ---------------------------------------------------------------

    def call(self, method: str, params: dict | None = None) -> dict:
        """The result of a method.  Raises RpcError, with the HTTP status, for an error."""
        status, reply = self.post({"jsonrpc": "2.0", "id": next(self._ids), "method": method,
                                   **({} if params is None else {"params": params})})
        if "error" in reply:
            error = reply["error"]
            raise RpcError(error["code"], error["message"], error.get("data"), http=status)
        return reply["result"]

    def post(self, message: dict) -> tuple[int, dict]:
        """(HTTP status, message or {}) for a posted message.  Raises OSError if nobody answers."""
        message = self.frame(message)
        self._trace("send", message)
        response = self._send("POST", self._path, encode(message), self.headers(message))
        if "text/event-stream" in response.headers.get("Content-Type", ""):
            replies = [reply for reply in self._events(response) if reply.get("id") == message["id"]]
            return response.status, replies[-1] if replies else {}
        body = response.read()
        reply = json.loads(body) if body else {}
        if not isinstance(reply, dict):
            raise ValueError(f"the server answered with something else than a JSON object: {str(reply)[:40]!r}")
        self._trace(f"HTTP {response.status}", reply)
        return response.status, reply

    def frame(self, message: dict) -> dict:
        """A message as the chosen wire wants it: the 2026 one describes itself each time."""
        params = message.get("params", {})
        if self._wire != MODERN or "method" not in message or not isinstance(params.get("_meta", {}), dict):
            return message
        meta = {"io.modelcontextprotocol/protocolVersion": MODERN,
                "io.modelcontextprotocol/clientInfo": {"name": "lesson-13-client", "version": VERSION},
                "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}, "sampling": {},
                                                               "extensions": {EXTENSION: {}}}}
        return {**message, "params": {**params, "_meta": {**meta, **params.get("_meta", {})}}}

    def headers(self, message: dict | None = None) -> dict[str, str]:
        """The HTTP headers for a message, or for listening."""
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if self._wire == MODERN and message and "method" in message:
            headers |= {"MCP-Protocol-Version": MODERN, "Mcp-Method": message["method"]}
            method, params = message["method"], message["params"]
            if isinstance(params.get(NAME_PARAM.get(method)), str):
                headers["Mcp-Name"] = header_text(params[NAME_PARAM[method]])
        return headers

    def _send(self, verb: str, path: str, body: bytes | None, headers: dict) -> http.client.HTTPResponse:
        """Over the kept connection; over a new one if the server has closed the old."""
        sock = self._connection.sock
        if sock is not None and hung_up(sock):
            self._connection.close()
        try:
            self._connection.request(verb, path, body, headers)
            return self._connection.getresponse()
        except (OSError, http.client.HTTPException):
            self._connection.close()           # the next call begins afresh
            raise

    # ---- tasks ---------------------------------------------------------------------

    def start(self, tool: str, arguments: dict, **options: Any) -> str:
        """Calls a tool as a task and returns the task's id.  Keep it: it outlives everything else."""
        params = {"name": tool, "arguments": arguments, "_meta": {"task": {"required": True, **options}}}
        return self.call("tools/call", params)["_meta"]["task"]["id"]

    def wait(self, task_id: str, show: Callable[[dict], None] = lambda status: None, polls: int = 1000) -> dict:
        """Polls until the task does something else than work, and returns its status.

        That is the end, a question to answer, or a state that this client does not know.
        Waits as long between polls as the server says.  A lost connection loses nothing: the
        id is asked for again over a new one.  Raises TimeoutError after so many polls.
        """
        pause_ms = POLL_INTERVAL_MS
        for _ in range(polls):
            try:
                status = self.call("tasks/status", {"taskId": task_id})
                show(status)
                if status["state"] != "working":
                    return status
                pause_ms = status.get("pollInterval", pause_ms)
            except (OSError, http.client.HTTPException) as error:
                lost = error
            else:
                lost = None
            self.sleep(max(pause_ms, 50) / 1000)
        raise lost or TimeoutError(f"task {task_id} still works after {polls} polls; its id stays good")

    def fetch(self, task_id: str) -> dict:
        """Waits for a task and returns its result.  Raises RpcError if it ended without one."""
        status = self.wait(task_id)
        if status["state"] == "input_required":
            raise RpcError(NOT_READY, f"task {task_id} asks a question first", status["inputRequests"])
        return self.call("tasks/result", {"taskId": task_id})

    def listen(self, *task_ids: str) -> Iterator[dict]:
        """Messages from the server's stream, over a connection of its own, until it ends."""
        path = self._path + "?" * bool(task_ids) + "&".join(f"taskId={quote(task_id)}" for task_id in task_ids)
        connection = self._connect()
        try:
            connection.request("GET", path, headers={**self.headers(), "Accept": "text/event-stream"})
            response = connection.getresponse()
            if response.status != 200:
                error = json.loads(response.read())["error"]
                raise RpcError(error["code"], error["message"], error.get("data"), http=response.status)
            yield from self._events(response)
        finally:
            connection.close()

    def _events(self, response: http.client.HTTPResponse) -> Iterator[dict]:
        for data in sse_events(response):
            message = json.loads(data)
            if not isinstance(message, dict):
                raise ValueError(f"the stream holds something else than a JSON object: {data[:40]!r}")
            self._trace("stream", message)
            yield message

    def answer(self, request: dict, result: dict) -> None:
        """Answers a question that came over the stream."""
        status, reply = self.post({"jsonrpc": "2.0", "id": request["id"], "result": result})
        if status != 202:
            raise RpcError(reply["error"]["code"], reply["error"]["message"], http=status)

    def close(self) -> None:
        """Closes the connection.  Tasks go on."""
        self._connection.close()


def header_text(value: str) -> str:
    """A header value; what a header cannot carry travels in base64 (2026-07-28, Value Encoding).

    Example: header_text('é') -> '=?base64?w6k=?='
    """
    plain = re.fullmatch(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?", value)
    if plain and not re.fullmatch(r"=\?base64\?.*\?=", value):
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode()}?="


def sse_events(lines: Any) -> Iterator[str]:
    """The data of each Server-Sent Event in an iterable of byte lines.

    The WHATWG grammar: a blank line ends an event, ':' begins a comment, one space after
    the colon is not part of the value, and several data lines join with a line feed.
    """
    data: list[str] = []
    for line in lines:
        line = line.decode("utf-8").rstrip("\r\n")
        name, _, value = line.partition(":")
        if name == "data":
            data.append(value.removeprefix(" "))
        elif not line and data:
            yield "\n".join(data)
            data = []


# ======================================================================================
# Tour: the narrated demonstration
# ======================================================================================

WIDTH = 78


def brief(value: Any, room: int = 46) -> Any:
    """A message shortened to what matters.  Example: brief(['a', 'b', 'c', 'd']) -> ['a', 'b', '+2']"""
    if isinstance(value, str):
        return value if len(value) <= room else value[:room - 3] + "..."
    if isinstance(value, list):
        return [brief(item, room) for item in value[:2]] + ([f"+{len(value) - 2}"] if len(value) > 2 else [])
    if isinstance(value, dict):
        hidden = {"jsonrpc", "createdAt", "lastUpdatedAt", "description", "inputSchema", "annotations"}
        return {key: brief(item, room) for key, item in value.items() if key not in hidden}
    return value


def say(text: str = "") -> None:
    """Prints a paragraph, wrapped; a line that begins with a space stays as it is."""
    lines = textwrap.wrap(text, WIDTH) if text and not text.startswith(" ") else [text]
    print("\n".join(lines), flush=True)


def show_message(direction: str, message: dict) -> None:
    """Prints one frame as it passes: who speaks, then the shortened message."""
    who = {"send": "client ->", "stream": "  stream"}.get(direction, f"<- {direction.removeprefix('HTTP ')}")
    text = json.dumps(brief(message), ensure_ascii=True)
    indent = " " * 12
    lines = textwrap.wrap(text, WIDTH, initial_indent=f"  {who:<10}", subsequent_indent=indent,
                          break_on_hyphens=False) if message else [f"  {who:<10}(no body)"]
    print("\n".join(lines[:6] + [indent + "..."] * (len(lines) > 6)), flush=True)


class Bar:
    """A progress bar: redrawn in place on a terminal, one line a change elsewhere."""

    def __init__(self, stream: Any = None):
        self._stream = stream or sys.stdout
        self._live = self._stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"

    def __call__(self, status: dict) -> None:
        """Draws a task's status."""
        filled = round(status["progress"] * 20)
        text = f"  [{'#' * filled}{'.' * (20 - filled)}] {status['progress']:4.0%}  {status['state']}"
        text += f"  {status['statusMessage']}"
        if self._live:
            self._stream.write("\r" + text[:WIDTH].ljust(WIDTH))
            self._stream.write("\n" if status["state"] != "working" else "")
        else:
            self._stream.write(text[:WIDTH] + "\n")
        self._stream.flush()


class ServerProcess:
    """The server as a process of its own, so that it can be killed for real."""

    def __init__(self, *options: str, log_file: Any = None, environment: dict[str, str] | None = None):
        """`options` of `serve`; `environment` is added to our own.  What it logs goes to `log_file`, or to our stderr."""
        self._process = subprocess.Popen([sys.executable, __file__, "serve", "--port", "0", *options], env={**os.environ, **(environment or {})},
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log_file, text=True, encoding="utf-8")
        self.url = self._process.stdout.readline().strip()
        if not self.url:
            raise RuntimeError("the server did not start; its message stands above")

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def kill(self) -> None:
        """SIGKILL, or TerminateProcess on Windows: no last word, no cleaning up."""
        self._process.kill()
        self._end()

    def stop(self) -> None:
        """The polite way, as Ctrl-C would."""
        self._process.terminate()
        self._end()

    def _end(self) -> None:
        self._process.wait()
        self._process.stdout.close()


class Tour:
    """Seven short scenes on one store folder.  Each sends real messages to a real server."""

    def __init__(self) -> None:
        self.folder = default_folder()
        self.server = ServerProcess()
        self.session = f"ses_{secrets.token_hex(8)}"
        self.connect()
        self.first = ""

    def connect(self) -> None:
        """Two clients of the server, of which one shows each message that passes."""
        self.client = Client(self.server.url, self.session, trace=show_message)
        self.quiet = Client(self.server.url, self.session)

    def run(self) -> None:
        """All scenes, in order."""
        scenes = (self.list_tools, self.poll, self.stream, self.ask, self.cancel, self.crash, self.next_steps)
        try:
            say("CALL NOW, FETCH LATER: long-running tool calls over MCP")
            say(f"A server now runs as process {self.server.pid} at {self.server.url}")
            for number, scene in enumerate(scenes, start=1):
                say()
                say(f" {number}. {scene.__doc__}")
                say(" " + "-" * (WIDTH - 2))
                scene()
        finally:
            self.server.stop()

    def list_tools(self) -> None:
        """Which tools are worth a task?"""
        tools = self.client.call("tools/list")["tools"]
        say()
        for tool in tools:
            say(f"  {tool['name']:<16} taskSupport: {tool['execution']['taskSupport']}")
        say("Promote a tool to a task when the server works on it for more than 30 seconds. "
            "Leave a quick one alone: a task costs a second request and a stored result.")
        say()
        say("A quick tool answers at once:")
        self.client.call("tools/call", {"name": "notes_search", "arguments": {"query": "durable", "limit": 1}})
        say()
        say("A slow one, called as if it were quick, is refused, and told why:")
        with contextlib.suppress(RpcError):
            self.client.call("tools/call", {"name": "generate_report", "arguments": {}})

    def poll(self) -> None:
        """Call now, poll, fetch later"""
        self.first = self.client.start("generate_report", {"title": "First report", "pace_ms": 2500})
        say("The id is there at once; the result is not:")
        with contextlib.suppress(RpcError):
            self.client.call("tasks/result", {"taskId": self.first})
        say(f"So the client polls tasks/status, every {POLL_INTERVAL_MS} ms because the server says so:")
        self.quiet.wait(self.first, Bar())
        self.client.call("tasks/result", {"taskId": self.first})
        say()
        path = self.folder / f"{self.first}.json"
        say("The task is a file, and the result is in it:")
        say(f"  {path}")
        record = json.loads(path.read_text(encoding="utf-8"))
        show_message("file", {key: record[key] for key in ("id", "state", "progress", "ttl_ms", "result")})

    def stream(self) -> None:
        """The same, watching instead of asking"""
        task_id = self.quiet.start("generate_report", {"pace_ms": 1200})
        shown = None
        for message in self.quiet.listen(task_id):
            status = message["params"]
            if shown != (status["state"], round(status["progress"], 1)):
                shown = (status["state"], round(status["progress"], 1))
                show_message("stream", {"method": message["method"], "params": {
                    key: status[key] for key in ("taskId", "state", "progress")}})
        say("No polling: the stream ends when the task does. Polling always works too.")

    def ask(self) -> None:
        """A task that asks: a person, then a model"""
        task_id = self.client.start("generate_report", {"ask_title": True})
        say("It needs a title. The state is input_required until somebody answers:")
        self.answer_questions(task_id)
        say()
        task_id = self.client.start("generate_report", {"use_model": True})
        say("This one asks the client's model for a sentence, and goes on `working`:")
        self.answer_questions(task_id)

    def answer_questions(self, task_id: str) -> None:
        """Follows a task to its end, and answers for the person and for the model."""
        said = None
        for message in self.quiet.listen(task_id):
            if "id" in message:
                show_message("stream", message)
                self.client.answer(message, toy_answer(message))
            elif message["params"]["state"] != said:
                said = message["params"]["state"]
                say(f"  state:    {said}")

    def long_report(self) -> str:
        """Starts a report that takes a minute, and returns its id once it is on its way."""
        task_id = self.quiet.start("generate_report", {"pace_ms": 60_000})
        for message in self.quiet.listen(task_id):
            if message["params"]["progress"] >= 0.01:
                break
        return task_id

    def cancel(self) -> None:
        """Cancel in mid-run"""
        task_id = self.long_report()
        say("A report that would take a minute has begun. The client changes its mind:")
        self.client.call("tasks/cancel", {"taskId": task_id})
        self.quiet.wait(task_id, Bar())
        say("The worker saw its threading.Event and left early. Cancelled once more: no error, "
            "and the state as it is now:")
        self.client.call("tasks/cancel", {"taskId": task_id})

    def crash(self) -> None:
        """The server is killed while it works"""
        task_id = self.long_report()
        say("Another long report runs:")
        self.client.call("tasks/status", {"taskId": task_id})
        say(f"Now process {self.server.pid} is killed, without warning.")
        self.server.kill()
        self.server = ServerProcess()
        say(f"A new server, process {self.server.pid}, has reloaded the same folder. The same task id:")
        self.connect()
        status = self.client.call("tasks/status", {"taskId": task_id})
        say(f"Nobody works on it any more, so it is {status['state']}. But what was finished, is kept:")
        self.client.call("tasks/result", {"taskId": self.first})

    def next_steps(self) -> None:
        """What to do next"""
        say("You have seen a task live, wait, stop and survive. Now look inside:")
        say("  README.md                 the first ten minutes")
        say("  python main.py serve      the server, and the lab as a page in your browser")
        say("  python main.py call tools/list")
        if (LAB / "lessons").is_dir():
            say("  python main.py lessons    the exercises: rebuild this, piece by piece")


def toy_answer(request: dict) -> dict:
    """Plays the person and the model of a client."""
    if request["method"] == "elicitation/create":
        return {"action": "accept", "content": {"title": "A title from a person"}}
    return {"role": "assistant", "model": "toy-model", "stopReason": "endTurn",
            "content": {"type": "text", "text": "A sentence from the client's model."}}


# ======================================================================================
# Command line
# ======================================================================================

PORT = 8013
FINE, CHECK_FAILED, WRONG_USAGE, UNDECIDED = 0, 1, 2, 3      # exit codes


class UsageError(Exception):
    """Wrong usage; the message says what would be right."""


def command_tour(options: argparse.Namespace) -> int:
    """the story on a real server, in under 30 seconds"""
    Tour().run()
    return FINE


def command_serve(options: argparse.Namespace) -> int:
    """the server, until Ctrl-C"""
    for ending in (signal.SIGINT, signal.SIGTERM):     # a shell may have started us with SIGINT ignored
        signal.signal(ending, signal.default_int_handler)
    try:
        server = open_server(options)
    except StoreError as error:
        raise UsageError(error.message) from None
    except OSError as error:
        raise UsageError(f"port {options.port} cannot be used ({error.strerror}); try --port 0") from None
    try:
        addresses = [server.url, *open_page(server, options)]
        server.start()
        print("\n".join(addresses), flush=True)
        while True:
            time.sleep(60)                     # an Event could not be interrupted on Windows
    except KeyboardInterrupt:
        pass
    finally:
        server.stop()
    return FINE


def open_page(server: Any, options: argparse.Namespace) -> list[str]:
    """Serves the lab as a page beside the endpoint, if the lessons are there: the URL to open, with its token."""
    if not (LAB / "lessons").is_dir():
        return []
    from lessons.browser import LabPage
    return [LabPage(server.http, *((MODERN, server.table) if is_modern(options) else ("lesson", None))).url]


def is_modern(options: argparse.Namespace) -> bool:
    """Whether it is the 2026 server that is wanted."""
    return options.wire == MODERN or options.mine


def open_server(options: argparse.Namespace) -> Any:
    """The lesson server, or the 2026 server that the exercises add up to."""
    if is_modern(options):
        if not (LAB / "lessons").is_dir():
            raise UsageError(f"--wire {MODERN} needs the lessons folder beside main.py")
        from lessons import server_commands
        return server_commands.open_server(options)
    if options.db:
        raise UsageError(f"--db goes with --wire {MODERN}; for the lesson dialect write --store {options.db}")
    if options.auth:
        raise UsageError(f"--auth goes with --wire {MODERN}; the lesson dialect knows no tokens")
    server = LessonServer(open_store(options.store), options.port, options.workers)
    log.info("%s", server.reloaded)
    return server


def open_store(place: str | None) -> Store:
    """A folder of files; or, for a name like FILE.db, the SQLite store of exercise 4.

    That is the learner's own once it has passed, else the solution.
    """
    if not str(place or "").endswith((".db", ".sqlite")):
        store = FileStore(place)
        KEPT_BACK.add(store.folder.resolve())
        return store
    if not (LAB / "lessons").is_dir():
        raise UsageError("a database needs exercise 4: keep the lessons folder beside main.py, or give a folder")
    from lessons import commands
    return commands.passed_piece("ex04_sqlite_store").SqliteStore(place)


def command_call(options: argparse.Namespace) -> int:
    """one JSON-RPC request to a running server"""
    try:
        params = parse_params(options.params)
        client = Client(options.url, options.session, options.wire, options.token, trace=show_notification)
        reply = client.post({"jsonrpc": "2.0", "id": 1, "method": options.method, "params": params})[1]
    except (OSError, http.client.HTTPException) as error:
        raise UsageError(f"nobody answers at {options.url} ({error}); start `python main.py serve`") from None
    except ValueError as error:
        raise UsageError(str(error)) from None
    print(json.dumps(reply, indent=2, ensure_ascii=False))
    return CHECK_FAILED if "error" in reply else FINE


def show_notification(direction: str, message: dict) -> None:
    """What a stream says before its answer."""
    if direction == "stream" and "id" not in message:
        print(json.dumps(message, ensure_ascii=False), flush=True)


def parse_params(text: str) -> dict:
    """The PARAMS of a call.  Raises ValueError with an example of what would be right."""
    try:
        params = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"PARAMS is not JSON ({error}); write for example '{{\"taskId\": \"tsk_...\"}}'") from None
    if not isinstance(params, dict):
        raise ValueError("PARAMS must be a JSON object, for example '{\"taskId\": \"tsk_...\"}'")
    return params


def command_doctor(options: argparse.Namespace) -> int:
    """versions, and whether this machine keeps what the store needs"""
    import sqlite3
    print(f"Python     {platform.python_version()} on {platform.system()}")
    print(f"SQLite     {sqlite3.sqlite_version}")
    print(f"MCP        lesson dialect after 2025-11-25; from exercise 6 on: {MODERN}")
    print(f"store      {default_folder()}")
    results = [probe(*test) for test in STORE_NEEDS]
    return FINE if all(results) else CHECK_FAILED


def probe(promise: str, test: Callable[[pathlib.Path], None]) -> bool:
    """Tries one promise of the temp folder, and prints how it went."""
    with tempfile.TemporaryDirectory(prefix="lesson-13-doctor-") as folder:
        try:
            test(pathlib.Path(folder))
            verdict = "yes"
        except (OSError, AssertionError) as error:
            verdict = f"NO: {error}"
    print(f"{promise:<46} {verdict}")
    return verdict == "yes"


def try_rename(folder: pathlib.Path) -> None:
    """Replaces a file."""
    (folder / "a").write_text("old", encoding="utf-8")
    write_file(folder / "a", "new", durable=True)
    assert (folder / "a").read_text(encoding="utf-8") == "new", "the old text is still there"


def try_exclusive(folder: pathlib.Path) -> None:
    """Takes a name twice."""
    write_file(folder / "a", "first", durable=True, new=True)
    with contextlib.suppress(FileExistsError):
        write_file(folder / "a", "second", durable=True, new=True)
        raise AssertionError("a taken name was taken again")


def try_lock(folder: pathlib.Path) -> None:
    """Locks one file twice."""
    with open(folder / "a", "x+b") as first, open(folder / "a", "r+b") as second:
        assert lock_file(first), "no lock could be taken"
        assert not lock_file(second, shared=True), "a lock that is held was given out again"


def try_private(folder: pathlib.Path) -> None:
    """Makes a folder."""
    assert os.name == "nt" or private_folder(folder / "a").stat().st_mode & 0o077 == 0, "others may look in"


STORE_NEEDS = (("a file is replaced in one step and fsynced", try_rename),
                ("a taken name is not taken again", try_exclusive),
                ("a lock tells the living from the dead", try_lock),
                ("a folder can be kept to its owner", try_private))


class Parser(argparse.ArgumentParser):
    """An argparse that answers wrong usage with one line."""

    def error(self, message: str) -> None:
        raise UsageError(f"{message}; see `python main.py --help`")


def positive(text: str) -> int:
    """A whole number above zero, for --workers."""
    if not re.fullmatch("[0-9]{1,4}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to 9999")
    return int(text)


def port_number(text: str) -> int:
    """0 to 65535, for --port."""
    if not re.fullmatch("[0-9]{1,5}", text) or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


def parser(first: str = "") -> Parser:
    """The command line: one subcommand a function above, and those of the course.

    `first`: the first word of the command line.  If it is one of ours, the course stays
    unloaded: a server should not carry its texts about.
    """
    top = Parser(prog="main.py", description="A lab about long-running MCP tasks: call now, fetch later.",
                 epilog="exit codes: 0 fine, 1 a check failed or the server answered with an error, "
                        "2 wrong usage, 3 timed out or not decided")
    top.set_defaults(run=command_tour)
    commands = top.add_subparsers(metavar="COMMAND", title="commands")

    def add(name: str, run: Callable) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        return command

    add("tour", command_tour)
    add_serve_options(add("serve", command_serve))
    add_call_options(add("call", command_call))
    add("doctor", command_doctor)
    if first not in commands.choices and (LAB / "lessons").is_dir():
        from lessons import commands as lesson_commands, server_commands
        server_commands.add_to(commands)
        lesson_commands.add_to(commands)
    return top


def add_serve_options(serve: argparse.ArgumentParser) -> None:
    """What `serve` can be told."""
    serve.add_argument("--port", type=port_number, default=PORT, help=f"0 takes any free one (default {PORT})")
    serve.add_argument("--store", metavar="PLACE",
                       help="a folder, or FILE.db for SQLite (default: the folder lesson-13-tasks in the temp folder)")
    add_wire_option(serve)
    serve.add_argument("--db", metavar="FILE", help=f"the database of the {MODERN} server")
    serve.add_argument("--workers", type=positive, default=WORKERS, metavar="N", help="tools at the same time")
    serve.add_argument("--auth", metavar="FILE", help=f"take bearer tokens only (with --wire {MODERN}); `token` makes them")
    serve.add_argument("--mine", action="store_true", help=f"the {MODERN} server with your answers where they pass")


def add_call_options(call: argparse.ArgumentParser) -> None:
    """What `call` can be told."""
    call.add_argument("method", help="for example tools/list")
    call.add_argument("params", nargs="?", default="{}", help="a JSON object")
    call.add_argument("--url", default=f"http://127.0.0.1:{PORT}{PATH}")
    call.add_argument("--session", default="", help="the Mcp-Session-Id of a lesson server")
    call.add_argument("--token", default="", help="a bearer token, as `token` makes them")
    add_wire_option(call)


def add_wire_option(command: argparse.ArgumentParser) -> None:
    """Both ends of a connection have to be told the same."""
    command.add_argument("--wire", choices=["lesson", MODERN], default="lesson", help="which dialect to speak")


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and gives its exit code."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s", stream=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):     # a console that lacks a letter shows \u.. instead of failing
            stream.reconfigure(errors="backslashreplace")
    try:
        arguments = sys.argv[1:] if arguments is None else arguments
        options = parser(*arguments[:1]).parse_args(arguments)
        return options.run(options)
    except UsageError as error:
        print(f"main.py: {error}", file=sys.stderr)
        return WRONG_USAGE
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:                    # somebody piped us into `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE


if __name__ == "__main__":
    sys.modules["main"] = sys.modules["__main__"]    # the lessons import this very module, not a second copy
    sys.exit(main())
