"""The checks of exercise 3.  The last one kills real processes, at moments that the seed chooses."""
from __future__ import annotations

import contextlib
import os
import pathlib
import subprocess
import time
from typing import Any, Iterator
from unittest import mock

import lessons
import main
from lessons.grader import Trial, check, isolated
from lessons.store_contract import DONE, new_task

NAMES = ("write_file", "reload")
STARTER_FAILS = "whole_or_nothing/half_written"
KILLS = 6


# ---- writing -----------------------------------------------------------------------

@check(points=1)
def writes_the_text(answer, trial):
    path = trial.folder / "a.json"
    for text in ("first", "zażółć 报告 🐢", "x" * 100_000, ""):
        answer.write_file(path, text)
        saw = path.read_bytes().decode("utf-8", errors="replace")
        trial.expect("wrong_text", f"write_file(path, {text[:20]!r}), then reading it", text[:40], saw[:40])


@contextlib.contextmanager
def power_cut(where: str) -> Iterator[None]:
    """In this block one call of the operating system fails, as at the moment of a crash."""
    with mock.patch(where, side_effect=OSError(5, "the power went")):
        yield


@check(points=3)
def whole_or_nothing(answer, trial):
    path = trial.folder / "a.json"
    path.write_text("the old text", encoding="utf-8")
    seen = []
    real = os.fsync

    def look(handle: int) -> None:
        seen.append(path.read_text(encoding="utf-8") if path.exists() else "no file at all")
        real(handle)
    with mock.patch("os.fsync", look):
        answer.write_file(path, "the new text, which is longer")
    first = (seen or ["nobody could look: os.fsync was not called"])[0]
    came_out = "nothing"
    with power_cut("os.replace"), power_cut("os.rename"), power_cut("os.link"):
        try:
            answer.write_file(path, "never arrives")
        except OSError:
            came_out = "OSError"
    text = path.read_text(encoding="utf-8") if path.exists() else "no file at all"
    trial.require(text != "never arrives" and text.startswith("the"), "half_written",
                  "write_file(), with the power cut before the file has its name: what is there", "the text that was there before", text)
    trial.expect("temp_left", "write_file(), with the power cut: the files in the folder", ["a.json"], sorted(os.listdir(trial.folder)))
    trial.require(first.startswith(("the old", "the new text, which", "nobody")), "half_written",
                  "write_file(), read while it writes", "the old text or the new", first)
    trial.expect("error_swallowed", "write_file(), when the disk refuses: what came out", "OSError", came_out)


@check(points=2)
def on_the_disk_first(answer, trial):
    done, sizes, folders = [], [], set()
    fsync, replace, rename = os.fsync, os.replace, os.rename

    def sync(handle: int) -> None:
        done.append("fsync")
        sizes.append(os.fstat(handle).st_size)
        fsync(handle)

    def name(real: Any) -> Any:
        def take(before: Any, after: Any) -> None:
            done.append("rename")
            folders.add(pathlib.Path(before).resolve().parent)
            real(before, after)
        return take
    with mock.patch("os.fsync", sync), mock.patch("os.replace", name(replace)), mock.patch("os.rename", name(rename)):
        answer.write_file(trial.folder / "a.json", "text")
    trial.require("fsync" in done, "not_synced", "write_file(): what it asked of the operating system", "fsync, then rename", done)
    trial.require("rename" in done and done.index("fsync") < done.index("rename"), "synced_late",
                  "write_file(): what it asked of the operating system, in order", "fsync before rename", done)
    trial.require(sizes[0] == 4, "not_flushed", "write_file() of 4 bytes: the file's size when fsync was called", "4 bytes", f"{sizes[0]} bytes")
    trial.require(folders == {trial.folder.resolve()}, "other_folder", "write_file(): the folder of its temporary file", "that of the file itself", sorted(map(str, folders)))


# ---- reload ------------------------------------------------------------------------

