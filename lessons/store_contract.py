"""The contract of a task store, as checks that any store can be put through.

Unlike a test class, it belongs to nobody: FileStore in main.py, the SQLite store of
exercise 4 and a learner's own store all run the same functions.

Each function takes a Place, opens one or more stores there, and calls `expect`.  Time is
the Place's clock, which only moves when a check says so.
"""
from __future__ import annotations

import threading
from typing import Any, Callable

import main


class ContractBroken(Exception):
    """A store did not do what the contract says: what was tried, expected and seen."""

    def __init__(self, tried: str, expected: Any, saw: Any):
        super().__init__(f"{tried}: expected {expected!r}, saw {saw!r}")
        self.tried, self.expected, self.saw = tried, expected, saw


def expect(tried: str, expected: Any, saw: Any) -> None:
    """Raises ContractBroken unless `saw` equals `expected`."""
    if saw != expected:
        raise ContractBroken(tried, expected, saw)


class Place:
    """Where stores are opened: a folder or a file, and a clock that stands still."""

    def __init__(self, opener: Callable[[Callable[[], float]], Any]):
        """`opener(clock)` opens one more store at this place."""
        self._opener, self._opened = opener, []
        self.now_s = 1_000_000.0

    def open(self) -> Any:
        """One more store here, as if by another server process."""
        store = self._opener(lambda: self.now_s)
        self._opened.append(store)
        return store

    def shut(self, store: Any) -> None:
        """Ends one store: for the others its server is now dead."""
        self._opened.remove(store)
        store.close()

    def close(self) -> None:
        """Ends all that are still open."""
        for store in list(self._opened):
            self.shut(store)


def new_task(store: Any, number: int = 1, session: str = "s", ttl_ms: int = 60_000, **more: Any) -> main.Task:
    """A task that this store's server runs; the number makes its id."""
    now = store.now_ms()
    return main.Task(id=f"tsk_{number:032x}", tool="generate_report", arguments={"title": "Zażółć 报告"},
                     session=session, server=store.server, created_at_ms=now, updated_at_ms=now,
                     expires_at_ms=now + ttl_ms, ttl_ms=ttl_ms, **more)


RESULT = {"content": [{"type": "text", "text": "seven files ✓"}], "isError": False}
DONE = {"state": "completed", "progress": 1.0, "result": RESULT}


def state_of(store: Any, task: main.Task) -> str | None:
    """The state by get(), or None if the task is not there."""
    found = store.get(task.id)
    return found and found.state


# ---- create and get ----------------------------------------------------------------

def a_created_task_is_read_back_whole(place: Place) -> None:
    store = place.open()
    task = new_task(store, saved={"position": 3}, message="żółw")
    store.create(task)
    expect("get() after create()", task, store.get(task.id))
    expect("get() of the same task from a second server", task, place.open().get(task.id))


def an_unknown_or_malformed_id_gives_none(place: Place) -> None:
    store = place.open()
    for bad in ("", "tsk_" + "0" * 32, "../x", "/etc/passwd", "a/b", "..\\x", "CON", "tsk_" + "A" * 32, "t" * 9000,
                "tsk_" + "0" * 31 + "\0", "tsk_" + "0" * 32 + "\n", None, 7, {}):
        expect(f"get({str(bad)[:40]!r})", None, store.get(bad))


def an_id_can_be_created_once_only(place: Place) -> None:
    store = place.open()
    first = new_task(store, message="first")
    store.create(first)
    outcomes = []
    for other in (store, place.open()):
        try:
            other.create(new_task(other, message="second"))
            outcomes.append("created")
        except main.TaskExists:
            outcomes.append("TaskExists")
    expect("create() twice with one id, by the same server and by another", ["TaskExists"] * 2, outcomes)
    expect("the message of the task that was there first", "first", store.get(first.id).message)
    expect("change() of the first task afterwards", "completed",
           getattr(store.change(first.id, lambda task: DONE), "state", None))


def of_many_threads_one_creates(place: Place) -> None:
    store = place.open()
    won = in_parallel([lambda n=n: create_or_none(store, n) for n in range(32)])
    expect("32 threads create one id at once: how many succeed", 1, sum(one is not None for one in won))


