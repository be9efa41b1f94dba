"""The checks of exercise 7: your functions in a running server, and the shapes on the wire."""
from __future__ import annotations

import contextlib
import dataclasses
import re
import time
from typing import Any, Iterator

import main
from lessons.grader import Trial, check, code_of
from lessons.server_2026 import Pieces, Server2026, Tool2026, solutions
from lessons.task_table import Job
from main import EXTENSION

NAMES = ("declares_tasks", "require_tasks", "becomes_task", "create_task_result", "detailed_task", "get_task_result", "acknowledgement")
STARTER_FAILS = "decides/not_written"
TASKS = {"extensions": {EXTENSION: {}}}
BASE = {"taskId", "status", "statusMessage", "createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs"}


def wait_for_word(arguments: dict, ctx: main.Context) -> dict:
    """A tool that ends as it is told: 'result', 'error', 'raise', 'ask' or 'wait'."""
    end = arguments.get("end", "result")
    if end == "ask":
        ctx.ask("sure", "elicitation/create", {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {}}})
    if end == "wait":
        main.rest(ctx, 60.0)
        ctx.progress(1.0)
    if end == "raise":
        raise main.RpcError(main.INTERNAL_ERROR, "the service is gone")
    return main.text_result("done", is_error=end == "error")


ANY = {"type": "object", "properties": {"end": {"type": "string"}, "size": {"type": "integer"}}}
TOOLS = {name: Tool2026(name, name, name, ANY, support, wait_for_word, **more) for name, support, more in (
    ("quick", "forbidden", {}), ("slow", "required", {}), ("either", "optional", {"prefers_task": lambda arguments: arguments.get("size", 0) > 3}),
    ("audit", "optional", {"prefers_task": lambda arguments: arguments.get("size", 0) > 5, "must_be_task": lambda arguments: arguments.get("size", 0) > 5}),
    ("heavy", "optional", {"prefers_task": lambda arguments: False, "must_be_task": lambda arguments: True}),
    ("light", "forbidden", {"prefers_task": lambda arguments: True, "must_be_task": lambda arguments: True}))}
# A row in which no two values are alike; the exercise has to put each where it belongs.
ROW = Job("task_1", "job_1", ("acme", "ana"), "slow", {}, "working", "half way", 50, 3, {"content": [], "isError": False, "n": 1},
          {"code": -32000, "message": "gone", "data": {"why": 1}}, {"q": {"method": "elicitation/create", "params": {"message": "?"}}},
          {}, {}, {}, {}, False, 1_000_000, 2_000_000, 9_000_000, 7_000_000, 1)
FIELDS = {"taskId": "task_1", "statusMessage": "half way", "createdAt": main.iso(1_000_000), "lastUpdatedAt": main.iso(2_000_000),
          "ttlMs": 7_000_000, "pollIntervalMs": 2_000}


class Caller:
    """Calls a running server, declaring tasks or not, and notes what passes."""

    def __init__(self, server: Server2026, trial: Trial, token: str = ""):
        self.server, self.trial = server, trial
        self.client = main.Client(server.url, wire=main.MODERN, token=token)

    def call(self, method: str, params: dict, declare: Any = True) -> dict:
        """The result, or {'error': code, 'data': data, 'http': status}."""
        capabilities = {"elicitation": {}, **(TASKS if declare is True else {} if declare is False else declare)}
        meta = {"io.modelcontextprotocol/clientCapabilities": capabilities}
        try:
            result = self.client.call(method, {**params, "_meta": meta})
        except main.RpcError as error:
            result = {"error": error.code, "data": error.data, "http": error.http}
        self.trial.note("client ->", method, str(result.get("status", result.get("error", result.get("resultType")))))
        return {key: value for key, value in result.items() if key != "_meta"}

    def tool(self, name: str, declare: Any = True, **arguments: Any) -> dict:
        return self.call("tools/call", {"name": name, "arguments": arguments}, declare)

    def until(self, task_id: str, *statuses: str) -> dict:
        """Polls until the task has one of the statuses."""
        for _ in range(500):
            task = self.call("tasks/get", {"taskId": task_id})
            if task.get("status") in statuses or "error" in task and "status" not in task:
                return task
            time.sleep(0.01)
        return task