class Scene:
    """A folder with tasks of a dead server and of a living one, and a store that reloads it."""

    def __init__(self, answer: Any, trial: Trial):
        class LearnersStore(main.FileStore):
            reload = answer.reload
        self.trial, self.folder = trial, trial.folder / "tasks"
        self.clock = lambda: 1_000_000.0 + trial.clock_s
        self.living, self.dead = main.FileStore(self.folder, self.clock), main.FileStore(self.folder, self.clock)
        self.store = LearnersStore(self.folder, self.clock)

    def put(self, number: int, server: main.FileStore, ttl_ms: int = 60_000, **changes: Any) -> main.Task:
        task = new_task(server, number, ttl_ms=ttl_ms)
        server.create(task)
        return server.change(task.id, lambda task: changes) if changes else task

    def reload(self) -> main.Reload:
        """The dead server dies, and the learner's reload runs."""
        self.dead.close()
        try:
            found = self.store.reload()
        except main.StoreError as error:
            self.trial.fail("stops_at_damage", "reload() of a folder with a damaged file", "a main.Reload", f"StoreError: {error.message}")
        self.trial.require(isinstance(found, main.Reload), "no_reload", "reload(): what it returned", "a main.Reload", found)
        return found

    def close(self) -> None:
        for store in (self.living, self.store):
            store.close()


@contextlib.contextmanager
def scene(answer: Any, trial: Trial) -> Iterator[Scene]:
    """A scene that is cleared away."""
    made = Scene(answer, trial)
    try:
        yield made
    finally:
        made.close()


@check(points=2)
def keeps_the_finished(answer, trial):
    with scene(answer, trial) as made:
        tasks = [made.put(1, made.dead, **DONE), made.put(2, made.dead, state="cancelled"),
                 made.put(3, made.dead, **main.failure("X", "no"))]
        found = made.reload()
        trial.expect("not_counted", "reload() of three finished tasks: tasks", 3, found.tasks)
        for task in tasks:
            trial.expect("finished_changed", f"a {task.state} task after reload()", task, made.store.get(task.id))
        trial.expect("not_listed", "store.remember: how many tasks were put into the index", 3, len(made.store._known))


@check(points=3)
def fails_the_orphans(answer, trial):
    with scene(answer, trial) as made:
        working = made.put(1, made.dead)
        asking = made.put(2, made.dead, state="input_required", requests={"k": {"method": "elicitation/create", "params": {}}})
        found = made.reload()
        for task in (working, asking):
            saw = main.Task.from_json((made.folder / f"{task.id}.json").read_bytes())
            trial.expect("still_there", f"a {task.state} task of a dead server, after reload(): the state in its file", "failed", saw.state)
            reason = (saw.error or {}).get("data", {}).get("reason")
            trial.expect("no_reason", f"a {task.state} task of a dead server, after reload(): the reason of its error", "CRASH_RECOVERY", reason)
        trial.expect("not_reported", "reload(): orphans", sorted([working.id, asking.id]), sorted(found.orphans))
        trial.expect("not_counted", "reload() of two orphans: tasks", 2, found.tasks)


@check(points=2)
def spares_the_living(answer, trial):
    with scene(answer, trial) as made:
        task = made.put(1, made.living)
        found = made.reload()
        trial.expect("fails_the_living", "a task whose server still runs, after reload() by another", "working", made.living.get(task.id).state)
        trial.expect("fails_the_living", "reload(): orphans", [], found.orphans)
        saw = main.Task.from_json((made.folder / f"{task.id}.json").read_bytes())
        trial.expect("fails_the_living", "that task's file", "working", saw.state)


@check(points=2)
def reads_on_after_damage(answer, trial):
    with scene(answer, trial) as made:
        good = made.put(9, made.dead, **DONE)
        bad = [f"tsk_{number:032x}" for number in range(1, 5)]
        for task_id, content in zip(bad, (b"", b'{"half', b"\0" * 99, b'{"schema": 2}')):
            (made.folder / f"{task_id}.json").write_bytes(content)
        found = made.reload()
        trial.expect("not_reported", "reload() of four damaged files: damaged", bad, sorted(found.damaged))
        trial.expect("lost_the_rest", "the good task beside them", good, made.store.get(good.id))


