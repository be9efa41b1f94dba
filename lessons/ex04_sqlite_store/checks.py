"""The checks of exercise 4: the store contract that FileStore keeps too, and what SQL adds."""
from __future__ import annotations

import pathlib
import re
import subprocess
from typing import Any

import lessons
import main
from lessons import store_contract as contract
from lessons.grader import Mistake, Trial, check, isolated
from lessons.store_contract import DONE, Place, new_task

NAMES = ("SqliteStore",)
STARTER_FAILS = "creates_and_reads/not_written"


def keeps(answer: Any, trial: Trial, *promises: Any) -> None:
    """Puts the learner's store through parts of the contract, each on a database of its own."""
    for number, promise in enumerate(promises):
        place = Place(lambda clock: answer.SqliteStore(trial.folder / f"{number}.db", clock))
        try:
            promise(place)
        except contract.ContractBroken as broken:
            raise Mistake(promise.__name__, broken.tried, broken.expected, broken.saw) from None
        finally:
            place.close()


@check(points=2)
def creates_and_reads(answer, trial):
    keeps(answer, trial, contract.a_created_task_is_read_back_whole, contract.an_unknown_or_malformed_id_gives_none,
          contract.an_id_can_be_created_once_only, contract.of_many_threads_one_creates)


@check(points=3)
def has_one_door(answer, trial):
    keeps(answer, trial, contract.every_legal_move_works_and_no_other, contract.a_finished_task_is_left_alone,
          contract.an_update_may_decline, contract.no_update_is_lost, contract.state_and_result_appear_together,
          contract.the_first_terminal_state_wins, contract.listeners_hear_of_each_change_in_order)


@check(points=2)
def rolls_back(answer, trial):
    store = answer.SqliteStore(trial.folder / "a.db")
    task = new_task(store)
    store.create(task)
    for error in (RuntimeError, main.Cancelled):
        try:
            with store.transaction() as db:
                db.execute("UPDATE tasks SET state = 'failed', expires_at_ms = 0 WHERE id = ?", (task.id,))
                raise error
        except error:
            pass
        with store.connection() as db:
            state = db.execute("SELECT state FROM tasks WHERE id = ?", (task.id,)).fetchone()[0]
        trial.expect("half_kept", f"a block in transaction() that changes a row and raises {error.__name__}: the row's state afterwards", "working", state)
    told = []
    store.listeners.append(lambda task: told.append((task.revision, reader.get(task.id).revision)))
    reader = answer.SqliteStore(trial.folder / "a.db")
    try:
        store.change(task.id, lambda task: {"message": "on"})
    except main.StoreError as error:
        trial.fail("lock_kept", "change() after a block that raised", "the changed task", error.message)
    early = [revisions for revisions in told if revisions[0] != revisions[1]]
    trial.expect("told_too_early", "a listener that reads the database: (revision told, revision found)", [], early)
    store.close()
    reader.close()


@check(points=1)
def cancels(answer, trial):
    keeps(answer, trial, contract.cancel_is_right_in_every_state, contract.another_server_can_ask_for_a_cancel)


@check(points=2)
def keeps_time(answer, trial):
    keeps(answer, trial, contract.a_finished_task_stays_until_its_ttl_and_no_longer, contract.a_live_task_that_expires_fails_first,
          contract.a_result_that_comes_after_the_ttl_is_too_late)


@check(points=2)
def survives_restarts(answer, trial):
    keeps(answer, trial, contract.finished_tasks_survive_a_restart, contract.a_dead_servers_tasks_fail_with_crash_recovery,
          contract.a_living_servers_tasks_are_left_alone, contract.a_server_that_dies_while_another_runs_is_noticed)


def statements(store: Any, action: Any) -> list[str]:
    """The SQL that an action sends."""
    seen: list[str] = []
    store.trace = seen.append
    action()
    store.trace = None
    return [" ".join(statement.split()) for statement in seen]


