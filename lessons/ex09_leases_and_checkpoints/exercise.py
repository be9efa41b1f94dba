"""Exercise 9: who holds a job, how that shows, and what happens when it no longer does.

Columns of mcp_tasks that you need:

    task_id, status           a job is to do, or being done, while its status is 'working'
    worker                    who holds it; NULL if nobody does
    fencing_token             rises by one with each claim
    beat                      rises by one with each sign of life
    attempts                  claims at this place (the server sets it to 1 when a job gets further,
                              and to 0 when it comes back by itself)
    cancel_requested_at       milliseconds, NULL if nobody wants it cancelled

mcp_outbox (place, job_id, task_id, tool) is the line of jobs that wait for a worker.

`db` is a sqlite3 connection inside a transaction that holds the write lock; you neither
begin nor end it.  A `job` has task_id and token, the fencing token its worker was given.
Where a function tells "whether", it gives True or False.  Given (lessons/task_table.py):

    change_rows(db, where, values, now_ms, **new)    a guarded UPDATE; how many rows it changed.
                                                     It raises `revision` too, by which listeners
                                                     hear of a change
    enqueue(db, task_id)                             puts a job into the outbox
    WORKED_OFF                                       columns that a task which is over empties: **WORKED_OFF
"""
import main
from lessons.task_table import WORKED_OFF, change_rows, dumps, enqueue

MAX_ATTEMPTS = 5


def claim(db, worker, tools):
    """Takes the first job of the outbox that is for one of `tools`: its task_id, None if there is none.

    The entry leaves the outbox.  The row gets this worker, a token one larger, and one
    attempt more, and nothing else changes in it; but only if it is 'working' and nobody
    holds it.  If it is not (somebody has cancelled it), its entry goes all the same, and the
    next one is tried.  Entries for other tools stay.
    """
    raise NotImplementedError("claim")


def change(db, job, now_ms, **new):
    """Sets columns of a job for the worker that holds it: whether it still did.

    It does while the status is 'working', somebody holds it, and the token is job.token.
    Listeners hear of it: use change_rows.
    """
    raise NotImplementedError("change")


def renew(db, job):
    """A sign of life: beat one larger, under the same conditions as change, and nothing else:
    no listener hears of it.  Whether it still held the job.
    """
    raise NotImplementedError("renew")


def overdue(leases, seen, now_ms, lease_ms):
    """A list of the task ids whose (token, beat) has stayed the same for `lease_ms` or longer.

    leases: task_id -> (token, beat), as the table has them now.  seen: a dict that is yours
    from one call to the next; empty at first, and no larger than leases in the end.
    now_ms: the time of a clock that only moves forward.  No other clock counts.
    """
    raise NotImplementedError("overdue")


def take_back(db, task_id, life, now_ms):
    """Frees a job whose worker was lost: whether it did.

    life: the (token, beat) that stayed the same.  If the row has another by now, or nobody
    holds it, or it is no longer 'working', nothing happens.  Else nobody holds it any more,
    and it goes into the outbox; all else stays, the checkpoint first of all.  After
    MAX_ATTEMPTS attempts it fails instead, and nobody holds it either: status, worker,
    error_json (code -32603 and a message: main.failure(...)["error"]), and WORKED_OFF.
    Listeners hear of both: use change_rows.
    """
    raise NotImplementedError("take_back")


def cancel(db, task_id, now_ms):
    """Somebody wants this task cancelled.

    A job that nobody holds, waiting for a worker or for an answer, is 'cancelled' at once,
    leaves the outbox, and is WORKED_OFF.  One that is held gets cancel_requested_at, if it
    has none; its worker will see it.  A finished task stays as it is.
    """
    raise NotImplementedError("cancel")