@check(points=1)
def drops_the_expired(answer, trial):
    with scene(answer, trial) as made:
        old, young = made.put(1, made.dead, ttl_ms=1_000, **DONE), made.put(2, made.dead, ttl_ms=9_000, **DONE)
        trial.clock_s += 1.0
        found = made.reload()
        trial.expect("not_dropped", "reload() of one expired task and one that is not: (tasks, expired)", (1, 1), (found.tasks, found.expired))
        files = [(made.folder / f"{task.id}.json").exists() for task in (old, young)]
        trial.expect("not_dropped", "their files afterwards", [False, True], files)
    trial.clock_s = 0.0
    with scene(answer, trial) as made:
        working = made.put(3, made.living, ttl_ms=1_000)
        trial.clock_s += 1.0
        made.reload()
        trial.expect("drops_the_living", "a task whose time is over, but whose server still works on it: is its file there?", True,
                     (made.folder / f"{working.id}.json").exists())
        made.store.task_ids = lambda: iter([working.id, "tsk_" + "f" * 32])
        try:
            saw = made.store.reload().tasks
        except (AttributeError, TypeError) as error:
            saw = f"{type(error).__name__}: {error}"
        trial.expect("gone_meanwhile", "reload() when one of two tasks has just gone: tasks", 1, saw)


# ---- real kills --------------------------------------------------------------------

def victim(answer_file: str, folder: str, first: str) -> None:
    """Runs in a process of its own until it is killed: creates, changes and completes tasks."""
    answer = lessons.load(pathlib.Path(answer_file), "answer")

    def write(path: pathlib.Path, text: str, durable: bool, new: bool = False, mark: str = "") -> None:
        answer.write_file(path, text)
    main.write_file = write
    store, number = main.FileStore(folder), int(first)
    while True:
        task = new_task(store, number)
        store.create(task)
        for step in range(5):
            store.change(task.id, lambda task: {"saved": {"step": step, "text": "x" * 300_000}})
        store.change(task.id, lambda task: DONE)
        print(number, flush=True)
        number += 1


def kill_one(answer: Any, trial: Trial, folder: pathlib.Path, first: int) -> list[str]:
    """Starts a victim, kills it at a random moment, and returns the ids it said were finished."""
    code = "from lessons.ex03_crash_recovery import checks; checks.victim(*sys.argv[1:])"
    process = subprocess.Popen(isolated(code, answer.__file__, folder, first),
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    told = process.stdout.readline()
    time.sleep(trial.random.uniform(0.0, 0.04))
    process.kill()
    told += process.stdout.read()
    process.wait()
    process.stdout.close()
    return [f"tsk_{int(number):032x}" for number in told.split()]


@check(points=4, limit_s=40.0)
def survives_real_kills(answer, trial):
    class LearnersStore(main.FileStore):
        reload = answer.reload
    folder = trial.folder / "tasks"
    for kill in range(1, KILLS + 1):
        told = kill_one(answer, trial, folder, kill * 1_000_000)
        trial.note(f"kill {kill}", f"{len(told)} tasks were finished")
        store = LearnersStore(folder)
        found = store.reload()
        trial.expect("half_file", f"kill {kill} of {KILLS}, then reload(): damaged files", [], found.damaged)
        lost = [task_id for task_id in told if getattr(store.get(task_id), "state", None) != "completed"]
        trial.expect("lost_result", f"kill {kill} of {KILLS}: finished tasks that are lost", [], lost)
        stuck = [task.id for task in store.page("s", limit=100_000) if not task.finished]
        trial.expect("stuck", f"kill {kill} of {KILLS}: tasks that still work, for nobody", [], stuck)
        store.close()
