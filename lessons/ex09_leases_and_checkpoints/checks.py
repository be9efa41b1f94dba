"""The checks of exercise 9: one holder at a time, and none that is dead."""
from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
import sqlite3
import subprocess
import threading
import time
from typing import Any, Callable, Iterator

import lessons
import main
from lessons.grader import Trial, check, isolated
from lessons.pieces import solutions
from lessons.server_2026 import Tool2026, Workers
from lessons.store_contract import in_parallel
from lessons.task_table import NOBODY, WORKED_OFF, Job, TaskTable, enqueue

NAMES = ("claim", "change", "renew", "overdue", "take_back", "cancel", "MAX_ATTEMPTS")
STARTER_FAILS = "claims_one_each/not_written"
STEPS, STEP_S = 30, 0.03
COLUMNS = "status, worker, fencing_token, beat, attempts, checkpoint_json"


class Bench:
    """A table with the learner's piece, and a view of its rows."""

    def __init__(self, trial: Trial, answer: Any, clock: Callable[[], float]):
        self.trial, self.answer = trial, answer
        self.table = TaskTable(trial.folder / "tasks.db", clock=clock, pieces=dataclasses.replace(solutions(), leases=answer))

    def create(self, tool: str = "steps") -> str:
        """A new job, in the outbox."""
        return self.table.create(NOBODY, tool, {}, {}, {}).task_id

    def within(self, call: Callable[[sqlite3.Connection], Any]) -> Any:
        """What call(db) gives inside a transaction, which is not its to end."""
        with self.table.writing() as db:
            db.execute("BEGIN IMMEDIATE")
            try:
                found = call(db)
                self.trial.expect("ends_the_transaction", "db.in_transaction after one of your functions", True, db.in_transaction)
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")
        return found

    def claim(self, worker: str = "w", tools: tuple = ("steps",)) -> Any:
        """The learner's claim, noted."""
        task_id = self.within(lambda db: self.answer.claim(db, worker, tools))
        self.trial.note(worker, "claim", str(task_id)[:13])
        return task_id

    def job(self, task_id: str) -> Job:
        """The row as a job; its token is the one that it has now."""
        return self.table.get(task_id, NOBODY)

    def row(self, task_id: str, columns: str = COLUMNS) -> tuple:
        """Some columns of the row."""
        return self.within(lambda db: db.execute(f"SELECT {columns} FROM mcp_tasks WHERE task_id = ?", (task_id,)).fetchone())

    def outbox(self) -> list[str]:
        """The line of waiting jobs."""
        return self.within(lambda db: [task_id for (task_id,) in db.execute("SELECT task_id FROM mcp_outbox ORDER BY place")])

    def life(self, task_id: str) -> tuple[int, int]:
        """The row's (token, beat)."""
        return self.row(task_id, "fencing_token, beat")

    def set(self, task_id: str, **columns: Any) -> None:
        """Makes a row what a check needs."""
        sets = ", ".join(f"{name} = ?" for name in columns)
        self.within(lambda db: db.execute(f"UPDATE mcp_tasks SET {sets} WHERE task_id = ?", (*columns.values(), task_id)))


@contextlib.contextmanager
def bench(answer: Any, trial: Trial, clock: Callable[[], float] = lambda: 1_000_000.0) -> Iterator[Bench]:
    """A Bench, closed afterwards."""
    one = Bench(trial, answer, clock)
    try:
        yield one
    finally:
        one.table.close()


