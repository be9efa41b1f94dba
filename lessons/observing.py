"""What an operator sees of a 2026 server: one JSON line a request and a change of state, and counters.

Nothing here decides anything.  A line holds names and numbers that the server knows
itself; what others have worded, a message or a traceback, is redacted first (exercise 11).
"""
from __future__ import annotations

import atexit
import bisect
import collections
import contextlib
import json
import logging
import re
import sys
import threading
import time
from typing import Any, Callable

import main
from lessons.task_table import Job
from main import Request

TRACEPARENT = re.compile(r"00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")     # W3C Trace Context, section 3.2
BUCKETS_S = (0.001, 0.01, 0.1, 1.0, 10.0)
COUNTERS = {
    "mcp_requests_total": "requests, by method, protocol version and outcome",
    "mcp_task_polls_total": "tasks/get requests",
    "mcp_task_resumes_total": "jobs taken over from a worker that was lost",
    "mcp_task_expiries_total": "tasks that were not finished within their ttl",
    "mcp_idempotency_conflicts_total": "calls whose key belongs to other arguments",
    "mcp_cancellations_total": "requests to cancel a task that was not finished",
    "mcp_task_changes_total": "changes of a task's state, by what happened"}
LINE = json.JSONEncoder(ensure_ascii=False, default=str)
COUNTED = {"resumed": "mcp_task_resumes_total", "expired": "mcp_task_expiries_total", "cancel requested": "mcp_cancellations_total"}


ABOUT = threading.local()         # .facts: the task or request that a thread works on


def about_now() -> dict:
    """What this thread works on, as a line shows it: a tool's traceback belongs to its task."""
    return getattr(ABOUT, "facts", {})


class JsonLines(logging.Formatter):
    """One JSON object a line, whoever logs, tracebacks included."""

    def __init__(self, redact: Callable[[Any], Any]):
        super().__init__()
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """The finished line."""
        line = {"time": main.iso(int(record.created * 1000)), "level": record.levelname}
        if hasattr(record, "facts"):
            line |= record.facts
        else:
            line |= {"message": self._redact(record.getMessage()), **getattr(record, "about", about_now())}
        if record.exc_info:
            line["traceback"] = self._redact(self.formatException(record.exc_info))
        return LINE.encode(line)


