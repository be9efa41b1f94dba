"""The checks of exercise 8: one task for one intention, however often and from wherever it is asked for."""
from __future__ import annotations

import contextlib
import dataclasses
import sqlite3
import subprocess
import threading
import time
from typing import Any, Iterator

import main
from lessons.ex07_task_handles.checks import Caller, running
from lessons.grader import Trial, check, code_of, isolated
from lessons.pieces import solutions
from lessons.server_2026 import Tool2026
from lessons.store_contract import in_parallel
from lessons.task_table import TTL_MS, NewTask, TaskTable, insert_task

NAMES = ("canonical_hash", "stored_key", "create_once")
STARTER_FAILS = "hashes_what_was_meant/not_written"
ANA, BOB, OTHER = ("acme", "ana"), ("acme", "bob"), ("other", "ana")
NOW = 1_000_000_000


def new(key: str | None = "release-42", owner: tuple = ANA, tool: str = "audit", now_ms: int = NOW, **arguments: Any) -> NewTask:
    """A call that is to become a task."""
    return NewTask(owner, tool, {"n": 1, **arguments}, key, now_ms)


class Cut(BaseException):
    """The power is gone."""


class Fragile(sqlite3.Connection):
    """A connection that takes so many statements; then `fault` is raised: by each, even a ROLLBACK, or by one."""
    left, fault, for_ever = 10 ** 9, Cut, True

    @classmethod
    def count(cls) -> None:
        """One statement."""
        cls.left -= 1
        if cls.left < 0 and (cls.for_ever or cls.left == -1):
            raise cls.fault("the disk is full")

    def cursor(self, factory: type = sqlite3.Cursor) -> sqlite3.Cursor:
        """Every statement goes through a cursor."""
        return super().cursor(FragileCursor)

    def execute(self, *statement: Any) -> sqlite3.Cursor:
        return self.cursor().execute(*statement)

    def commit(self) -> None:
        self.count()
        super().commit()

    def rollback(self) -> None:
        self.count()
        super().rollback()


class FragileCursor(sqlite3.Cursor):
    """A cursor of a Fragile connection."""

    def execute(self, *statement: Any) -> sqlite3.Cursor:
        Fragile.count()
        return super().execute(*statement)


class Desk:
    """A table to create in, and what is in it."""

    def __init__(self, trial: Trial, answer: Any):
        self.file, self.answer, self.trial = trial.folder / "tasks.db", answer, trial
        TaskTable(self.file).close()

    @contextlib.contextmanager
    def connection(self, kind: type = sqlite3.Connection) -> Iterator[sqlite3.Connection]:
        """A connection that waits for others as the lab's do."""
        db = sqlite3.connect(self.file, timeout=10, isolation_level=None, factory=kind)
        try:
            yield db
        finally:
            db.close()

    def create(self, task: NewTask) -> Any:
        """What create_once gives, or the code that it refuses with; an open transaction is a mistake."""
        with self.connection() as db:
            saw = code_of(lambda: self.answer.create_once(db, task))
            self.trial.expect("left_open", "db.in_transaction after create_once", False, db.in_transaction)
        self.trial.note("caller ->", f"{task.owner[1]} {task.tool} {task.key}", str(saw)[:12])
        return saw

    def set(self, task: NewTask, status: str) -> None:
        """Gives a task a status."""
        with self.connection() as db:
            db.execute("UPDATE mcp_tasks SET status = ? WHERE task_id = ?", (status, task.task_id))

    def rows(self, columns: str = "task_id", table: str = "mcp_tasks") -> list:
        """Some columns of a table."""
        with self.connection() as db:
            found = db.execute(f"SELECT {columns} FROM {table}").fetchall()
        return [row[0] if len(row) == 1 else row for row in found]