@check(points=3, limit_s=30)
def claims_one_each(answer, trial):
    with bench(answer, trial) as it:
        trial.expect("from_nowhere", "claim with an empty outbox", None, it.claim())
        first, other, second = it.create(), it.create("other"), it.create()
        it.set(first, effects_json='{"mail": 1}', answers_json='{"q": 1}', checkpoint_json='{"done": 1}', cancel_requested_at=5, fencing_token=7, attempts=0)
        trial.expect("not_the_first", "claim with three jobs waiting, of which the second is for another tool", first, it.claim(tools=("more", "steps")))
        trial.expect("not_marked", "(status, worker, fencing_token, beat, attempts) of the claimed row, whose token was 7", ("working", "w", 8, 0, 1), it.row(first)[:5])
        kept = "effects_json, answers_json, checkpoint_json, cancel_requested_at"
        trial.expect("loses_what_was_done", f"({kept}) of the claimed row", ('{"mail": 1}', '{"q": 1}', '{"done": 1}', 5), it.row(first, kept))
        trial.expect("still_waiting", "the outbox afterwards", [other, second], it.outbox())
        trial.expect("not_its_tool", "claim again", second, it.claim("v"))
        trial.expect("loses_jobs", "the outbox afterwards: the job for another tool", [other], it.outbox())
        trial.expect("not_its_tool", "claim when only a job for another tool waits", None, it.claim())
        third = it.create()
        trial.expect("not_the_first", "claim for both tools, the other one first in line", other, it.claim(tools=("steps", "other")))
        trial.expect("not_its_tool", "claim for a tool with quotes in its name", None, it.claim(tools=("st'eps",)))
        it.claim()
        cancelled, held, free = it.create(), it.create(), it.create()
        it.set(cancelled, status="cancelled")
        it.set(held, worker="somebody")
        before, saw = it.row(held, "*"), it.claim()
        trial.require(saw not in (cancelled, held), "takes_what_is_not_free", "claim, when the first job was cancelled, and the second is held", "neither of them", saw)
        trial.expect("stops_at_the_first", "claim, when behind those two a third one is free", free, saw)
        trial.expect("takes_what_is_not_free", "the row of the held job afterwards: is it as before?", True, before == it.row(held, "*"))
        trial.expect("still_waiting", "the outbox afterwards", [], it.outbox())
        it.set(free, worker=None)
        it.within(lambda db: enqueue(db, free))
        it.claim()
        trial.expect("token_stays", "the fencing token and the attempts after a second claim", (2, 2), (it.life(free)[0], it.row(free)[4]))
        jobs, taken = [it.create() for _ in range(60)], []

        def work(name: str) -> None:
            while task_id := it.within(lambda db: answer.claim(db, name, ["steps", "more"])):
                taken.append(task_id)
        in_parallel([lambda name=name: work(name) for name in "abcdefgh"])
        trial.expect("twice", "eight workers, sixty jobs: the claims, sorted", sorted([third, *jobs])[1:] if third in taken else sorted(jobs), sorted(taken))


@check(points=3)
def writes_with_its_token(answer, trial):
    with bench(answer, trial) as it:
        task_id, other = it.create(), it.create()
        unclaimed = it.job(task_id)
        writes = {"change": lambda job: it.within(lambda db: answer.change(db, job, 1, progress=50)), "renew": lambda job: it.within(lambda db: answer.renew(db, job))}
        for name, write in writes.items():
            trial.expect("nobodys", f"{name} of a job that nobody has claimed", False, write(unclaimed))
        it.claim()
        it.claim("v")
        old, bystander = it.job(task_id), it.row(other, "*")
        revision = it.row(task_id, "revision")[0]
        trial.expect("refused_its_own", "renew by the worker that holds the job", True, writes["renew"](old))
        trial.expect("beats_aloud", "the revision after a sign of life: nobody has to be told of it", revision, it.row(task_id, "revision")[0])
        trial.expect("refused_its_own", "change by the worker that holds the job", True, writes["change"](old))
        trial.expect("nobody_hears", "the revision after a change: listeners look at it", revision + 1, it.row(task_id, "revision")[0])
        trial.expect("not_written", "(progress, beat) after one change and one renew", (50, 1), it.row(task_id, "progress, beat"))
        trial.expect("writes_into_others", "another job, held under the same token: is its row as before?", True, bystander == it.row(other, "*"))
        it.set(task_id, cancel_requested_at=5)
        for name, write in writes.items():
            trial.expect("refused_its_own", f"{name} of a job that somebody wants cancelled: its worker has to be able to end it", True, write(old))
        other_job = it.job(other)
        it.within(lambda db: answer.change(db, other_job, 1, worker=None, status="input_required"))
        trial.expect("not_written", "(status, worker) after change(..., worker=None, status='input_required')", ("input_required", None), it.row(other, "status, worker"))
        it.set(task_id, fencing_token=old.token + 1)
        before = it.row(task_id)
        for name, write in writes.items():
            trial.expect("zombie_writes", f"{name} with a token that is no longer the row's", False, write(old))
        trial.expect("zombie_writes", "the row afterwards", before, it.row(task_id))
        for status in ("completed", "input_required"):
            it.set(task_id, status=status)
            for name, write in writes.items():
                trial.expect("wrong_state", f"{name} of a job that is {status}, with the right token", False, write(dataclasses.replace(old, token=old.token + 1)))
        it.set(task_id, status="working", worker=None)
        for name, write in writes.items():
            trial.expect("nobodys", f"{name} after the job was taken back, with the last token", False, write(dataclasses.replace(old, token=old.token + 1)))