@contextlib.contextmanager
def running(trial: Trial, tools: dict, pieces: Pieces, **options: Any) -> Iterator[Caller]:
    """The 2026 server with these tools and pieces, and somebody who calls it."""
    server = Server2026(trial.folder / "tasks.db", tools=tools, pieces=pieces, workers=2, **options).start()
    caller = Caller(server, trial)
    try:
        yield caller
    finally:
        caller.client.close()
        server.stop()


def serving(answer: Any, trial: Trial) -> contextlib.AbstractContextManager:
    """The server with the learner's piece in it."""
    return running(trial, TOOLS, dataclasses.replace(solutions(), handles=answer))


@check(points=3)
def decides(answer, trial):
    becomes = lambda name, declared, **arguments: answer.becomes_task(TOOLS[name], arguments, TASKS if declared else {})
    trial.expect("forbidden_as_task", "becomes_task(a forbidden tool), by a client with tasks", False, becomes("quick", True))
    trial.expect("required_at_once", "becomes_task(a required tool), by a client with tasks", True, becomes("slow", True))
    trial.expect("forbidden_as_task", "becomes_task(a forbidden tool, whatever else it says)", False, becomes("light", True))
    trial.expect("not_the_tools_choice", "becomes_task(an optional tool that prefers none here)", False, becomes("either", True, size=1))
    trial.expect("not_the_tools_choice", "becomes_task(an optional tool that prefers one here)", True, becomes("either", True, size=4))
    trial.expect("task_for_a_stranger", "becomes_task(an optional tool that prefers one), by a client without tasks", False, becomes("either", False, size=4))
    trial.expect("refuses_the_bounded", "becomes_task(an audit of 5), by a client without tasks", False, becomes("audit", False, size=5))
    trial.expect("must_is_a_task", "becomes_task(an optional tool that must be a task here, and does not prefer it)", True, becomes("heavy", True))
    for name, arguments in (("slow", {}), ("audit", {"size": 6}), ("heavy", {})):
        saw = code_of(lambda: becomes(name, False, **arguments))
        trial.expect("not_refused", f"becomes_task({name}, {arguments}), by a client without tasks", -32021, saw)


@check(points=2)
def gates_each_request(answer, trial):
    with serving(answer, trial) as caller:
        task_id = caller.tool("slow", end="wait").get("taskId", "task_" + "0" * 32)
        for method, params in (("tasks/get", {}), ("tasks/update", {"inputResponses": {}}), ("tasks/cancel", {})):
            saw = caller.call(method, {"taskId": task_id, **params}, declare=False)
            trial.expect("undeclared", f"{method} by a request that does not declare tasks, right after one that did: (code, HTTP status)",
                         (-32021, 400), (saw.get("error"), saw.get("http")))
            trial.expect("no_data", f"{method}: the data of that error", {"requiredCapabilities": TASKS}, saw.get("data"))
        for odd in ({"extensions": []}, {"extensions": {EXTENSION: None}}, {"extensions": {EXTENSION: True}}, {"extensions": None}, {"extensions": "x"}, {"extensions": {"io.modelcontextprotocol/ui": {}}}):
            saw = caller.call("tasks/get", {"taskId": task_id}, declare=odd)
            trial.expect("undeclared", f"tasks/get with the capabilities {odd}: code", -32021, saw.get("error"))
        more = {"extensions": {EXTENSION: {"x": 1}, "io.modelcontextprotocol/ui": {}}}
        saw = caller.call("tasks/get", {"taskId": task_id}, declare=more).get("error")
        trial.require(saw != -32021, "more_declared", f"tasks/get with the capabilities {more}: code", "not -32021", saw)
        saw = caller.tool("slow", declare=False)
        trial.expect("undeclared", "tools/call of a required tool without tasks: code", -32021, saw.get("error"))
        with caller.server.table.connections.borrow() as db:
            rows = db.execute("SELECT count(*) FROM mcp_tasks").fetchone()[0]
        trial.expect("row_left", "the number of task rows after one call that was let in and one that was refused", 1, rows)


