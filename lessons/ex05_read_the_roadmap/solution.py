"""Exercise 5, solved: one good answer; another issue with good reasons is as good."""

ANSWERS = {
    "who_decides": "a",
    "is_error": "b",
    "result_type": "c",
    "cancel_finished": "b",
    "no_list": "c",
    "input_running": "a",
    "name_header": "a",
    "undeclared": "b",
    "march": "c",
    "august": "a",
}

ISSUE = {
    "issue": "completion events: how a client learns, without polling, that a task has finished or needs input",
    "post": "The New MCP Roadmap",
    "date": "2026-08-22",
    "says": "Server-initiated events (channels, subscriptions, webhooks) are the first deliverable of the first area, "
            "because clients should not depend on costly polling alone to learn that work is done.",
    "signature": "async def call_tool(name, arguments, *, on_event: Callable[[TaskEvent], None] | None = None) -> TaskHandle",
    "against": "Retry semantics would win if the August post still named them; it does not, and a retry can live in a wrapper "
               "around today's API, whereas an event needs a way in that no SDK has.",
}

DESIGN = """
# Task store design: transcribe_lecture

## Decision
- taskSupport: required, because no connection holds for the better part of an hour
- duration: 20 minutes to 50 minutes
- without Tasks: -32021 with requiredCapabilities; there is no quick path

## State
- task id: 128 random bits; the job and the caller's key are separate
- states: working -> input_required -> working; working -> completed | failed | cancelled
- fields: ids, owner, key, hash of the arguments, status, progress, questions, answers, pieces done, effects, lease, expiry
- result size: up to 2 MB of text

## Retention
- ttl: 24 hours from creation
- poll interval: 5 seconds
- after the ttl: a live task is told to stop and fails; a finished one goes; the published page stays

## Durability
- store: PostgreSQL, because two machines write
- before the answer: COMMIT of one transaction with the task and its job
- moves to: a queue behind the same table, when workers outnumber what SKIP LOCKED can serve

## Cancellation
- how: a column that the worker reads before each piece
- finished tasks: unchanged, the same acknowledgement
- while waiting: a parked task is ended by the request itself

## Crash recovery
- policy: resume, because each piece has been paid for
- checkpoint: the text of each ten-minute piece, as soon as it is there
- attempts: 3, then failed with -32603

## Progress
- reported: pieces of all pieces
- notifications: notifications/tasks with the whole task, at most one a piece

## Idempotency
- key: the caller's, for tenant and subject, kept as long as the task
- other arguments: a conflict
- external effects: each call of the speech service carries job id and piece number as its key; publishing carries the job id

## Lease
- length: 60 seconds, renewed every 20
- fencing: a growing token, in every write of a worker

## Owner
- bound to: tenant and subject of the access token
- checked: on every call

## Approval
- gate: the lecturer says yes before the text is published

## Open ends
- subtasks: pieces are checkpoints of one task
- completion events: the client polls, or listens while it is connected
"""

REFUSAL = """
Refused: too short. It answers in 50 milliseconds; a task would cost a second request and a stored result. Instead: a plain call, taskSupport forbidden.
"""
