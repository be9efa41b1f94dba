"""FileStore: the contract, and what files in a shared temp folder add to it."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap
import threading
import unittest
from unittest import mock

import main
from lessons.store_contract import CONTRACT, DONE, Place, in_parallel, new_task
from tests.support import ROOT, LabTest, child_environment, end


class FileStoreKeepsTheContract(LabTest):
    """One test a contract function, made below."""

    def place(self):
        return Place(lambda clock: main.FileStore(self.folder / "tasks", clock))


def contract_test(check):
    def test(self):
        place = self.place()
        try:
            check(place)
        finally:
            place.close()
    return test


for check in CONTRACT:
    setattr(FileStoreKeepsTheContract, f"test_{check.__name__}", contract_test(check))


class StoreTest(LabTest):
    def setUp(self):
        super().setUp()
        self.place = Place(self.open_store)
        self.addCleanup(self.place.close)
        self.store = self.place.open()

    def open_store(self, clock):
        return main.FileStore(self.folder / "tasks", clock)

    def created(self, number=1, **more):
        task = new_task(self.store, number, **more)
        self.store.create(task)
        return task

    def file_of(self, task):
        return self.folder / "tasks" / f"{task.id}.json"


class TaskFiles(StoreTest):
    def test_a_task_is_a_json_file_that_a_person_can_read(self):
        task = self.created()
        self.store.change(task.id, lambda task: DONE)
        record = json.loads(self.file_of(task).read_text(encoding="utf-8"))
        self.assertEqual(("completed", DONE["result"]), (record["state"], record["result"]))

    def test_progress_reaches_the_file_without_being_written_each_time(self):
        task = self.created()
        writes = []
        with mock.patch.object(main, "write_file", side_effect=lambda *a, **k: writes.append(a)):
            for step in range(100):
                self.place.now_s += 0.01
                self.store.change(task.id, lambda task: {"progress": step / 100})
        self.assertIn(len(writes), range(3, 6))

    @unittest.skipIf(os.name == "nt", "Windows has no permission bits")
    def test_nobody_else_may_look_into_the_folder_or_a_file(self):
        task = self.created()
        for path in (self.folder / "tasks", self.file_of(task)):
            self.assertEqual(0, path.stat().st_mode & 0o077, path)

    @unittest.skipIf(os.name == "nt", "Windows has no permission bits")
    def test_an_empty_folder_that_others_could_enter_is_closed_to_them(self):
        (self.folder / "open").mkdir(mode=0o755)
        main.FileStore(self.folder / "open").close()
        self.assertEqual(0o700, (self.folder / "open").stat().st_mode & 0o777)

    def test_what_is_promised_is_on_the_disk_in_the_right_order(self):
        done = []
        fsync, link, replace = os.fsync, os.link, os.replace
        kind = lambda handle: "fsync folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "fsync file"
        with mock.patch("os.fsync", lambda handle: done.append(kind(handle)) or fsync(handle)), \
                mock.patch("os.link", lambda *names: done.append("name") or link(*names)), \
                mock.patch("os.replace", lambda *names: done.append("name") or replace(*names)):
            task = self.created()
            self.store.change(task.id, lambda task: {"saved": {"n": 1}})
            self.store.change(task.id, lambda task: {"effects": {"n": 1}})
            self.store.change(task.id, lambda task: DONE)
        if os.path.isdir("/proc/self/fd"):
            durable = ["fsync file", "name", "fsync folder"]
            self.assertEqual([*durable, "name", *durable, *durable], done)

    @unittest.skipIf(os.name == "nt", "Windows has no permission bits")
    def test_a_folder_that_others_use_is_refused_and_not_changed(self):
        shared = self.folder / "shared"
        shared.mkdir()
        shared.chmod(0o755)
        (shared / "somebody's file").touch()
        with self.refused(saying="is open to others"):
            main.FileStore(shared)
        self.assertEqual(0o755, shared.stat().st_mode & 0o777)

    @unittest.skipIf(os.name == "nt", "links need a privilege on Windows")
    def test_a_link_in_place_of_the_folder_is_refused(self):
        (self.folder / "link").symlink_to(self.folder / "tasks")
        with self.refused(saying="is a link"):
            main.FileStore(self.folder / "link")

    def test_a_file_in_place_of_the_folder_is_refused(self):
        (self.folder / "file").touch()
        with self.refused(saying="cannot be a task folder"):
            main.FileStore(self.folder / "file")

    def test_finishing_leaves_only_the_task_file(self):
        task = self.created()
        self.store.change(task.id, lambda task: {"started": True})
        other = self.place.open()
        other.request_cancel(task.id)
        self.store.sweep()
        self.store.change(task.id, lambda task: {"state": "cancelled"})
        self.place.shut(other)
        names = {path.name for path in (self.folder / "tasks").iterdir()}
        self.assertEqual({f"{task.id}.json", f"{self.store.server}.lock", "folder.lock"}, names)

    def test_expiry_removes_the_file(self):
        task = self.created(ttl_ms=1000)
        self.store.change(task.id, lambda task: DONE)
        self.place.now_s += 1
        self.store.sweep()
        self.assertFalse(self.file_of(task).exists())

    def test_nothing_is_kept_in_memory_of_tasks_that_are_over(self):
        for number in range(1, 20):
            task = self.created(number, ttl_ms=1000)
            self.store.change(task.id, lambda task: DONE)
        self.place.now_s += 1
        self.store.sweep()
        for memory in (self.store._live, self.store._locks, self.store._known, self.store._recent,
                       self.store._sizes, self.store._written_ms, self.store._expiry):
            self.assertEqual(0, len(memory))

    def test_recent_results_do_not_fill_the_memory(self):
        big = {"content": [{"type": "text", "text": "x" * 1_000_000}], "isError": False}
        for number in range(1, 12):
            task = self.created(number)
            self.store.change(task.id, lambda task: {**DONE, "result": big})
        self.assertLessEqual(sum(len(task.to_json()) for task in self.store._recent.values()), main.RECENT_BYTES)
        self.assertEqual(big, self.store.get("tsk_" + f"{1:032x}").result)

    def test_a_poll_of_a_live_or_recent_task_reads_no_file(self):
        live, finished = self.created(1), self.created(2)
        self.store.change(finished.id, lambda task: DONE)
        with mock.patch.object(pathlib.Path, "read_bytes", side_effect=AssertionError("a file was read")):
            self.assertEqual("working", self.store.get(live.id).state)
            self.assertEqual("completed", self.store.get(finished.id).state)


class DamagedFiles(StoreTest):
    BAD = {"empty": b"", "zeros": b"\0" * 200, "half": b'{"schema": 1, "id": "tsk_', "list": b"[]", "text": b'"x"',
           "not utf-8": b'{"schema": 1, "id": "\x97"}', "deep": b"[" * 100_000, "huge number": b"1" * 5000,
           "newer schema": b'{"schema": 2}', "no schema": b"{}"}

    def plant(self, number, content):
        path = self.folder / "tasks" / f"tsk_{number:032x}.json"
        path.write_bytes(content)
        return path

    def record(self, **changes):
        record = json.loads(new_task(self.store).to_json())
        return json.dumps({**record, **changes}).encode()

    def test_each_is_set_aside_once_and_the_rest_is_loaded(self):
        good = self.created(1)
        self.store.change(good.id, lambda task: DONE)
        for number, content in enumerate(self.BAD.values(), start=100):
            self.plant(number, content)
        (self.folder / "tasks" / f"tsk_{99:032x}.json").mkdir()
        again = self.place.open()
        with self.assertLogs("lesson-13", "WARNING") as logged:
            found = again.reload()
        self.assertEqual((1, len(self.BAD) + 1), (found.tasks, len(found.damaged)))
        self.assertEqual(len(self.BAD) + 1, len(logged.records))
        self.assertEqual(DONE["result"], again.get(good.id).result)
        self.assertEqual(0, len(self.place.open().reload().damaged))

    def test_asking_for_one_says_that_it_is_damaged_each_time(self):
        path = self.plant(100, b'{"half')
        with self.assertLogs("lesson-13", "WARNING") as logged:
            for _ in range(3):
                with self.refused(code=main.INTERNAL_ERROR, saying="damaged"):
                    self.store.get(path.stem)
        self.assertEqual(1, len(logged.records))
        self.assertTrue(path.with_name(path.name + ".damaged").exists())

    def test_a_field_of_the_wrong_type_is_damage(self):
        wrong = [{"state": "paused"}, {"state": 7}, {"created_at_ms": "now"}, {"created_at_ms": True}, {"progress": "x"},
                 {"ttl_ms": None}, {"requests": []}, {"result": "x"}, {"started": 1}, {"server": "../x"},
                 {"id": "tsk_" + "1" * 32}, {"expires_at_ms": 1e400}, {"created_at_ms": 10 ** 30}, {"progress": float("nan")},
                 {"updated_at_ms": -1}, {"state": "failed", "error": {}}, {"state": "completed", "result": {}}]
        for number, changes in enumerate(wrong, start=100):
            path = self.plant(number, self.record(**{"id": f"tsk_{number:032x}", **changes}))
            with self.subTest(changes), self.assertLogs("lesson-13", "WARNING"):
                with self.refused(saying="damaged"):
                    self.store.get(path.stem)

    def test_foreign_files_are_left_alone(self):
        names = ["notes.json", "tsk_short.json", "TSK_" + "0" * 32 + ".json", "tsk_" + "0" * 32, ".hidden"]
        for name in names:
            (self.folder / "tasks" / name).write_text("mine", encoding="utf-8")
        self.assertEqual(0, self.place.open().reload().tasks)
        for name in names:
            self.assertEqual("mine", (self.folder / "tasks" / name).read_text(encoding="utf-8"))

    def test_what_a_dead_server_had_half_written_is_removed_and_a_living_ones_is_not(self):
        dead = self.folder / "tasks" / f"tsk_{5:032x}.srv_{7:016x}.0123abcd.tmp"
        living = self.folder / "tasks" / f"tsk_{5:032x}.{self.store.server}.0123abcd.tmp"
        for path in (dead, living):
            path.write_text('{"half', encoding="utf-8")
        found = self.place.open().reload()
        self.assertEqual(([], False, True), (found.damaged, dead.exists(), living.exists()))
        living.unlink()


class LastMoments(StoreTest):
    def test_a_task_that_ended_right_before_its_server_died_is_no_orphan(self):
        outcomes = (DONE, {"state": "cancelled", "message": "stopped"}, main.failure("TOOL_CRASHED", "it broke"))
        as_it_was = [self.created(number) for number, _ in enumerate(outcomes)]
        for task, outcome in zip(as_it_was, outcomes):
            self.store.change(task.id, lambda task: outcome)
        self.store.close()
        found, other = main.Reload(), self.place.open()
        for task in as_it_was:
            other._reload_one(task, found)
        self.assertEqual((3, []), (found.tasks, found.orphans))

    def test_tasks_that_another_server_removes_do_not_disturb_a_list(self):
        other = self.place.open()
        before = sys.getswitchinterval()
        self.addCleanup(sys.setswitchinterval, before)
        sys.setswitchinterval(1e-6)
        for number in range(3000):
            other.remember(new_task(self.store, number))
        gone = list(other._known)

        def list_until_all_are_gone():
            while other._known:
                other.page("nobody")
        in_parallel([list_until_all_are_gone, lambda: [other.get(task_id) for task_id in gone]])

    def test_a_task_that_finished_right_before_its_server_died_keeps_its_result(self):
        task, other = self.created(), self.place.open()
        seen = other.load(task.id)
        self.store.change(task.id, lambda task: DONE)
        self.place.shut(self.store)
        self.assertEqual("completed", other._settle(seen).state)
        self.assertEqual("completed", other.get(task.id).state)

    def test_a_look_that_took_long_does_not_remove_what_has_ended_meanwhile(self):
        task = self.created(ttl_ms=1000)
        seen = self.store.get(task.id)
        self.place.now_s += 1
        self.store.sweep()
        self.assertEqual("failed", self.store._settle(seen).state)
        self.assertEqual("failed", self.store.get(task.id).state)

    def test_a_folder_that_is_gone_is_an_error_with_words_and_the_end_is_quiet(self):
        self.created()
        shutil.rmtree(self.folder / "tasks")
        with self.refused(code=main.INTERNAL_ERROR, saying="cannot be read"):
            self.store.page("s")
        with self.refused(code=main.INTERNAL_ERROR, saying="cannot write"):
            self.created(2)


class ProcessesThatDie(LabTest):
    CHILD = textwrap.dedent("""
        import sys, main
        from lessons.store_contract import DONE, new_task
        store = main.FileStore(sys.argv[1])
        number = int(sys.argv[2])
        while True:
            task = new_task(store, number)
            store.create(task)
            for step in range(5):
                store.change(task.id, lambda task: {"saved": {"step": step, "text": "x" * 4000}})
            store.change(task.id, lambda task: DONE)
            print(number, flush=True)
            number += 1
    """)

    def start(self, first):
        process = subprocess.Popen([sys.executable, "-c", self.CHILD, str(self.folder / "tasks"), str(first)], cwd=ROOT,
                                   stdout=subprocess.PIPE, text=True, encoding="utf-8", env=child_environment(self.folder))
        self.addCleanup(end, process)
        return process

    def test_a_kill_loses_no_finished_task_and_leaves_no_half_file(self):
        for round_number in range(1, 9):
            process = self.start(round_number * 1_000_000)
            told = [int(process.stdout.readline()) for _ in range(round_number)]
            process.kill()
            told += [int(line) for line in process.stdout.read().split()]
            process.wait()
            store = main.FileStore(self.folder / "tasks")
            found = store.reload()
            self.assertEqual([], found.damaged)
            self.assertLessEqual(len(found.orphans), 1)
            for number in told:
                self.assertEqual("completed", store.get(f"tsk_{number:032x}").state)
            self.assertEqual([], list((self.folder / "tasks").glob("*.tmp")))
            self.assertTrue(all(task.finished for task in store.page("s", limit=10_000)))
            store.close()

    def test_a_process_id_that_is_used_again_does_not_keep_an_orphan_alive(self):
        process = self.start(1)
        process.stdout.readline()
        process.kill()
        process.wait()
        with contextlib.closing(main.FileStore(self.folder / "tasks")) as store:
            store.reload()
            self.assertEqual([f"{store.server}.lock"], [path.name for path in store.folder.glob("srv_*.lock")])


class WritesThatFail(StoreTest):
    def test_a_failed_creation_says_why_and_leaves_nothing(self):
        full = OSError(28, "No space left on device")
        for broken in ("os.fsync", "os.link"):
            with self.subTest(broken), mock.patch(broken, side_effect=full):
                with self.refused(code=main.INTERNAL_ERROR, saying="No space left"):
                    self.created(1)
            self.assertIsNone(self.store.get(f"tsk_{1:032x}"))
            self.assertEqual([], list((self.folder / "tasks").glob("tsk_*")))
        self.created(1)

    def test_a_terminal_state_that_cannot_be_written_is_not_shown(self):
        task = self.created()
        with mock.patch("os.replace", side_effect=OSError(28, "No space left on device")):
            with self.refused(saying="No space left"):
                self.store.change(task.id, lambda task: DONE)
            self.store.change(task.id, lambda task: {"progress": 0.5})
        self.assertEqual("working", self.store.get(task.id).state)
        self.assertEqual("completed", self.store.change(task.id, lambda task: DONE).state)

    def test_a_reader_in_the_way_is_waited_for(self):
        task = self.created()
        real, refusals = os.replace, iter([PermissionError(13, "in use")] * 3)

        def replace(*names):
            for refusal in refusals:
                raise refusal
            return real(*names)
        with mock.patch("os.replace", replace):
            self.assertEqual("completed", self.store.change(task.id, lambda task: DONE).state)

    def test_a_reader_that_stays_in_the_way_becomes_an_error(self):
        task = self.created()
        with mock.patch("os.replace", side_effect=PermissionError(13, "in use")), self.refused(saying="in use"):
            self.store.change(task.id, lambda task: DONE)
        self.assertEqual([], list((self.folder / "tasks").glob("*.tmp")))

    def test_an_expiry_that_cannot_be_written_is_tried_again(self):
        task = self.created(ttl_ms=1000)
        told = []
        self.store.listeners.append(told.append)
        self.place.now_s += 1
        with mock.patch("os.replace", side_effect=OSError(28, "full")), self.assertLogs("lesson-13", "WARNING"):
            self.store.sweep()
        self.place.now_s += 1
        self.store.sweep()
        self.assertEqual(["failed"], [task.state for task in told])


class TwoServersOnOneFolder(LabTest):
    def test_many_that_start_at_once_do_not_fail_each_others_tasks(self):
        def open_create_reload(number):
            store = main.FileStore(self.folder / "tasks")
            store.create(new_task(store, number))
            return store, store.reload().orphans
        for round_number in range(5):
            stores = in_parallel([lambda n=n: open_create_reload(round_number * 10 + n) for n in range(1, 7)])
            self.assertEqual([[]] * 6, [orphans for _, orphans in stores])
            for store, _ in stores:
                store.close()
            with contextlib.closing(main.FileStore(self.folder / "tasks")) as last:
                self.assertEqual(6, len(last.reload().orphans))

    def test_waiting_sees_what_another_server_does(self):
        first, second = (main.FileStore(self.folder / "tasks") for _ in range(2))
        task = new_task(first)
        first.create(task)
        seen = []
        waiter = threading.Thread(target=lambda: seen.append(second.wait(task.id, lambda task: task.finished, 10)))
        waiter.start()
        first.change(task.id, lambda task: DONE)
        waiter.join()
        self.assertEqual("completed", seen[0].state)
        first.close()
        second.close()


if __name__ == "__main__":
    unittest.main()