@check(points=3)
def notices_silence(answer, trial):
    seen: dict = {}
    look = lambda now, **leases: sorted(answer.overdue(leases, seen, 50_000 + now, 1_000))
    trial.expect("too_soon", "overdue at 0, a lease seen for the first time", [], look(0, a=(1, 0)))
    trial.expect("too_soon", "overdue at 999, unchanged since 0", [], look(999, a=(1, 0), b=(4, 2)))
    trial.expect("unnoticed", "overdue at 1000, a unchanged since 0", ["a"], look(1_000, a=(1, 0), b=(4, 2)))
    trial.expect("said_once", "overdue at 1050, a still unchanged", ["a"], look(1_050, a=(1, 0), b=(4, 2)))
    trial.expect("deaf", "overdue at 1100, a with another beat", [], look(1_100, a=(1, 1), b=(4, 2)))
    trial.expect("deaf", "overdue at 1999, b with another token and the same beat", [], look(1_999, a=(1, 1), b=(5, 2)))
    trial.expect("unnoticed", "overdue at 2100, a unchanged since 1100", ["a"], look(2_100, a=(1, 1), b=(5, 2)))
    trial.expect("too_soon", "overdue at 2200, a claimed anew", [], look(2_200, a=(2, 1), b=(5, 2)))
    trial.expect("remembers_the_dead", "overdue with one of two leases left: (answer, size of seen)", ([], 1), (look(2_300, b=(5, 2)), len(seen)))
    trial.expect("remembers_the_dead", "overdue with no leases left: (answer, size of seen)", ([], 0), (look(9_000), len(seen)))
    trial.expect("too_soon", "overdue at 9500, b seen again after a while away", [], look(9_500, b=(5, 2)))
    one, two = {}, {}
    for now, memory, lease, expected in ((0, one, 200, []), (100, two, 1_000, []), (200, one, 200, ["a"]), (300, two, 1_000, []), (1_100, two, 1_000, ["a"])):
        trial.expect("one_memory", f"overdue at {now}, of two watchers with memories of their own, for leases of {lease} ms", expected, answer.overdue({"a": (1, 0)}, memory, now, lease))
    asked, clocks = [], (time.time, time.monotonic)
    time.time, time.monotonic = (lambda clock=clock: asked.append(1) or clock() for clock in clocks)
    try:
        answer.overdue({"a": (1, 0)}, {}, 0, 1_000)
    finally:
        time.time, time.monotonic = clocks
    trial.expect("other_clock", "overdue: how often it looked at a clock of the machine", 0, len(asked))