def create_or_none(store: Any, number: int) -> int | None:
    try:
        store.create(new_task(store, message=str(number)))
        return number
    except main.TaskExists:
        return None


# ---- the one door ------------------------------------------------------------------

def every_legal_move_works_and_no_other(place: Place) -> None:
    store = place.open()
    for number, before in enumerate(main.NEXT_STATES):
        for step, after in enumerate(main.NEXT_STATES):
            task = new_task(store, 10 * number + step + 1)
            store.create(task)
            if before != "working":
                store.change(task.id, lambda task: {"state": before})
            legal = after in main.NEXT_STATES[before]
            changed = store.change(task.id, lambda task: {"state": after})
            expect(f"change() from {before} to {after}", after if legal else None, changed and changed.state)
            expect(f"get() after a change() from {before} to {after}", after if legal else before, state_of(store, task))


def a_finished_task_is_left_alone(place: Place) -> None:
    store = place.open()
    task = new_task(store)
    store.create(task)
    finished = store.change(task.id, lambda task: DONE)
    for fields in ({"message": "late"}, {"progress": 0.5}, {"state": "cancelled"}, {"result": None}, {}):
        expect(f"change({fields}) of a finished task", None, store.change(task.id, lambda task: fields))
    expect("the finished task afterwards", finished, store.get(task.id))


def an_update_may_decline(place: Place) -> None:
    store = place.open()
    task = new_task(store)
    store.create(task)
    expect("change() whose update gives None", None, store.change(task.id, lambda task: None))
    expect("the task afterwards", task, store.get(task.id))
    expect("change() of an unknown id", None, store.change("tsk_" + "f" * 32, lambda task: {"message": "x"}))


def no_update_is_lost(place: Place) -> None:
    store = place.open()
    task = new_task(store)
    store.create(task)

    def count() -> None:
        for _ in range(25):
            store.change(task.id, lambda task: {"saved": {"n": task.saved.get("n", 0) + 1}})
    in_parallel([count] * 8)
    expect("8 threads add 1, 25 times each", 200, store.get(task.id).saved.get("n"))


def state_and_result_appear_together(place: Place) -> None:
    store, other = place.open(), place.open()
    task = new_task(store)
    store.create(task)
    halves, over = [], threading.Event()

    def watch() -> None:
        while not over.is_set():
            for reader in (store, other):
                seen = reader.get(task.id)
                if (seen.state == "completed") != (seen.result is not None):
                    halves.append(seen)
    watcher = threading.Thread(target=watch)
    watcher.start()
    for step in range(30):
        store.change(task.id, lambda task: {"progress": step / 30, "saved": {"text": "x" * 2000}})
    store.change(task.id, lambda task: DONE)
    over.set()
    watcher.join()
    expect("readings that had a state without its result, or the reverse", [], halves)


def the_first_terminal_state_wins(place: Place) -> None:
    store = place.open()
    for number in range(1, 41):
        task = new_task(store, number)
        store.create(task)
        ends = [DONE, {"state": "cancelled"}, {"state": "failed", "error": {"code": -32603, "message": "x"}}]
        changed = [one for one in in_parallel([lambda end=end: store.change(task.id, lambda task: end)
                                               for end in ends]) if one]
        expect("complete, cancel and fail at once: how many are let through", 1, len(changed))
        expect("the state afterwards", changed[0], store.get(task.id))


# ---- cancel ------------------------------------------------------------------------

def cancel_is_right_in_every_state(place: Place) -> None:
    store = place.open()
    waiting, running, finished = (new_task(store, number) for number in (1, 2, 3))
    for task in (waiting, running, finished):
        store.create(task)
    store.change(running.id, lambda task: {"started": True})
    done = store.change(finished.id, lambda task: DONE)
    for again in ("", " again"):
        expect("request_cancel() of a task that has not begun" + again, "cancelled", store.request_cancel(waiting.id).state)
        seen = store.request_cancel(running.id)
        expect("request_cancel() of a running task" + again, ("working", True), (seen.state, seen.cancel_requested))
        expect("request_cancel() of a finished task" + again, done, store.request_cancel(finished.id))
    expect("request_cancel() of an unknown task", None, store.request_cancel("tsk_" + "e" * 32))


