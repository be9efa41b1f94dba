"""The checks of exercise 2.  The worker runs on the check's own time; the races are real."""
from __future__ import annotations

import pathlib
import threading
from typing import Any

import main
from lessons.grader import Trial, check
from lessons.store_contract import DONE, in_parallel, new_task

NAMES = ("export", "cancel")
STARTER_FAILS = "stops_between/ignores"


class Watching(main.Context):
    """A context that is cancelled from a certain time on, and keeps what is reported."""

    def __init__(self, trial: Trial, cancel_at: float = float("inf")):
        super().__init__(lambda: trial.clock_s >= cancel_at)
        self.trial, self.reported = trial, []

    def progress(self, fraction: float, message: str = "") -> None:
        self.reported.append(fraction)
        self.trial.note("worker", f"progress {fraction:.2f}", message)
        super().progress(fraction, message)


def run(answer: Any, trial: Trial, parts: int, part_s: float, cancel_at: float = float("inf")) -> tuple[Any, Watching]:
    """(what export returned or raised, its context), on the check's own time."""
    ctx = Watching(trial, cancel_at)
    with trial.own_time():
        try:
            result = answer.export({"folder": str(trial.folder), "parts": parts, "part_s": part_s}, ctx)
        except main.Cancelled as stopped:
            result = stopped
    return result, ctx


def left(trial: Trial) -> list[str]:
    """The files in the folder."""
    return sorted(path.name for path in trial.folder.iterdir())


@check(points=2)
def stops_between(answer, trial):
    at = trial.random.randint(2, 6) + 0.5
    tried = f"export of 10 parts of 1 s each, asked to stop after {at} s: the time it ended"
    result, _ = run(answer, trial, 10, 1.0, cancel_at=at)
    trial.require(trial.clock_s <= at + 1.0, "ignores", tried, f"by {at + 1.0} s", f"{trial.clock_s:.1f} s")
    trial.require(isinstance(result, main.Cancelled), "swallowed", "export(), asked to stop: what came out",
                  "main.Cancelled, raised", "it returned " + repr(result))


@check(points=2)
def stops_inside(answer, trial):
    run(answer, trial, 3, 600.0, cancel_at=90.0)
    trial.require(trial.clock_s <= 91.0, "sleeps_through", "export of 3 parts of 600 s each, asked to stop after 90 s: the time it ended",
                  "by 91 s", f"{trial.clock_s:.0f} s")


@check(points=2)
def cleans_up(answer, trial):
    run(answer, trial, 5, 1.0, cancel_at=2.5)
    trial.expect("leaves_partial", "export(), asked to stop: the files it left", [], left(trial))
    finished, seen = trial.folder / "export.txt", []
    finished.write_text("an older export, whole", encoding="utf-8")
    trial.woken = lambda: seen.append(finished.read_text(encoding="utf-8") if finished.exists() else "gone")
    trial.clock_s = 0.0
    run(answer, trial, 5, 1.0, cancel_at=2.5)
    trial.woken = lambda: None
    odd = [text for text in seen if text != "an older export, whole"]
    trial.expect("in_place", "export(), looked at while it works: export.txt, where an older one was", "an older export, whole", odd[0][:60] if odd else "an older export, whole")
    after = finished.read_text(encoding="utf-8") if finished.exists() else "gone"
    trial.expect("old_one_lost", "export(), asked to stop: the older export.txt afterwards", "an older export, whole", after[:60])


@check(points=2)
def finishes_when_left_alone(answer, trial):
    result, ctx = run(answer, trial, 4, 1.0)
    trial.expect("not_finished", "export of 4 parts: the files it left", ["export.txt"], left(trial))
    lines = (trial.folder / "export.txt").read_text(encoding="utf-8").splitlines()
    trial.expect("lines_lost", "export of 4 parts: the lines of export.txt", [f"part {n}" for n in range(1, 5)], lines)
    trial.require(isinstance(result, dict) and "content" in result, "no_result", "export of 4 parts: what it returned",
                  "main.text_result(...)", result)
    trial.require(len(ctx.reported) >= 4 and ctx.reported == sorted(ctx.reported), "no_progress",
                  "export of 4 parts: the fractions it reported", "one before each part, rising from 0 to 1", ctx.reported)
    trial.require(trial.clock_s >= 3.9, "too_quick", "export of 4 parts of 1 s each: the time it took", "about 4 s", f"{trial.clock_s:.1f} s")


def store_of(trial: Trial) -> main.FileStore:
    """A store in the check's folder."""
    return main.FileStore(trial.folder / "tasks")


def prepared(store: main.FileStore, number: int, **changes: Any) -> main.Task:
    """A task that has been created and changed."""
    task = new_task(store, number)
    store.create(task)
    return store.change(task.id, lambda task: changes) if changes else task