@check(points=2)
def takes_the_lock_first(answer, trial):
    store = answer.SqliteStore(trial.folder / "a.db")
    task = new_task(store)
    created = statements(store, lambda: store.create(task))
    changed = statements(store, lambda: store.change(task.id, lambda task: DONE))
    store.close()
    for name, sent in (("create", created), ("change", changed)):
        begin = next((statement for statement in sent if statement.upper().startswith("BEGIN")), "no BEGIN at all")
        trial.require(re.match("BEGIN (IMMEDIATE|EXCLUSIVE)", begin, re.I), "deferred", f"{name}(): how its transaction began",
                      "BEGIN IMMEDIATE", begin)
        first = sent.index(begin)
        reads = [statement for statement in sent[:first] if statement.upper().startswith(("SELECT", "UPDATE", "INSERT"))]
        trial.expect("read_before", f"{name}(): what it read or wrote before its transaction began", [], reads)
        pragma = [statement.upper() for statement in sent[:first] if "SYNCHRONOUS" in statement.upper()]
        trial.require(pragma and re.search("= ?(FULL|EXTRA|2|3)", pragma[-1]), "not_durable", f"{name}(): PRAGMA synchronous before its transaction",
                      "FULL", pragma or "none")


@check(points=3)
def lists_by_index(answer, trial):
    keeps(answer, trial, contract.a_session_lists_its_own_tasks_in_order, contract.a_page_misses_nothing_made_at_the_same_moment,
          contract.a_page_shows_tasks_as_they_are_now)
    store = answer.SqliteStore(trial.folder / "list.db")
    for number in range(1, 30):
        store.create(new_task(store, number, session=f"s{number % 5}"))
    sent = [statement for statement in statements(store, lambda: store.page("s1")) if statement.upper().startswith("SELECT")]
    with store.connection() as db:
        plan = [row[3] for statement in sent[:1] for row in db.execute("EXPLAIN QUERY PLAN " + statement)]
    store.close()
    trial.require(any("USING" in step and "INDEX" in step and "session" in step for step in plan), "scans", "page('s1'): SQLite's plan for it",
                  "SEARCH tasks USING INDEX ... (session=? ...)", plan)
    trial.require(not any("TEMP B-TREE" in step for step in plan), "sorts", "page('s1'): SQLite's plan for it",
                  "no sorting: the index has the order", plan)
    trial.require(len(sent) <= 2, "asks_too_often", "page('s1'): the number of SELECTs for six tasks", "one", len(sent))


def rival(answer_file: str, database: str, first: str) -> None:
    """Runs in a process of its own: creates and completes tasks as fast as it can."""
    answer = lessons.load(pathlib.Path(answer_file), "answer")
    store = answer.SqliteStore(database)
    for number in range(int(first), int(first) + 40):
        task = new_task(store, number)
        store.create(task)
        for _ in range(3):
            store.change(task.id, lambda task: {"saved": {"n": task.saved.get("n", 0) + 1}})
        store.change(task.id, lambda task: DONE)
    store.close()


@check(points=3, limit_s=40.0)
def shares_the_file(answer, trial):
    database = trial.folder / "shared.db"
    answer.SqliteStore(database).close()
    code = "from lessons.ex04_sqlite_store import checks; checks.rival(*sys.argv[1:])"
    rivals = [subprocess.Popen(isolated(code, answer.__file__, database, first),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
              for first in (1000, 2000)]
    said = [process.communicate()[1].strip().splitlines()[-1:] for process in rivals]
    complaints = [lines for process, lines in zip(rivals, said) if process.returncode]
    trial.expect("locked", "two processes, 40 tasks each, on one file: how they complained", [], complaints)
    store = answer.SqliteStore(database)
    tasks = store.page("s", limit=1000)
    counts = {task.saved.get("n") for task in tasks}
    store.close()
    trial.expect("lost", "two processes, 40 tasks each, on one file: how many completed", 80, sum(task.state == "completed" for task in tasks))
    trial.expect("lost", "how often each task was counted up", {3}, counts)


@check(points=2)
def runs_the_server(answer, trial):
    (trial.folder / "notes").mkdir()
    (trial.folder / "notes" / "a.txt").write_text("one two three", encoding="utf-8")
    results = []
    for _ in range(2):                          # the second time, after a restart
        server = main.LessonServer(answer.SqliteStore(trial.folder / "lab.db")).start()
        client = main.Client(server.url, "me", trace=trial.trace)
        try:
            task_id = results[0] if results else client.start("generate_report", {"folder": str(trial.folder / "notes")})
            results += [task_id, client.fetch(task_id)["structuredContent"]["words"]]
        except main.RpcError as error:
            trial.fail("server", "a report on the server with your store, and once more after a restart", "its three words", error.message)
        finally:
            client.close()
            server.stop()
    trial.expect("server", "the words counted, before and after the restart", [3, 3], results[1::2])