def another_server_can_ask_for_a_cancel(place: Place) -> None:
    store, other = place.open(), place.open()
    task = new_task(store)
    store.create(task)
    store.change(task.id, lambda task: {"started": True})
    other.request_cancel(task.id)
    store.sweep()
    expect("cancel_requested, after another server's request_cancel() and our sweep()", True,
           store.get(task.id).cancel_requested)


# ---- listing -----------------------------------------------------------------------

def a_session_lists_its_own_tasks_in_order(place: Place) -> None:
    store = place.open()
    for number in range(1, 8):
        place.now_s += 1
        store.create(new_task(store, number, session="even" if number % 2 == 0 else "odd"))
    first = store.page("odd", limit=2)
    expect("page('odd', limit=2)", [1, 3], [int(task.id[4:], 16) for task in first])
    rest = store.page("odd", (first[-1].created_at_ms, first[-1].id))
    expect("the page behind it", [5, 7], [int(task.id[4:], 16) for task in rest])
    expect("page() of a session without tasks", [], store.page("nobody"))
    expect("page('even') from another server", [2, 4, 6], [int(task.id[4:], 16) for task in place.open().page("even")])


def a_page_misses_nothing_made_at_the_same_moment(place: Place) -> None:
    store = place.open()
    tasks = [new_task(store, number) for number in (4, 1, 5, 3, 2)]
    for task in tasks:
        store.create(task)
    seen, after = [], (0, "")
    for _ in range(5):
        page = store.page("s", after, limit=2)
        seen += [int(task.id[4:], 16) for task in page]
        after = (page[-1].created_at_ms, page[-1].id) if page else after
    expect("five tasks of one millisecond, two a page", [1, 2, 3, 4, 5], seen)


def a_page_shows_tasks_as_they_are_now(place: Place) -> None:
    store, other = place.open(), place.open()
    orphan = new_task(store, 1)
    store.create(orphan)
    place.shut(store)
    expect("page(): the state of a task whose server is dead", ["failed"], [task.state for task in other.page("s")])
    place.now_s += 60.0
    expect("page() when the ttl is over, before any sweep", [], other.page("s"))


# ---- time --------------------------------------------------------------------------

def a_finished_task_stays_until_its_ttl_and_no_longer(place: Place) -> None:
    store = place.open()
    task = new_task(store, ttl_ms=60_000)
    store.create(task)
    store.change(task.id, lambda task: DONE)
    place.now_s += 59.999
    store.sweep()
    for reading in (1, 2, 3):
        expect(f"reading {reading}, one millisecond before the ttl is over", "completed", state_of(store, task))
    place.now_s += 0.001
    expect("get() when the ttl is over", None, store.get(task.id))
    expect("request_cancel() when the ttl is over", None, store.request_cancel(task.id))
    store.sweep()
    expect("page() when the ttl is over", [], store.page("s"))
    expect("get() from another server", None, place.open().get(task.id))


def a_live_task_that_expires_fails_first(place: Place) -> None:
    store = place.open()
    told = []
    store.listeners.append(told.append)
    task = new_task(store, ttl_ms=1_000)
    store.create(task)
    store.change(task.id, lambda task: {"started": True})
    place.now_s += 1.0
    store.sweep()
    expect("the state after the ttl, seen by whoever polls", "failed", state_of(store, task))
    expect("the last state that listeners were told", "failed", told[-1].state)
    expect("change() with a late result", None, store.change(task.id, lambda task: DONE))
    place.now_s += main.EXPIRED_GRACE_MS / 1000
    store.sweep()
    expect("get() a moment later", None, store.get(task.id))
    expect("change() with a later result still", None, store.change(task.id, lambda task: DONE))
    expect("get() after that", None, store.get(task.id))


def a_result_that_comes_after_the_ttl_is_too_late(place: Place) -> None:
    store = place.open()
    task = new_task(store, ttl_ms=1_000)
    store.create(task)
    place.now_s += 1.0
    expect("change() with a result just after the ttl", None, store.change(task.id, lambda task: DONE))
    expect("the state then", "failed", state_of(store, task))


# ---- crash and restart -------------------------------------------------------------

