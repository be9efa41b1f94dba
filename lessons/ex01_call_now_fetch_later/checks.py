"""The checks of exercise 1.  A scripted server over real HTTP; its time is the check's own."""
from __future__ import annotations

import contextlib
import http.client
from typing import Any, Iterator

import main
from lessons.grader import Mistake, Trial, check

NAMES = ("SUPPORT", "start", "wait", "fetch")
STARTER_FAILS = "quick_tool/required"
RESULT = {"content": [{"type": "text", "text": "the year, exported"}], "isError": False}
MOST_POLLS = 60


class Script:
    """A server whose task is `states[0]` until the clock passes times[0], and so on."""

    def __init__(self, trial: Trial, states: list[tuple[float, str]], interval_ms: tuple[int, ...] = (500,)):
        self.trial, self.states, self.intervals = trial, states, list(interval_ms)
        self.task_id = f"tsk_{trial.random.getrandbits(128):032x}"
        self.calls: list[tuple[float, str, dict]] = []
        self.drop = 0                          # how many of the next polls lose their connection

    def state(self) -> str:
        return next((state for until, state in self.states if self.trial.clock_s < until), self.states[-1][1])

    def status(self, params: dict, request: main.Request) -> dict:
        if self.drop:
            self.drop -= 1
            raise main.Cancelled               # hangs up without a word
        if self.state() == "unknown":
            raise main.RpcError(main.INVALID_PARAMS, "there is no such task", http=404)
        interval = self.intervals[min(len(self.calls), len(self.intervals)) - 1]
        status = {"taskId": self.task_id, "state": self.state(), "progress": 0.5, "pollInterval": interval}
        return {**status, "inputRequests": {"title": {}}} if status["state"] == "input_required" else status

    def result(self, params: dict, request: main.Request) -> dict:
        if self.state() == "failed":
            raise main.RpcError(main.INTERNAL_ERROR, "the disk was full", http=200)
        if self.state() != "completed":
            raise main.RpcError(main.NOT_READY, "not there yet", http=404)
        return RESULT

    def call(self, params: dict, request: main.Request) -> dict:
        return {"_meta": {"task": {"id": self.task_id, "state": "working", "ttl": 900_000}}}


class Watched(main.Client):
    """A client that keeps the time, writes down what passes, and stops what would never end."""

    def __init__(self, url: str, script: Script):
        super().__init__(url)
        self.script, self.trial = script, script.trial
        self.sleep = self.pass_time
        self.over = self.wrong = False         # has the task left `working`, and was it polled all the same

    def pass_time(self, seconds: float) -> None:
        self.trial.clock_s += seconds

    def call(self, method: str, params: dict | None = None) -> dict:
        self.script.calls.append((self.trial.clock_s, method, params or {}))
        polls = sum(name == "tasks/status" for _, name, _ in self.script.calls)
        if polls > MOST_POLLS:
            raise Mistake("never_stops", "wait() on a task that is " + self.script.state(), "an end", f"{polls} polls and no end")
        try:
            result = super().call(method, params)
        except http.client.HTTPException as error:
            result = ConnectionError(str(error))
        except (OSError, main.RpcError) as error:
            result = error
        shown = f"{type(result).__name__}" if isinstance(result, Exception) else result.get("state", "ok")
        self.trial.note("client ->", method, shown, wrong=self.over and method == "tasks/status" and not self.wrong)
        self.wrong, self.over = self.wrong or self.over, self.over or shown in ("input_required", "paused")
        if isinstance(result, Exception):
            raise result
        return result


@contextlib.contextmanager
def scripted(trial: Trial, states: list[tuple[float, str]], **more: Any) -> Iterator[tuple[Watched, Script]]:
    """A running scripted server and a client of it."""
    script = Script(trial, states, **more)
    methods = {"tools/call": script.call, "tasks/status": script.status, "tasks/result": script.result}
    server = main.JsonRpcServer(methods).start(poll_s=0.005)
    client = Watched(server.url, script)
    try:
        yield client, script
    finally:
        client.close()
        server.stop()


def wait(answer: Any, client: Watched, script: Script) -> Any:
    """The learner's wait(), on the check's own time, whichever way it sleeps."""
    with client.trial.own_time():
        return answer.wait(client, script.task_id)


def polls(script: Script) -> list[float]:
    """The times of the polls."""
    return [when for when, method, _ in script.calls if method == "tasks/status"]


@check(points=1)
def quick_tool(answer, trial):
    support = answer.SUPPORT.get("convert_currency")
    trial.expect("required" if support == "required" else "optional", 'SUPPORT["convert_currency"]', "forbidden", support)


@check(points=2)
def other_tools(answer, trial):
    right = {"read_sensor": "forbidden", "export_year": "required", "train_model": "required",
             "search_mail": "optional", "build_project": "optional"}
    for tool, expected in right.items():
        mistake = {"forbidden": "quick_as_task", "required": "slow_at_once", "optional": "it_varies"}[expected]
        trial.expect(mistake, f"SUPPORT[{tool!r}]", expected, answer.SUPPORT.get(tool))


@check(points=2)
def asks_for_a_task(answer, trial):
    with scripted(trial, [(9, "working")]) as (client, script):
        task_id = answer.start(client, "export_year", {"year": 2025})
    methods = [method for _, method, _ in script.calls]
    trial.expect("waits_inside", "start(client, 'export_year', {'year': 2025}): the methods called", ["tools/call"], methods)
    params = script.calls[0][2]
    trial.expect("no_opt_in", "start(...): params._meta.task of its tools/call", {"required": True}, params.get("_meta", {}).get("task"))
    sent = (params.get("name"), params.get("arguments"))
    trial.expect("wrong_call", "start(...): the name and arguments sent", ("export_year", {"year": 2025}), sent)
    trial.expect("wrong_id", "start(...): what it returned", script.task_id, task_id)