@check(points=2)
def hashes_what_was_meant(answer, trial):
    canonical = answer.canonical_hash
    for one, other in (({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1}), ({"l": [{"a": 1, "b": 2}]}, {"l": [{"b": 2, "a": 1}]}),
                       ({"a": {"b": {"c": 1, "d": 2}}}, {"a": {"b": {"d": 2, "c": 1}}})):
        trial.expect("order_matters", f"canonical_hash of {one} and of {other}: are they the same?", True, canonical(one) == canonical(other))
    trial.require(isinstance(canonical({}), str), "no_text", "canonical_hash({})", "a text", canonical({}))
    elsewhere = isolated("import pathlib, lessons; print(lessons.load(pathlib.Path(sys.argv[1]), 'answer').canonical_hash({'a': 'x'}))", answer.__file__)
    saw = subprocess.run(elsewhere, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", timeout=20).stdout.strip()
    trial.expect("only_here", "canonical_hash({'a': 'x'}) in another process", canonical({"a": "x"}), saw)
    for one, other in (({"a": 1}, {"a": 2}), ({"urls": ["x", "y"]}, {"urls": ["y", "x"]}), ({"a": "1"}, {"a": 1}), ({"a": None}, {}),
                       ({"a": {"b": 1}}, {"a": {"b": 2}}), ({"a": "ż"}, {"a": "z"}), ({"a": "ż"}, {"a": "ć"}), ({"a": True}, {"a": 1}), ({"a": "X"}, {"a": "x"}),
                       ({"a": "x y"}, {"a": "xy"}), ({"a": {"b": 1}}, {"a.b": 1}), ({"a": ""}, {}), ({"a": []}, {}), ({"a": 1.5}, {"a": 1}), ({"a": "x" * 300 + "1"}, {"a": "x" * 300 + "2"})):
        trial.expect("not_told_apart", f"canonical_hash of {one} and of {other}: are they the same?", False, canonical(one) == canonical(other))
    trial.require("S3CRET" not in canonical({"a": "S3CRET"}), "no_hash", "canonical_hash of {'a': 'S3CRET'}", "a hash: the row keeps it longer than the arguments", canonical({"a": "S3CRET"}))
    many = {canonical({"n": number}) for number in range(5_000)}
    trial.require(len(many) == 5_000 and len(canonical({})) >= 32, "not_told_apart", "canonical_hash of 5000 arguments", "5000 hashes of 32 letters or more", f"{len(many)}, of {len(canonical({}))} letters")
    given = {"b": {"d": 1, "c": 2}, "idempotency_key": "k"}
    canonical(given)
    trial.expect("changes_arguments", "the arguments after canonical_hash", {"b": {"d": 1, "c": 2}, "idempotency_key": "k"}, given)


@check(points=3)
def makes_task_and_job(answer, trial):
    desk = Desk(trial, answer)
    task = new()
    trial.expect("no_id", "create_once for a first call", task.task_id, desk.create(task))
    trial.expect("no_row", "the ids in mcp_tasks afterwards", [task.task_id], desk.rows())
    trial.expect("no_job", "(job_id, task_id, tool) in mcp_outbox afterwards", [(task.job_id, task.task_id, "audit")], desk.rows("job_id, task_id, tool", "mcp_outbox"))
    keyless = [new(key=None), new(key=None)]
    trial.expect("keyless_shared", "create_once for two calls without a key", [one.task_id for one in keyless], [desk.create(one) for one in keyless])
    trial.expect("no_job", "the number of jobs in mcp_outbox", 3, len(desk.rows("job_id", "mcp_outbox")))


@check(points=4)
def repeats_get_the_same(answer, trial):
    desk = Desk(trial, answer)
    first = new()
    desk.create(first)
    again = new()
    trial.expect("made_again", "create_once for the same call, repeated", first.task_id, desk.create(again))
    reordered = dataclasses.replace(new(), arguments=dict(reversed(list({"n": 1, "m": 2}.items()))))
    base = dataclasses.replace(new(key="two"), arguments={"n": 1, "m": 2})
    desk.create(base)
    trial.expect("order_matters", "create_once with the arguments in another order", base.task_id, desk.create(dataclasses.replace(reordered, key="two")))
    for other, what in (({"capabilities": {"sampling": {}}}, "from a client that declares something else"), ({"answers": {"q": {}}}, "with answers"), ({"traceparent": "00-1"}, "within another trace")):
        trial.expect("made_again", f"create_once for the same call, {what}", first.task_id, desk.create(dataclasses.replace(new(now_ms=NOW + 5), **other)))
    trial.expect("row_left", "the number of tasks and of jobs", (2, 2), (len(desk.rows()), len(desk.rows("job_id", "mcp_outbox"))))
    with desk.connection() as db:
        db.execute("UPDATE mcp_tasks SET worker = 'w', progress = 40 WHERE task_id = ?", (first.task_id,))
        db.execute("DELETE FROM mcp_outbox")
    everything = lambda: (desk.rows("*"), desk.rows("*", "mcp_outbox"))
    before = everything()
    desk.create(new(now_ms=NOW + 9))
    trial.expect("repeat_changes", "both tables after a repeat, while a worker is at it: are they as before?", True, everything() == before)
    saw = desk.create(new(n=2))
    trial.expect("conflict_missed", "create_once with the same key and other arguments", main.INVALID_PARAMS, saw)
    trial.expect("conflict_changes", "both tables after that conflict: are they as before?", True, everything() == before)
    with desk.connection() as db:
        try:
            answer.create_once(db, new(n=2))
        except main.RpcError as error:
            trial.expect("no_reason", "the data of the conflict", {"reason": "IDEMPOTENCY_CONFLICT"}, error.data)
    with desk.connection() as db:
        db.execute("UPDATE mcp_tasks SET status = 'completed' WHERE task_id = ?", (first.task_id,))
    trial.expect("made_again", "create_once repeated after the task was finished", first.task_id, desk.create(new()))
    empty = new(key="")
    trial.expect("empty_is_none", "create_once twice with the key ''", [empty.task_id] * 2, [desk.create(empty), desk.create(new(key=""))])


@check(points=3)
def keys_have_a_scope_and_an_end(answer, trial):
    desk = Desk(trial, answer)
    first = new()
    desk.create(first)
    for who, task in (("another subject", new(owner=BOB, n=7)), ("another tenant", new(owner=OTHER, n=8))):
        trial.expect("anothers_key", f"create_once by {who} with the same key", task.task_id, desk.create(task))
    other_tool = new(tool="report", n=9)
    trial.expect("anothers_tool", "create_once for another tool with the same key", other_tool.task_id, desk.create(other_tool))
    different = [new(key=key, tool=tool) for key, tool in (("it's", "audit"), ("%", "audit"), ("K", "audit"), ("k", "audit"), ("k ", "audit"), ("b-1", "audit"), ("-1", "auditb"),
                                                           ("x" * 199 + "1", "audit"), ("x" * 199 + "2", "audit"))]
    for task in different:
        trial.expect("keys_run_together", f"create_once for {task.tool} with the key {task.key[-9:]!r}, which nobody has used", task.task_id, desk.create(task))
    expires = NOW + TTL_MS
    for status in ("working", "input_required"):
        desk.set(first, status)
        trial.expect("too_early", f"create_once when the task is {status}, and its time is over", first.task_id, desk.create(new(now_ms=expires)))
    before = len(desk.rows())
    for status, more in (("completed", {}), ("failed", {}), ("cancelled", {"n": 3})):
        desk.set(first, status)
        trial.expect("too_early", f"create_once one millisecond before the {status} task is over", first.task_id, desk.create(new(now_ms=expires - 1)))
        late = new(now_ms=expires, **more)
        trial.expect("never_given_back", f"create_once when the {status} task is over", late.task_id, desk.create(late))
        trial.expect("no_second_job", "whether the new task's job is in the outbox", True, late.job_id in desk.rows("job_id", "mcp_outbox"))
        first, expires = late, expires + TTL_MS
    trial.expect("deleted_too_much", "the number of tasks before and after three were over and made again", before, len(desk.rows()))


@check(points=3, limit_s=30)
def many_at_once_make_one(answer, trial):
    desk = Desk(trial, answer)
    for round_number in range(5):
        tasks = [new(key=f"round-{round_number}") for _ in range(20)]
        connections = [sqlite3.connect(desk.file, timeout=10, isolation_level=None, check_same_thread=False) for _ in tasks]
        barrier = threading.Barrier(len(tasks))

        def create(position: int) -> Any:
            barrier.wait()
            return or_error(lambda: answer.create_once(connections[position], tasks[position]))
        found = in_parallel([lambda position=position: create(position) for position in range(len(tasks))])
        for connection in connections:
            connection.close()
        wrong = [one for one in found if one not in {task.task_id for task in tasks}]
        trial.expect("locked", "twenty at once: what was raised instead of an id", [], wrong[:1])
        trial.expect("made_several", "twenty at once: how many different ids they were given", 1, len(set(found)))
    trial.expect("made_several", "the number of tasks, and of jobs, after five rounds", (5, 5), (len(desk.rows()), len(desk.rows("job_id", "mcp_outbox"))))
    another_process_is_first(answer, trial, desk)


def another_process_is_first(answer: Any, trial: Trial, desk: Desk) -> None:
    """Somebody else holds the write lock, with the same key, and lets go while create_once runs."""
    theirs, mine, found = new(key="late"), new(key="late"), []
    with desk.connection() as other, contextlib.closing(sqlite3.connect(desk.file, timeout=10, isolation_level=None, check_same_thread=False)) as db:
        other.execute("BEGIN IMMEDIATE")
        insert_task(other, theirs, answer.stored_key(theirs), answer.canonical_hash(theirs.arguments))
        thread = threading.Thread(target=lambda: found.append(code_of(lambda: or_error(lambda: answer.create_once(db, mine)))))
        thread.start()
        time.sleep(0.3)
        other.execute("COMMIT")
        thread.join()
    trial.expect("locked", "create_once while another process is making the task of the same key", [theirs.task_id], found)


def or_error(call: Any) -> Any:
    """What a call gives, or what SQLite says of it."""
    try:
        return call()
    except sqlite3.Error as error:
        return f"{type(error).__name__}: {error}"


@check(points=3)
def a_power_cut_leaves_both_or_neither(answer, trial):
    for statements in range(1, 30):
        folder = trial.folder / str(statements)
        folder.mkdir()
        desk = Desk(dataclasses.replace(trial, folder=folder), answer)
        Fragile.left, Fragile.fault, Fragile.for_ever = statements, Cut, True
        with desk.connection(Fragile) as db:
            try:
                answer.create_once(db, new())
                done = True
            except BaseException as error:
                done = False
                if Fragile.left >= 0:
                    raise error
        saw = (len(desk.rows()), len(desk.rows("job_id", "mcp_outbox")))
        trial.note("power cut", f"after {statements} statements", f"tasks and jobs: {saw}")
        trial.require(saw in ((0, 0), (1, 1)), "torn", f"a power cut after {statements} statements: (tasks, jobs)", "(0, 0) or (1, 1)", saw)
        if done:
            trial.expect("not_durable", "what is there when create_once has returned: (tasks, jobs)", (1, 1), saw)
            break
    stumbles(answer, trial, statements)


def stumbles(answer: Any, trial: Trial, statements: int) -> None:
    """One statement fails, or the arguments cannot be written; the connection is used again afterwards."""
    for position in range(1, statements):
        folder = trial.folder / f"stumble-{position}"
        folder.mkdir()
        desk = Desk(dataclasses.replace(trial, folder=folder), answer)
        Fragile.left, Fragile.fault, Fragile.for_ever = position, sqlite3.OperationalError, False
        with desk.connection(Fragile) as db:
            try:
                found = answer.create_once(db, new())
            except sqlite3.Error:
                found = "raised"
            trial.expect("swallowed", f"create_once, when the disk is full at statement {position + 1}", "raised", found)
            trial.expect("left_open", f"db.in_transaction, when the disk was full at statement {position + 1}", False, position + 1 < statements and db.in_transaction)
    with desk.connection() as db:
        with contextlib.suppress(ValueError):
            answer.create_once(db, new(n=float("nan")))
        trial.expect("left_open", "db.in_transaction, when the arguments could not be written", False, db.in_transaction)


@check(points=2)
def a_lost_answer_costs_nothing(answer, trial):
    ran = []

    def audit(arguments: dict, ctx: main.Context) -> dict:
        ran.append(arguments["n"])
        return main.text_result("done")
    schema = {"type": "object", "properties": {"idempotency_key": {"type": "string"}, "n": {"type": "integer"}}}
    tools = {"audit": Tool2026("audit", "a", "a", schema, "required", audit)}
    with running(trial, tools, dataclasses.replace(solutions(), creation=answer)) as caller:
        call = lambda n: caller.tool("audit", idempotency_key="release-42", n=n)
        first = call(1)
        caller.until(first.get("taskId"), "completed")
        again = Caller(caller.server, trial)
        repeated = again.tool("audit", n=1, idempotency_key="release-42")
        again.client.close()
        trial.expect("made_again", "the call repeated over another connection, with a new request id: taskId and status",
                     (first.get("taskId"), "completed"), (repeated.get("taskId"), repeated.get("status")))
        conflict = call(2)
        trial.expect("conflict_missed", "the same key with other arguments: code", -32602, conflict.get("error"))
        trial.expect("ran_again", "what the tool did: once for each intention", [1], ran)