@check(points=3)
def cancel_by_state(answer, trial):
    store = store_of(trial)
    waiting = prepared(store, 1)
    running = prepared(store, 2, started=True)
    asking = prepared(store, 3, started=True, state="input_required")
    finished = prepared(store, 4, started=True, **DONE)
    try:
        saw = answer.cancel(store, "tsk_" + "f" * 32)
    except Exception as error:
        saw = f"{type(error).__name__}: {error}"
    trial.expect("unknown_raises", "cancel() of an id that there is not", None, saw)
    saw = answer.cancel(store, finished.id)
    trial.expect("finished_changed", "cancel() of a completed task: what it returned", finished, saw)
    trial.expect("finished_changed", "cancel() of a completed task: the task afterwards", finished, store.get(finished.id))
    answer.cancel(store, waiting.id)
    trial.expect("queued_runs", "cancel() of a task that has not begun: its state", "cancelled", store.get(waiting.id).state)
    for task, what in ((running, "a running task"), (asking, "a task that waits for input")):
        answer.cancel(store, task.id)
        seen = store.get(task.id)
        trial.expect("too_eager", f"cancel() of {what}: its state, before the worker has seen it", task.state, seen.state)
        trial.expect("not_asked", f"cancel() of {what}: cancel_requested", True, seen.cancel_requested)
    store.close()


@check(points=2)
def cancel_again(answer, trial):
    store = store_of(trial)
    tasks = [prepared(store, 1), prepared(store, 2, started=True), prepared(store, 3, started=True, **DONE)]
    for task in tasks:
        answers = []
        for _ in range(3):
            try:
                answers.append(answer.cancel(store, task.id).state)
            except Exception as error:
                trial.fail("again_raises", "cancel() for the second time", "the same answer as the first", f"{type(error).__name__}: {error}")
        trial.expect("again_differs", "cancel() three times: the states it returned", answers[:1] * 3, answers)
    store.close()


class Overtaken(main.FileStore):
    """A store in which the task completes right after somebody has looked at it."""

    def get(self, task_id: str) -> main.Task | None:
        task = super().get(task_id)
        super().change(task_id, lambda task: DONE)
        return task


class Begun(main.FileStore):
    """A store in which a worker begins a task right after somebody has looked at it, or right before it is changed."""

    def get(self, task_id: str) -> main.Task | None:
        task = super().get(task_id)
        self.begin(task_id)
        return task

    def change(self, task_id: str, update: Any) -> main.Task | None:
        self.begin(task_id)
        return super().change(task_id, update)

    def begin(self, task_id: str) -> None:
        """The worker takes the task, if it is still waiting."""
        super().change(task_id, lambda task: None if task.started else {"started": True})


@check(points=2)
def cancel_against_complete(answer, trial):
    store = Overtaken(trial.folder / "overtaken")
    task = prepared(store, 1, started=True)
    saw = answer.cancel(store, task.id)
    store.close()
    begun = Begun(trial.folder / "begun")
    waiting = prepared(begun, 1)
    early = answer.cancel(begun, waiting.id)
    begun.close()
    trial.expect("decided_too_early", "cancel() of a task that begins after the first look: its state", "working", getattr(early, "state", early))
    trial.require(isinstance(saw, main.Task), "none_in_a_race", "cancel() of a task that completes after the first look: what it returned",
                  "the task, as it is now", saw)
    store = store_of(trial)
    for number in range(1, 41):
        task = prepared(store, number, started=True)
        answers = in_parallel([lambda: answer.cancel(store, task.id), lambda: store.change(task.id, lambda task: DONE)])
        trial.require(isinstance(answers[0], main.Task), "none_in_a_race", "cancel() while the task completes: what it returned",
                      "the task, as it is now", answers[0])
        trial.expect("overwrote", "cancel() while the task completes: the state afterwards", "completed", store.get(task.id).state)
    store.close()


@check(points=2)
def over_the_wire(answer, trial):
    class LearnersStore(main.FileStore):
        request_cancel = answer.cancel
    began = threading.Event()
    tool = main.Tool("export", "Export", "Exports.", {"type": "object"}, "required",
                     lambda arguments, ctx: began.set() or answer.export(arguments, ctx))
    server = main.LessonServer(LearnersStore(trial.folder / "tasks"), tools={"export": tool}).start()
    client = main.Client(server.url, trace=trial.trace)
    out = pathlib.Path(trial.folder, "out")
    out.mkdir()
    try:
        task_id = client.start("export", {"folder": str(out), "parts": 3, "part_s": 3.0})
        began.wait(5)
        client.call("tasks/cancel", {"taskId": task_id})
        state = client.wait(task_id, polls=4)["state"]
        again = client.call("tasks/cancel", {"taskId": task_id})["state"]
    except TimeoutError:
        state = again = "working"
    finally:
        client.close()
        server.stop()
    trial.expect("wire", "tasks/cancel in mid-run, then tasks/status; then tasks/cancel again", ("cancelled", "cancelled"), (state, again))
