"""Exercise 7, solved: the server decides what becomes a task, and how a task looks on the wire.

Source of the rules: the Tasks extension io.modelcontextprotocol/tasks of MCP 2026-07-28.
"""
from __future__ import annotations

import main
from main import EXTENSION, MISSING_CAPABILITY, RpcError

POLL_MS = 2_000


def declares_tasks(capabilities: dict) -> bool:
    """Whether this very request says that its client can handle tasks."""
    extensions = capabilities.get("extensions")
    return isinstance(extensions, dict) and isinstance(extensions.get(EXTENSION), dict)


def require_tasks(capabilities: dict) -> None:
    """Refuses a client that did not declare Tasks: -32021, with what it would have to declare."""
    if not declares_tasks(capabilities):
        raise RpcError(MISSING_CAPABILITY, "Missing required client capability: declare the Tasks extension in _meta",
                       {"requiredCapabilities": {"extensions": {EXTENSION: {}}}})


def becomes_task(tool: main.Tool, arguments: dict, capabilities: dict) -> bool:
    """The server's decision, for this request alone; nothing that the client asks for changes it.

    A tool with taskSupport 'required', or whose `must_be_task(arguments)` says so, is refused
    without the capability (RpcError -32021).  Others take the bounded synchronous path then.
    """
    if tool.task_support == "forbidden":
        return False
    if tool.task_support == "required" or tool.must_be_task(arguments):
        require_tasks(capabilities)
        return True
    return declares_tasks(capabilities) and tool.prefers_task(arguments)


def task_fields(job) -> dict:
    """What every form of a task says, flat.  `job`: a row as lessons.task_table.Job."""
    return {"taskId": job.task_id, "status": job.status, "statusMessage": job.message, "createdAt": main.iso(job.created_at),
            "lastUpdatedAt": main.iso(job.updated_at), "ttlMs": job.ttl_ms, "pollIntervalMs": POLL_MS}


def create_task_result(job) -> dict:
    """The answer to a tools/call that became a task: the only result with resultType 'task'."""
    return {"resultType": "task", **task_fields(job)}


def detailed_task(job) -> dict:
    """A task with what its status carries: open questions, the result, or a JSON-RPC error."""
    payload = {"input_required": ("inputRequests", job.requests), "completed": ("result", job.result),
               "failed": ("error", job.error)}.get(job.status)
    return {**task_fields(job), **dict([payload] if payload else [])}


def get_task_result(job) -> dict:
    """The answer to tasks/get: a complete result, whatever the task's status."""
    return {"resultType": "complete", **detailed_task(job)}


def acknowledgement() -> dict:
    """The answer to tasks/update and tasks/cancel: received, no more."""
    return {"resultType": "complete"}