@check(points=3)
def polls_politely(answer, trial):
    first, later = trial.random.choice([400, 500, 700]), trial.random.choice([1500, 2000, 3000])
    with scripted(trial, [(later * 3.2 / 1000, "working"), (999, "completed")], interval_ms=(first, later)) as (client, script):
        try:
            status = wait(answer, client, script)
        except Mistake as endless:             # how fast it asked says more than that it never stopped
            status = endless
    times = polls(script)
    told = [first] + [later] * len(times)
    for position, gap in enumerate(b - a for a, b in zip(times, times[1:])):
        if not told[position] - 1 <= gap * 1000 <= told[position] * 2:
            trial.mark(position + 1)
        said = f"pollInterval was {told[position]}; the client waited"
        trial.require(gap * 1000 >= told[position] - 1, "too_fast", said, f"at least {told[position]} ms", f"{gap * 1000:.0f} ms")
        trial.require(gap * 1000 <= told[position] * 2, "too_lazy", said, f"not much more than {told[position]} ms", f"{gap * 1000:.0f} ms")
    if isinstance(status, Mistake):
        raise status
    is_status = isinstance(status, dict) and status.get("state") == "completed"
    trial.require(is_status, "wrong_status", "wait() on a task that completes: what it returned", "the last status, as it came", repr(status))


@check(points=2)
def stops_for_questions(answer, trial):
    for state, mistake in (("input_required", "waits_for_ever"), ("paused", "unknown_ignored")):
        trial.clock_s, trial.timeline = 0.0, []
        with scripted(trial, [(1, "working"), (999, state)]) as (client, script):
            try:
                status = wait(answer, client, script)
            except Mistake as endless:
                trial.fail(mistake, endless.tried, "an end", endless.saw)
        saw = status.get("state") if isinstance(status, dict) else status
        trial.expect(mistake, f"wait() on a task that becomes {state}: the state of what it returned", state, saw)


@check(points=2)
def survives_a_lost_connection(answer, trial):
    with scripted(trial, [(2, "working"), (999, "completed")]) as (client, script):
        wait(answer, client, script)
        trial.clock_s, script.drop, script.calls, trial.timeline = 0.0, 2, [], []
        try:
            status = wait(answer, client, script)
        except OSError as error:
            trial.fail("gives_up", "wait() while two polls lose their connection", "the status, in the end", f"{type(error).__name__}: {error}")
    with scripted(trial, [(999, "unknown")]) as (client, unknown):
        try:
            wait(answer, client, unknown)
            saw = "a status"
        except Mistake as endless:
            saw = endless.saw
        except main.RpcError as error:
            saw = error.code
    trial.expect("error_hidden", "wait() on a task that the server does not know: what came out", -32602, saw)
    methods = {method for _, method, _ in script.calls}
    trial.expect("starts_again", "wait() while two polls lose their connection: the methods called", {"tasks/status"}, methods)
    trial.expect("other_id", "wait(): the task ids asked for", {script.task_id}, {params.get("taskId") for _, _, params in script.calls})
    times = polls(script)
    gap = min(b - a for a, b in zip(times, times[1:]))
    trial.require(gap > 0, "hammers", "wait() after a lost connection: the pause before it asked again", "some time", f"{gap * 1000:.0f} ms")
    trial.expect("gives_up", "wait(): the state in the end", "completed", status.get("state"))


@check(points=2)
def fetches_the_result(answer, trial):
    with scripted(trial, [(1.2, "working"), (999, "completed")]) as (client, script):
        try:
            with trial.own_time():
                result = answer.fetch(client, script.task_id)
        except main.RpcError as error:
            trial.fail("too_early", "fetch() on a task that completes after 1.2 s", "the result", f"HTTP {error.http}: {error.message}")
    early = [when for when, method, _ in script.calls if method == "tasks/result" and when < 1.2]
    trial.expect("too_early", "fetch(): calls of tasks/result while the task was working", [], early)
    trial.expect("not_the_result", "fetch(): what it returned", RESULT, result)


@check(points=1)
def lets_errors_out(answer, trial):
    with scripted(trial, [(0.6, "working"), (999, "failed")]) as (client, script):
        try:
            with trial.own_time():
                result = answer.fetch(client, script.task_id)
        except main.RpcError as error:
            return trial.expect("swallowed", "fetch() on a task that fails: the message", "the disk was full", error.message)
    trial.fail("swallowed", "fetch() on a task that fails with 'the disk was full'", "main.RpcError", result)


@check(points=2)
def on_the_real_server(answer, trial):
    (trial.folder / "notes").mkdir()
    (trial.folder / "notes" / "a.txt").write_text("one two three\n", encoding="utf-8")
    server = main.LessonServer(main.FileStore(trial.folder / "tasks")).start()
    client = main.Client(server.url, trace=trial.trace)
    try:
        task_id = answer.start(client, "generate_report", {"folder": str(trial.folder / "notes"), "pace_ms": 300})
        result = answer.fetch(client, task_id)
    finally:
        client.close()
        server.stop()
    words = result.get("structuredContent", {}).get("words") if isinstance(result, dict) else result
    trial.expect("real_server", "start() and fetch() of generate_report on three words", 3, words)
