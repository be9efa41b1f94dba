"""Exercise 9, solved: who holds a job, how that shows, and what happens when it no longer does.

A lease is a promise with an end.  Its fencing token rises with each claim; its beat rises
with each sign of life.  No time of day is compared with another: whoever watches a lease
counts, on a clock of its own that only moves forward, how long token and beat have stayed
the same.  So clocks may disagree or be set, and leases do not care.
"""
from __future__ import annotations

import sqlite3
from typing import Any, Iterable

import main
from lessons.task_table import WORKED_OFF, Job, change_rows, dumps, enqueue

MAX_ATTEMPTS = 5                     # workers that a job may cost before it is given up
HELD = "task_id = ? AND fencing_token = ? AND status = 'working' AND worker IS NOT NULL"


def claim(db: sqlite3.Connection, worker: str, tools: Iterable[str]) -> str | None:
    """Takes the first job of the outbox for one of the tools; its task's id, None if there is none.

    Called inside a transaction.  The token becomes larger than any that this task has had.
    """
    tools = tuple(tools)
    wanted = f"SELECT place, task_id FROM mcp_outbox WHERE tool IN ({', '.join('?' * len(tools))}) ORDER BY place LIMIT 1"
    while (entry := db.execute(wanted, tools).fetchone()) is not None:
        place, task_id = entry
        db.execute("DELETE FROM mcp_outbox WHERE place = ?", (place,))
        taken = db.execute("UPDATE mcp_tasks SET worker = ?, fencing_token = fencing_token + 1, attempts = attempts + 1 "
                           "WHERE task_id = ? AND status = 'working' AND worker IS NULL", (worker, task_id))
        if taken.rowcount == 1:                # else it was cancelled meanwhile, or has expired: try the next
            return task_id
    return None


def change(db: sqlite3.Connection, job: Job, now_ms: int, **new: Any) -> bool:
    """Any write of a worker: progress, checkpoint, parking, the end.  False if it no longer holds the job."""
    return change_rows(db, HELD, (job.task_id, job.token), now_ms, **new) == 1


def renew(db: sqlite3.Connection, job: Job) -> bool:
    """A sign of life.  False if the worker no longer holds the job."""
    return db.execute(f"UPDATE mcp_tasks SET beat = beat + 1 WHERE {HELD}", (job.task_id, job.token)).rowcount == 1


def overdue(leases: dict[str, tuple[int, int]], seen: dict, now_ms: float, lease_ms: float) -> list[str]:
    """The tasks whose lease has shown no sign of life for `lease_ms`.

    `leases`: task id -> (token, beat) as the table has them.  `seen`: what this watcher
    remembers from one look to the next, task id -> ((token, beat), since when); changed in
    place.  `now_ms`: the watcher's own clock, which only moves forward.
    """
    for task_id in seen.keys() - leases.keys():
        del seen[task_id]
    for task_id, life in leases.items():
        if task_id not in seen or seen[task_id][0] != life:
            seen[task_id] = (life, now_ms)
    return [task_id for task_id, (_, since) in seen.items() if now_ms - since >= lease_ms]


def take_back(db: sqlite3.Connection, task_id: str, life: tuple[int, int], now_ms: int) -> bool:
    """Frees a job that a dead worker held: into the outbox, checkpoint and all, or failed after MAX_ATTEMPTS.

    `life` is the (token, beat) that stayed the same for too long.  False if the worker has
    shown a sign of life since, or the job has moved on.  Called inside a transaction.
    """
    guard, values = f"{HELD} AND beat = ?", (task_id, *life)
    row = db.execute(f"SELECT attempts FROM mcp_tasks WHERE {guard}", values).fetchone()
    if row is None:
        return False
    if row[0] < MAX_ATTEMPTS:
        change_rows(db, guard, values, now_ms, worker=None, status_message="its worker was lost")
        enqueue(db, task_id)
    else:
        given_up = main.failure("WORKER_LOST", f"{MAX_ATTEMPTS} workers began this task, and all were lost")["error"]
        change_rows(db, guard, values, now_ms, worker=None, status="failed", status_message="given up", error_json=dumps(given_up),
                    **WORKED_OFF)
    return True


def cancel(db: sqlite3.Connection, task_id: str, now_ms: int) -> None:
    """Ends a job that nobody holds; asks the worker of one that is held.  A finished task stays as it is.

    Called inside a transaction: between the two, a worker might park the job.
    """
    free = "task_id = ? AND (status = 'input_required' OR status = 'working' AND worker IS NULL)"
    if change_rows(db, free, (task_id,), now_ms, status="cancelled", status_message="cancelled while nobody worked on it",
                   cancel_requested_at=now_ms, **WORKED_OFF):
        db.execute("DELETE FROM mcp_outbox WHERE task_id = ?", (task_id,))
    change_rows(db, "task_id = ? AND status = 'working' AND cancel_requested_at IS NULL", (task_id,), now_ms, cancel_requested_at=now_ms)
