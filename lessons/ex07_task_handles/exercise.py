"""Exercise 7: the server decides what becomes a task, and how a task looks on the wire.

A `job` is a row of the task table: task_id, status, message, created_at, updated_at (in
milliseconds), ttl_ms, requests (the open questions), result, error.  main.iso(ms) makes a
time stamp.  A `tool` has task_support, prefers_task(arguments) and must_be_task(arguments).
`capabilities` are those that this very request declares.
"""
import main
from main import EXTENSION, MISSING_CAPABILITY, RpcError

POLL_MS = 2_000


def declares_tasks(capabilities):
    """Whether the request says, under extensions, that its client can handle tasks.

    An object under EXTENSION does, whatever stands in it or beside it; anything else, of
    whatever type, does not.
    """
    return False


def require_tasks(capabilities):
    """Raises RpcError MISSING_CAPABILITY, with data {"requiredCapabilities": {"extensions":
    {EXTENSION: {}}}}, if the request did not declare tasks.
    """


def becomes_task(tool, arguments, capabilities):
    """The server's decision for one request.

    - task_support "forbidden": never.
    - task_support "required", or must_be_task(arguments): always; refused (require_tasks)
      for a client that did not declare tasks.
    - else: if the client declared tasks and the tool prefers one for these arguments.
    """
    raise NotImplementedError("becomes_task")


def create_task_result(job):
    """The answer to a tools/call that became a task: resultType "task", and flat beside it
    taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs.
    """
    raise NotImplementedError("create_task_result")


def detailed_task(job):
    """The same fields, without resultType, and what the status carries: inputRequests if
    input_required, result if completed, error if failed, and nothing more otherwise.
    """
    raise NotImplementedError("detailed_task")


def get_task_result(job):
    """The answer to tasks/get: detailed_task, with the resultType of any ordinary result."""
    raise NotImplementedError("get_task_result")


def acknowledgement():
    """The answer to tasks/update and tasks/cancel: received, and nothing else."""
    raise NotImplementedError("acknowledgement")