@check(points=4)
def takes_back_what_was_lost(answer, trial):
    with bench(answer, trial) as it:
        task_id, other = it.create(), it.create()
        take = lambda life: it.within(lambda db: answer.take_back(db, task_id, life, 7_000))
        it.claim()
        it.claim("v")
        kept = {"checkpoint_json": '{"done": 3}', "effects_json": '{"mail": 1}', "answers_json": '{"q": 1}', "arguments_json": '{"n": 1}'}
        it.set(task_id, beat=3, fencing_token=4, cancel_requested_at=5, **kept)
        it.set(other, beat=3, fencing_token=4)
        bystander, life, revision = it.row(other, "*"), it.life(task_id), it.row(task_id, "revision")[0]
        for seen, what in (((4, 2), "another beat by now"), ((3, 3), "another token by now"), ((4, 4), "a smaller beat"), ((5, 3), "a smaller token")):
            trial.expect("takes_the_living", f"take_back, when the row has {what}: does anybody hold it afterwards?", "w", (take(seen), it.row(task_id)[1])[1])
            trial.expect("not_true_or_false", f"take_back, when the row has {what}", False, take(seen))
        trial.expect("not_taken", "take_back of a silent job", True, take(life))
        trial.expect("not_freed", "(status, worker) afterwards", ("working", None), it.row(task_id)[:2])
        trial.expect("checkpoint_lost", f"({', '.join(kept)}) afterwards", tuple(kept.values()), it.row(task_id, ", ".join(kept)))
        trial.expect("cancel_lost", "its cancel_requested_at", 5, it.row(task_id, "cancel_requested_at")[0])
        trial.expect("nobody_hears", "its revision: listeners look at it", revision + 1, it.row(task_id, "revision")[0])
        trial.expect("not_waiting", "the outbox", [task_id], it.outbox())
        trial.expect("taken_twice", "take_back again, with the same life", (False, [task_id]), (take(life), it.outbox()))
        for attempt in range(2, 6):
            it.claim()
            trial.expect("gave_up_early", f"attempt {attempt}: (status, worker)", ("working", "w"), it.row(task_id)[:2])
            taken = take(it.life(task_id))
        trial.expect("never_gives_up", "after the fifth attempt was lost: (status, worker)", ("failed", None), it.row(task_id)[:2])
        trial.expect("not_taken", "take_back of a job that is given up", True, taken)
        error = json.loads(it.row(task_id, "error_json")[0] or "{}")
        trial.require(error.get("code") == -32603 and error.get("message"), "no_error", "its error", "code -32603, and a message", error)
        trial.expect("not_worked_off", f"({', '.join(WORKED_OFF)}) of a task that is over", ("{}",) * len(WORKED_OFF), it.row(task_id, ", ".join(WORKED_OFF)))
        trial.expect("still_waiting", "the outbox", [], it.outbox())
        trial.expect("takes_others_too", "another job, silent since the same token and beat: is its row as before?", True, bystander == it.row(other, "*"))
        for status in ("input_required", "completed", "cancelled"):
            it.set(other, status=status)
            trial.expect("wrong_state", f"take_back of a job that is {status}: (answer, status)", (False, status),
                         (it.within(lambda db: answer.take_back(db, other, (4, 3), 7_000)), it.row(other)[0]))


@check(points=3)
def cancels_in_every_state(answer, trial):
    with bench(answer, trial) as it:
        cancel = lambda task_id, now=7_000: it.within(lambda db: answer.cancel(db, task_id, now))
        waiting, parked, held, done, *others = (it.create() for _ in range(7))
        for task_id in (parked, others[1]):
            it.set(task_id, status="input_required", arguments_json='{"n": 1}', checkpoint_json='{"n": 1}', input_requests_json='{"q": {}}', answers_json='{"secret": 1}', effects_json='{"n": 1}')
        for task_id in (held, others[2]):
            it.set(task_id, worker="w", fencing_token=1)
        it.set(done, status="completed", result_json='{"content": []}')
        it.set(waiting, cancel_requested_at=5)
        finished, bystanders = it.row(done, "*"), [it.row(one, "*") for one in others]
        for task_id, what in ((waiting, "waits for a worker"), (parked, "waits for an answer")):
            cancel(task_id)
            trial.expect("not_at_once", f"the status of a job that {what}, after cancel", "cancelled", it.row(task_id)[0])
        trial.expect("not_worked_off", f"({', '.join(WORKED_OFF)}) of the parked one", ("{}",) * len(WORKED_OFF), it.row(parked, ", ".join(WORKED_OFF)))
        trial.expect("still_waiting", "whether the cancelled job is in the outbox", False, waiting in it.outbox())
        cancel(held)
        trial.expect("ends_a_held_one", "(status, worker) of a held job after cancel", ("working", "w"), it.row(held, "status, worker"))
        trial.expect("not_asked", "cancel_requested_at of the held job", 7_000, it.row(held, "cancel_requested_at")[0])
        cancel(held, 8_000)
        trial.expect("asked_again", "cancel_requested_at after a second cancel", 7_000, it.row(held, "cancel_requested_at")[0])
        cancel(done)
        trial.expect("rewrites_the_past", "a finished task after cancel", finished, it.row(done, "*"))
        trial.expect("cancels_all", "three tasks that nobody wanted cancelled, free, parked and held: are their rows as before?", True, bystanders == [it.row(one, "*") for one in others])
        trial.expect("cancels_all", "the other free job: is it in the outbox?", True, others[0] in it.outbox())


