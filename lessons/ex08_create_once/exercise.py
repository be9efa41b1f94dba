"""Exercise 8: one transaction makes the task, records its job and takes the key.

`new` is a NewTask (lessons/task_table.py): task_id and job_id are fresh; owner is (tenant,
subject); tool, arguments and now_ms; key is the caller's idempotency key, None without one.
`db` is a sqlite3 connection outside any transaction.  Two functions are given:

    insert_task(db, new, idempotency_key, request_hash)     a row in mcp_tasks, `working`
    enqueue(db, task_id)                                    its job into mcp_outbox, where workers look

Columns of mcp_tasks that you need: task_id, tenant_id, subject_id, idempotency_key,
request_hash, status, expires_at (milliseconds).  TERMINAL is an SQL list for `status IN`.
"""
import hashlib
import json

from lessons.task_table import TERMINAL, enqueue, insert_task
from main import INVALID_PARAMS, RpcError


def canonical_hash(arguments):
    """A hash, as a text: the same for the same arguments, in whatever order of keys they were
    sent at any depth, and another one for others.  `arguments` stays as it is.
    """
    raise NotImplementedError("canonical_hash")


def stored_key(new):
    """What the column idempotency_key holds.

    A key belongs to its tool: the same word for two tools is two keys.  A call without a
    key gets something that no other call has, since the column is unique for an owner.
    """
    raise NotImplementedError("stored_key")


def create_once(db, new):
    """The id of the task that answers this call.  Everything in one BEGIN IMMEDIATE:

    - This owner has used the key, with the same arguments: the task's id.  With others:
      RpcError INVALID_PARAMS, data {"reason": "IDEMPOTENCY_CONFLICT"}, and nothing changes.
    - A finished task whose expires_at has come (<= new.now_ms) is over: it goes, and gives
      its key back.
    - Else insert the task, put its job into the outbox, and return new.task_id.

    When it returns or raises, whatever it raises, no transaction is open.
    """
    raise NotImplementedError("create_once")