@check(points=3)
def hands_out_a_flat_task(answer, trial):
    with serving(answer, trial) as caller:
        created = caller.tool("slow", end="wait")
        trial.require("task" not in created, "nested", "tools/call of a task: its keys", "all on the top level", sorted(created))
        trial.expect("not_a_task", "tools/call of a task: resultType", "task", created.get("resultType"))
        trial.expect("wrong_keys", "tools/call of a task: its keys", sorted(BASE | {"resultType"}), sorted(created))
        trial.require(all(type(created[key]) is int for key in ("ttlMs", "pollIntervalMs")), "no_integers", "ttlMs and pollIntervalMs",
                      "integers, in milliseconds", (created["ttlMs"], created["pollIntervalMs"]))
        iso = all(isinstance(created[key], str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", created[key]) for key in ("createdAt", "lastUpdatedAt"))
        trial.require(iso, "no_time", "createdAt and lastUpdatedAt", "ISO 8601, in UTC", (created["createdAt"], created["lastUpdatedAt"]))
        again = caller.call("tasks/get", {"taskId": created["taskId"]})
        trial.expect("not_found_at_once", "tasks/get right after: taskId", created["taskId"], again.get("taskId"))
    for status in ("working", "completed"):
        trial.expect("values", f"create_task_result of a {status} row in which no two values are alike", {"resultType": "task", "status": status, **FIELDS},
                     answer.create_task_result(dataclasses.replace(ROW, status=status)))


@check(points=4)
def shows_every_status(answer, trial):
    carries = {"wait": ("working", None), "ask": ("input_required", "inputRequests"), "result": ("completed", "result"),
               "error": ("completed", "result"), "raise": ("failed", "error")}
    with serving(answer, trial) as caller:
        for end, (status, payload) in carries.items():
            created = caller.tool("slow", end=end)
            task = caller.until(created.get("taskId"), status, *main.TERMINAL)
            trial.expect("wrong_status", f"a tool that ends with {end!r}: the status of its task", status, task.get("status"))
            trial.expect("not_complete", f"tasks/get of a {status} task: resultType", "complete", task.get("resultType"))
            trial.expect("wrong_payload", f"tasks/get of a {status} task: its keys", sorted(BASE | {"resultType"} | ({payload} if payload else set())), sorted(task))
            if end == "error":
                trial.expect("tool_error", "a tool that says isError: result.isError", True, task["result"].get("isError"))
            if end == "raise":
                trial.expect("protocol_error", "a tool that raises a JSON-RPC error: error", {"code": -32603, "message": "the service is gone"}, task["error"])
        waiting = caller.tool("slow", end="wait")["taskId"]
        caller.until(waiting, "working")
        caller.call("tasks/cancel", {"taskId": waiting})
        task = caller.until(waiting, *main.TERMINAL)
        trial.expect("wrong_payload", "tasks/get of a cancelled task: its keys", sorted(BASE | {"resultType"}), sorted(task))
    carried = {"working": {}, "cancelled": {}, "input_required": {"inputRequests": ROW.requests}, "completed": {"result": ROW.result}, "failed": {"error": ROW.error}}
    for status, payload in carried.items():
        expected, row = {"status": status, **FIELDS, **payload}, dataclasses.replace(ROW, status=status)
        trial.expect("values", f"detailed_task of a {status} row in which no two values are alike", expected, answer.detailed_task(row))
        trial.expect("values", "get_task_result of that row", {"resultType": "complete", **expected}, answer.get_task_result(row))


@check(points=2)
def acknowledges(answer, trial):
    with serving(answer, trial) as caller:
        running, finished = caller.tool("slow", end="wait")["taskId"], caller.tool("slow")["taskId"]
        before = caller.until(finished, "completed")
        for what, task_id in (("a running", running), ("a finished", finished), ("a finished, again,", finished)):
            for method, params in (("tasks/cancel", {}), ("tasks/update", {"inputResponses": {"nobody": {"action": "decline"}}})):
                saw = caller.call(method, {"taskId": task_id, **params})
                trial.expect("not_empty", f"{method} of {what} task", {"resultType": "complete"}, saw)
        trial.expect("changed", "the finished task afterwards", before, caller.call("tasks/get", {"taskId": finished}))


@check(points=1)
def keeps_the_quick_path(answer, trial):
    with serving(answer, trial) as caller:
        for name, declare in (("quick", True), ("either", False), ("audit", False)):
            saw = caller.tool(name, declare=declare, size=4)
            trial.expect("no_direct_answer", f"tools/call of {name} ({'with' if declare else 'without'} tasks): resultType and text",
                         ("complete", "done"), (saw.get("resultType"), (saw.get("content") or [{}])[0].get("text")))
