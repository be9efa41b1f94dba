"""The external service of exercise 12: it publishes reports, and knows what it has done.

It is not part of the MCP server.  It has a store of its own, forgets reports on a clock of
its own, and does a thing once because it remembers the idempotency key: the half of
"exactly once" that no client can do for it.

    POST /reports     Idempotency-Key: KEY      201 {"id": "rep_..."}; 200 and the same id again
    GET /reports/ID                             the report, until its retention is over
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import pathlib
import re
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable

from lessons.sqlite_base import Connections

RETENTION_S = 90 * 24 * 3600.0
MAX_REPORT = 1 << 20
SCHEMA = """
    CREATE TABLE IF NOT EXISTS reports (
        id TEXT PRIMARY KEY, idempotency_key TEXT NOT NULL UNIQUE, body_hash TEXT NOT NULL, body TEXT NOT NULL, published_at REAL NOT NULL);
    CREATE TABLE IF NOT EXISTS deliveries (idempotency_key TEXT NOT NULL);
"""


class Publisher(ThreadingHTTPServer):
    """The service, on this machine only."""
    daemon_threads = True

    def __init__(self, file: pathlib.Path, clock: Callable[[], float] = time.time, retention_s: float = RETENTION_S):
        """`file`: its database.  `clock`: seconds since 1970."""
        self.connections, self.clock, self.retention_s, self.lock = Connections(file, "PRAGMA synchronous = FULL"), clock, retention_s, threading.Lock()
        self.before_answer: Callable[[], None] = lambda: None          # a demo may kill somebody here
        with self.connections.borrow() as db:
            db.executescript(SCHEMA)
        super().__init__(("127.0.0.1", 0), PublisherHandler)

    @property
    def url(self) -> str:
        """Where reports go."""
        return f"http://127.0.0.1:{self.server_port}/reports"

    def publish(self, key: str, body: str) -> tuple[int, dict]:
        """(HTTP status, answer): one report a key, whoever asks and however often."""
        digest = hashlib.sha256(body.encode()).hexdigest()
        with self.lock, self.connections.borrow() as db:
            db.execute("INSERT INTO deliveries VALUES (?)", (key,))
            known = db.execute("SELECT id, body_hash FROM reports WHERE idempotency_key = ?", (key,)).fetchone()
            if known:
                return (200, {"id": known[0]}) if known[1] == digest else (409, {"error": "this key belongs to another report"})
            report = f"rep_{secrets.token_hex(4)}"
            db.execute("INSERT INTO reports VALUES (?, ?, ?, ?, ?)", (report, key, digest, body, self.clock()))
        return 201, {"id": report}

    def report(self, report_id: str) -> str | None:
        """A report's text; None once its retention is over.  Neither a task's ttl nor a token's end matters here."""
        with self.lock, self.connections.borrow() as db:
            db.execute("DELETE FROM reports WHERE published_at <= ?", (self.clock() - self.retention_s,))
            row = db.execute("SELECT body FROM reports WHERE id = ?", (report_id,)).fetchone()
        return row and row[0]

    def counts(self) -> tuple[int, int]:
        """(reports, deliveries): how many there are, and how often one was handed over."""
        with self.connections.borrow() as db:
            return tuple(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("reports", "deliveries"))

    def start(self) -> Publisher:
        """Serves in a thread of its own until stop()."""
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def stop(self) -> None:
        """Ends it."""
        self.shutdown()
        self.server_close()
        self.connections.close()

    def handle_error(self, sock: Any, address: Any) -> None:
        """Whoever was killed in the middle of a delivery is expected here."""


class PublisherHandler(BaseHTTPRequestHandler):
    """One connection to the service."""
    server: Publisher
    timeout = 10

    def do_POST(self) -> None:
        """Takes a report."""
        key, length = self.headers.get("Idempotency-Key", ""), self.headers.get("Content-Length", "")
        if self.path != "/reports" or not re.fullmatch("[0-9]{1,7}", length) or int(length) > MAX_REPORT:
            return self.answer(400, {"error": f"POST /reports takes a body of at most {MAX_REPORT} bytes"})
        body = self.rfile.read(int(length)).decode("utf-8", errors="replace")
        if not key:
            return self.answer(400, {"error": "Idempotency-Key is missing"})
        status, reply = self.server.publish(key, body)
        self.server.before_answer()
        self.answer(status, reply)

    def do_GET(self) -> None:
        """Shows a report."""
        body = self.server.report(self.path.removeprefix("/reports/"))
        self.answer(*(200, json.loads(body)) if body else (404, {"error": "there is no such report, or its retention is over"}))

    def answer(self, status: int, reply: dict) -> None:
        """One JSON object."""
        body = json.dumps(reply).encode()
        with contextlib.suppress(ConnectionError):
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Silent: the tour tells the story."""