class Unhurried(logging.Handler):
    """Leaves records to a thread that writes them a little later, many at once.

    Whoever answers a request does not wait for the log, and a reader who has stopped reading
    costs lines, the oldest first, but no answers.
    """
    LINES, EVERY_S = 10_000, 0.05

    def __init__(self, stream: Any, redact: Callable[[Any], Any]):
        super().__init__()
        self.setFormatter(JsonLines(redact))
        self.waiting: collections.deque[logging.LogRecord] = collections.deque(maxlen=self.LINES)
        self._idle = threading.Event()
        threading.Thread(target=self._write, args=(stream,), name="log", daemon=True).start()
        atexit.register(self.last_words)

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a record in, with what this thread is about: the one that writes does not know."""
        record.about = about_now()
        self.waiting.append(record)

    def _write(self, stream: Any) -> None:
        while True:
            self._idle.set()
            time.sleep(self.EVERY_S)
            self._idle.clear()
            batch = [self.waiting.popleft() for _ in range(len(self.waiting))]
            with contextlib.suppress(OSError, ValueError):         # whoever read our lines is gone
                stream.write("".join(self._line(record) for record in batch))
                stream.flush()

    def _line(self, record: logging.LogRecord) -> str:
        """A finished line, whatever the record is like: one that is wrong must not end the log."""
        try:
            return self.format(record) + "\n"
        except Exception as error:
            return LINE.encode({"level": "ERROR", "message": f"a line could not be written: {type(error).__name__}"}) + "\n"

    def last_words(self, limit_s: float = 1.0) -> None:
        """Waits until all is written, but not for a reader who does not read."""
        until = time.monotonic() + limit_s
        while (self.waiting or not self._idle.is_set()) and time.monotonic() < until:
            time.sleep(0.01)


def log_json(redact: Callable[[Any], Any]) -> None:
    """From now on this process logs JSON lines on stderr."""
    logging.getLogger().handlers[:] = [Unhurried(sys.stderr, redact)]


def traceparent_of(meta: Any) -> str:
    """The trace that a request belongs to, from its _meta; '' for none, or one that is malformed."""
    found = meta.get("traceparent") if isinstance(meta, dict) else None
    return found if isinstance(found, str) and TRACEPARENT.fullmatch(found) else ""


def trace_facts(traceparent: str) -> dict:
    """A trace as a line shows it."""
    return {"trace_id": traceparent[3:35], "traceparent": traceparent} if traceparent else {}


def task_facts(job: Job) -> dict:
    """A task as a line shows it: no argument but how many URLs there are, and no answer."""
    return {**call_facts(job.tool, job.arguments), "task_id": job.task_id, "job_id": job.job_id, "status": job.status, **trace_facts(job.traceparent)}


def call_facts(tool: str, arguments: dict) -> dict:
    """A call of a tool as a line shows it."""
    urls = arguments.get("urls")
    return {"tool": tool, **({"urls": len(urls)} if isinstance(urls, list) else {})}


class Observer:
    """Counts and logs for one instance."""

    def __init__(self, methods: set[str]):
        """`methods`: the names that are shown as they are; a client can think of any number of others."""
        self._methods, self._lock = methods, threading.Lock()
        self._requests: collections.Counter[tuple[str, bool, str]] = collections.Counter()       # method, whether of 2026, outcome
        self._counts: collections.Counter[tuple[str, str]] = collections.Counter()               # counter, labels
        self._buckets: collections.Counter[tuple[str, int]] = collections.Counter()
        self._seconds: collections.Counter[str] = collections.Counter()

    def request(self, request: Request, status: int, seconds: float) -> None:
        """A request has been answered, or its stream has begun."""
        method = request.message.get("method") if request.message else None
        method = method if method in self._methods else "other"
        error = request.error
        outcome = "ok" if error is None else str(error.code)
        with self._lock:
            self._requests[method, request.headers.get("mcp-protocol-version") == main.MODERN, outcome] += 1
            self._seconds[method] += seconds
            self._buckets[method, bisect.bisect_left(BUCKETS_S, seconds)] += 1
            if error is not None and isinstance(error.data, dict) and error.data.get("reason") == "IDEMPOTENCY_CONFLICT":
                self._counts["mcp_idempotency_conflicts_total", ""] += 1
        if main.log.isEnabledFor(logging.INFO):
            main.log.info("request", extra={"facts": {"event": "request", "method": method, "http": status, "outcome": outcome,
                                                      "duration_ms": round(1000 * seconds, 2), **request.facts}})

    def task(self, job: Job, what: str) -> None:
        """A task has changed."""
        with self._lock:
            self._counts["mcp_task_changes_total", f'change="{what}"'] += 1
            if what in COUNTED:
                self._counts[COUNTED[what], ""] += 1
        if main.log.isEnabledFor(logging.INFO):
            main.log.info("task", extra={"facts": {"event": "task", "change": what, **task_facts(job), "worker": job.worker,
                                                   "duration_ms": job.updated_at - job.created_at}})

    def page(self, request: Request) -> tuple[str, bytes]:
        """GET /metrics, in the Prometheus text format."""
        with self._lock:
            requests, counts, buckets, seconds = dict(self._requests), dict(self._counts), dict(self._buckets), dict(self._seconds)
        for (method, modern, outcome), count in requests.items():
            version = main.MODERN if modern else "other"
            counts["mcp_requests_total", f'method="{method}",version="{version}",outcome="{outcome}"'] = count
        counts["mcp_task_polls_total", ""] = sum(count for (method, _, _), count in requests.items() if method == "tasks/get")
        lines = []
        for name, text in COUNTERS.items():
            lines += [f"# HELP {name} {text}", f"# TYPE {name} counter"]
            found = {labels: count for (counter, labels), count in counts.items() if counter == name}
            lines += [f"{name}{{{labels}}} {count}" if labels else f"{name} {count}" for labels, count in sorted(found.items())]
            lines += [f"{name} 0"] * (not found)
        lines += ["# HELP mcp_request_duration_seconds time until the answer, or until a stream began", "# TYPE mcp_request_duration_seconds histogram"]
        for method in sorted(seconds):
            total = 0
            for position, shown in enumerate((*BUCKETS_S, "+Inf")):
                total += buckets.get((method, position), 0)
                lines.append(f'mcp_request_duration_seconds_bucket{{method="{method}",le="{shown}"}} {total}')
            lines += [f'mcp_request_duration_seconds_sum{{method="{method}"}} {seconds[method]:.6f}',
                      f'mcp_request_duration_seconds_count{{method="{method}"}} {total}']
        return "text/plain; version=0.0.4; charset=utf-8", "\n".join([*lines, ""]).encode()