def finished_tasks_survive_a_restart(place: Place) -> None:
    store = place.open()
    task = new_task(store)
    store.create(task)
    done = store.change(task.id, lambda task: DONE)
    place.shut(store)
    again = place.open()
    found = again.reload()
    expect("reload(): tasks, orphans, damaged", (1, [], []), (found.tasks, found.orphans, found.damaged))
    expect("the finished task after a restart", done, again.get(task.id))


def a_dead_servers_tasks_fail_with_crash_recovery(place: Place) -> None:
    store = place.open()
    working, asking, finished = (new_task(store, number) for number in (1, 2, 3))
    for task in (working, asking, finished):
        store.create(task)
    question = {"k": {"method": "elicitation/create", "params": {}}}
    store.change(asking.id, lambda task: main.questions_open(question))
    store.change(finished.id, lambda task: DONE)
    place.shut(store)
    again = place.open()
    found = again.reload()
    expect("reload(): the orphans", sorted([working.id, asking.id]), sorted(found.orphans))
    for task in (working, asking):
        seen = again.get(task.id)
        expect("the state of an orphan", "failed", seen.state)
        expect("the reason of its error", "CRASH_RECOVERY", (seen.error or {}).get("data", {}).get("reason"))
        expect("the questions it still asks", {}, seen.requests)
    expect("the finished task", "completed", state_of(again, finished))


def a_living_servers_tasks_are_left_alone(place: Place) -> None:
    store = place.open()
    task = new_task(store)
    store.create(task)
    other = place.open()
    expect("reload() by a second server: the orphans", [], other.reload().orphans)
    expect("the first server's task, seen by the second", "working", state_of(other, task))
    expect("change() by the second server", None, other.change(task.id, lambda task: DONE))
    expect("the first server's own change()", "completed", store.change(task.id, lambda task: DONE).state)
    expect("the result, seen by the second server", RESULT, other.get(task.id).result)


def a_server_that_dies_while_another_runs_is_noticed(place: Place) -> None:
    store, other = place.open(), place.open()
    task = new_task(store)
    store.create(task)
    expect("the task while its server lives", "working", state_of(other, task))
    place.shut(store)
    expect("the task once its server is dead", "failed", state_of(other, task))


def listeners_hear_of_each_change_in_order(place: Place) -> None:
    store = place.open()
    told = []
    store.listeners.append(lambda task: told.append((task.state, task.revision)))
    task = new_task(store)
    store.create(task)
    store.change(task.id, lambda task: {"progress": 0.5})
    store.change(task.id, lambda task: DONE)
    store.change(task.id, lambda task: {"message": "late"})
    expect("what a listener heard", [("working", 1), ("working", 2), ("completed", 3)], told)


def in_parallel(functions: list[Callable[[], Any]]) -> list[Any]:
    """Runs all at the same moment, each in a thread; their results in order.  Raises what one raised."""
    gate, results, raised = threading.Barrier(len(functions)), [None] * len(functions), []

    def run(position: int) -> None:
        gate.wait()
        try:
            results[position] = functions[position]()
        except Exception as error:
            raised.append(error)
    threads = [threading.Thread(target=run, args=(position,)) for position in range(len(functions))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if raised:
        raise raised[0]
    return results


CONTRACT = (
    a_created_task_is_read_back_whole, an_unknown_or_malformed_id_gives_none, an_id_can_be_created_once_only,
    of_many_threads_one_creates, every_legal_move_works_and_no_other, a_finished_task_is_left_alone,
    an_update_may_decline, no_update_is_lost, state_and_result_appear_together, the_first_terminal_state_wins,
    cancel_is_right_in_every_state, another_server_can_ask_for_a_cancel, a_session_lists_its_own_tasks_in_order,
    a_page_misses_nothing_made_at_the_same_moment, a_page_shows_tasks_as_they_are_now,
    a_finished_task_stays_until_its_ttl_and_no_longer, a_live_task_that_expires_fails_first,
    a_result_that_comes_after_the_ttl_is_too_late,
    finished_tasks_survive_a_restart, a_dead_servers_tasks_fail_with_crash_recovery,
    a_living_servers_tasks_are_left_alone, a_server_that_dies_while_another_runs_is_noticed,
    listeners_hear_of_each_change_in_order)