def steps(effects: pathlib.Path) -> Tool2026:
    """A tool that leaves a mark with each step, and a checkpoint after it."""
    def run(arguments: dict, ctx: main.Context) -> dict:
        for step in range(ctx.saved.get("done", 0), STEPS):
            with open(effects, "a", encoding="utf-8") as file:
                file.write(f"{step}\n")
            time.sleep(STEP_S)
            ctx.saved["done"] = step + 1
            ctx.save()
            ctx.progress(step / STEPS)
        return main.text_result("done", {"steps": STEPS})
    return Tool2026("steps", "steps", "steps", {"type": "object", "properties": {}}, "required", run)


def work(answer: str, database: str, effects: str) -> None:
    """A worker process that ends when it is killed."""
    pieces = dataclasses.replace(solutions(), leases=lessons.load(pathlib.Path(answer), "answer"))
    Workers(TaskTable(database, pieces=pieces), {"steps": steps(pathlib.Path(effects))}, pieces, 1, lease_ms=1_500)
    threading.Event().wait()


def marks(effects: pathlib.Path) -> list[int]:
    """The steps that have left a mark."""
    return [int(line) for line in effects.read_text(encoding="utf-8").split()] if effects.exists() else []


def until(condition: Callable[[], Any], limit_s: float = 8.0) -> bool:
    """Whether it became true in time."""
    end = time.monotonic() + limit_s
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(condition())


@check(points=4, limit_s=40)
def another_goes_on_after_a_kill(answer, trial):
    with bench(answer, trial, time.time) as it:
        effects, task_id = trial.folder / "effects", it.create()
        start = lambda: subprocess.Popen(isolated("from lessons.ex09_leases_and_checkpoints import checks; checks.work(*sys.argv[1:])",
                                                  answer.__file__, it.table.file, effects), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        first, second = start(), None
        try:
            begun = until(lambda: marks(effects))
            second = start()
            enough = trial.random.randrange(8, STEPS - 10)
            until(lambda: len(marks(effects)) >= enough)
            first.kill()
            first.wait()
            at_the_kill = len(marks(effects))
            trial.note("grader", f"kills the worker after {at_the_kill} steps of {STEPS}")
            trial.require(begun, "never_began", "a worker process with one job", "steps that leave marks", marks(effects))
            trial.require(at_the_kill >= enough, "gets_stuck", "the worker before it was killed", f"{enough} steps", marks(effects))
            assert not it.job(task_id).finished, "the kill came too late to say anything"
            ended = until(lambda: it.job(task_id).finished)
        finally:
            for process in filter(None, (first, second)):
                process.kill()
                process.wait()
        job, found = it.job(task_id), marks(effects)
        trial.note("grader", f"steps done: {found}", job.status)
        trial.require(ended, "never_resumed", "eight seconds after the kill: the task", "finished by the other worker", f"{job.status}, held by {job.worker}")
        trial.expect("wrong_end", "the status in the end", "completed", job.status)
        repeated = sorted({step for step in found if found.count(step) > 1})
        trial.require(len(repeated) <= 1, "from_the_start", "the steps that were done twice", "at most the one that the kill interrupted", repeated)
        trial.expect("steps_lost", "the steps that were done", list(range(STEPS)), sorted(set(found)))


@check(points=2, limit_s=30)
def a_living_worker_keeps_its_job(answer, trial):
    with bench(answer, trial, time.time) as it:
        effects, task_id = trial.folder / "effects", it.create()
        workers = [Workers(it.table, {"steps": steps(effects)}, it.table.pieces, 1, lease_ms=300) for _ in range(2)]
        try:
            until(lambda: it.job(task_id).finished)
        finally:
            for one in workers:
                one.stop()
        job = it.job(task_id)
        trial.expect("lost_alive", "a job three times as long as its lease: its steps, and its fencing token", (list(range(STEPS)), 1), (marks(effects), job.token))
        trial.expect("wrong_end", "its status", "completed", job.status)
