"""The SQLite store of exercise 4: the contract, and what a database file adds to it."""
from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
import unittest

import main
from lessons.ex04_sqlite_store.solution import SqliteStore
from lessons.store_contract import CONTRACT, DONE, Place
from tests.support import LabTest
from tests.test_store import StoreTest, contract_test


class SqliteStoreKeepsTheContract(LabTest):
    """One test a contract function, made below."""

    def place(self):
        return Place(lambda clock: SqliteStore(self.folder / "tasks.db", clock))


for check in CONTRACT:
    setattr(SqliteStoreKeepsTheContract, f"test_{check.__name__}", contract_test(check))


class DatabaseTest(StoreTest):
    def open_store(self, clock):
        return SqliteStore(self.folder / "tasks.db", clock)

    def damage(self, task, record="{"):
        with contextlib.closing(sqlite3.connect(self.folder / "tasks.db", isolation_level=None)) as db:
            db.execute("UPDATE tasks SET record = ? WHERE id = ?", (record, task.id))


class DamagedRows(DatabaseTest):
    def test_one_stops_neither_start_nor_list_nor_expiry(self):
        bad, good, old = self.created(1, ttl_ms=1000), self.created(2), self.created(3, ttl_ms=1000)
        self.store.change(good.id, lambda task: DONE)
        self.store.change(old.id, lambda task: DONE)
        self.damage(bad)
        with self.refused(code=main.INTERNAL_ERROR, saying="damaged"):
            self.store.get(bad.id)
        self.assertEqual([good.id, old.id], [task.id for task in self.store.page("s")])
        self.assertEqual([bad.id], self.place.open().reload().damaged)
        self.place.now_s += 1
        with self.assertLogs("lesson-13", "WARNING"):
            self.store.sweep()
        self.assertEqual([good.id], [task.id for task in self.store.page("s")])
        self.assertIsNone(self.store.get(bad.id))

    def test_a_file_that_is_no_database_is_refused_and_left_alone(self):
        (self.folder / "notes.db").write_text("my notes, not a database, and long enough to be looked at" * 20, encoding="utf-8")
        with self.refused(saying="failed: file is not a database"):
            SqliteStore(self.folder / "notes.db")
        self.assertIn("my notes", (self.folder / "notes.db").read_text(encoding="utf-8"))


class Pages(DatabaseTest):
    def test_rows_that_are_over_but_not_swept_do_not_shorten_a_page(self):
        for number in range(1, 31):
            task = self.created(number, ttl_ms=1000 if number % 3 == 0 else 60_000)
            self.store.change(task.id, lambda task: DONE)
        self.place.now_s += 1
        page = self.store.page("s", limit=15)
        self.assertEqual(15, len(page))
        self.assertEqual(5, len(self.store.page("s", (page[-1].created_at_ms, page[-1].id))))


class Files(DatabaseTest):
    @unittest.skipIf(os.name == "nt", "Windows has no permission bits")
    def test_nobody_else_may_look_into_the_database_or_its_side_files(self):
        self.created()
        for path in self.folder.glob("tasks.db*"):
            self.assertEqual(0, path.stat().st_mode & 0o077, path)
        self.assertTrue((self.folder / "tasks.db-wal").exists())

    def test_closing_leaves_one_file_and_no_lock(self):
        self.created()
        self.place.shut(self.store)
        self.assertEqual({"tasks.db", "tasks.db.servers"}, {path.name for path in self.folder.iterdir()})
        self.assertEqual(["folder.lock"], os.listdir(self.folder / "tasks.db.servers"))


class Locks(DatabaseTest):
    def test_a_writer_elsewhere_is_waited_for(self):
        task = self.created()
        db = sqlite3.connect(self.folder / "tasks.db", isolation_level=None, check_same_thread=False)
        db.execute("BEGIN IMMEDIATE")
        release = threading.Timer(0.3, lambda: db.execute("ROLLBACK"))
        release.start()
        self.assertEqual("completed", self.store.change(task.id, lambda task: DONE).state)
        release.join()
        db.close()

    def test_what_a_block_raises_is_rolled_back_and_the_lock_let_go(self):
        task = self.created()
        for error in (RuntimeError, main.Cancelled):
            with self.assertRaises(error), self.store.transaction() as db:
                db.execute("DELETE FROM tasks")
                raise error
            self.assertEqual("working", self.store.get(task.id).state)
        self.assertEqual("completed", self.store.change(task.id, lambda task: DONE).state)


class OnTheServer(LabTest):
    def test_a_kill_loses_nothing_that_was_finished(self):
        database = str(self.folder / "lab.db")
        (self.folder / "notes").mkdir()

        def start():
            process = self.spawn("serve", "--port", "0", "--store", database)
            return process, self.client(process.stdout.readline().strip(), "me")
        process, client = start()
        done = client.start("generate_report", {"folder": str(self.folder / "notes"), "title": "Kept"})
        result = client.fetch(done)
        running = client.start("generate_report", {"pace_ms": 60_000})
        process.kill()
        process.wait()
        process, client = start()
        self.assertEqual(result, client.fetch(done))
        self.assertEqual("CRASH_RECOVERY", client.call("tasks/status", {"taskId": running})["error"]["data"]["reason"])
        self.assertEqual({done, running}, {task["taskId"] for task in client.call("tasks/list")["tasks"]})


if __name__ == "__main__":
    unittest.main()
