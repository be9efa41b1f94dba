"""Leases of the 2026 server with real processes: killed, stopped and woken up, drained."""
from __future__ import annotations

import collections
import os
import signal
import sqlite3
import threading
import time
import unittest
import unittest.mock

import main
from lessons.pieces import solutions
from lessons.server_2026 import LeaseContext, Server2026, Tool2026, Workers
from lessons.task_table import NOBODY, TaskTable
from tests import campaigns
from tests.support import LabTest, eventually

ANY = {"type": "object", "properties": {}}


class Instances(LabTest):
    def instance(self):
        instance = campaigns.Instance(self.folder, {})
        self.addCleanup(instance.kill)
        return instance

    def create(self, instance, pace_ms):
        client = self.client(instance.url, wire=main.MODERN)
        return client.call("tools/call", {"name": "generate_report", "arguments": {"folder": str(self.folder), "pace_ms": pace_ms}})["taskId"]

    def table(self):
        table = TaskTable(self.folder / "tasks.db")
        self.addCleanup(table.close)
        return table

    def test_another_instance_goes_on_after_a_kill_and_the_client_keeps_its_id(self):
        first, second = self.instance(), self.instance()
        task_id = self.create(first, 2_000)
        table = self.table()
        self.assertTrue(eventually(lambda: table.get(task_id, NOBODY).worker))
        holder = first if table.get(task_id, NOBODY).worker.startswith(str(first.process.pid)) else second
        holder.process.kill()
        other = self.client((second if holder is first else first).url, wire=main.MODERN)
        self.assertTrue(eventually(lambda: other.call("tasks/get", {"taskId": task_id})["status"] == "completed"))
        self.assertEqual(2, table.get(task_id, NOBODY).token)

    @unittest.skipIf(os.name == "nt", "a process cannot be stopped for a while on Windows")
    def test_a_zombie_that_wakes_up_changes_nothing(self):
        first = self.instance()
        task_id, table = self.create(first, 3_000), self.table()
        self.assertTrue(eventually(lambda: table.get(task_id, NOBODY).worker))
        first.process.send_signal(signal.SIGSTOP)
        second = self.instance()
        client = self.client(second.url, wire=main.MODERN)
        self.assertTrue(eventually(lambda: client.call("tasks/get", {"taskId": task_id})["status"] == "completed"))
        ended = client.call("tasks/get", {"taskId": task_id})
        first.process.send_signal(signal.SIGCONT)
        time.sleep(1.0)
        self.assertEqual(ended, client.call("tasks/get", {"taskId": task_id}))
        awake = self.client(first.url, wire=main.MODERN)
        self.assertEqual(ended, awake.call("tasks/get", {"taskId": task_id}), "the zombie's own view")

    def test_an_instance_that_is_stopped_politely_hands_its_job_over_at_once(self):
        database = self.folder / "lab.db"
        first = self.spawn("serve", "--port", "0", "--wire", main.MODERN, "--db", str(database))
        client = self.client(first.stdout.readline().strip(), wire=main.MODERN)
        task_id = client.call("tools/call", {"name": "generate_report", "arguments": {"folder": str(self.folder), "pace_ms": 60_000}})["taskId"]
        table = TaskTable(database)
        self.addCleanup(table.close)
        self.assertTrue(eventually(lambda: table.get(task_id, NOBODY).worker))
        first.terminate()
        first.wait()
        job = table.get(task_id, NOBODY)
        self.assertEqual(("working", None, 0), (job.status, job.worker, job.attempts))

    def test_a_job_that_kills_its_workers_is_given_up(self):
        table, lives = self.table(), collections.Counter()
        task_id = table.create(NOBODY, "deadly", {}, {}, {}).task_id
        code = ("import sys, os, threading, main; from lessons.server_2026 import Tool2026, Workers; from lessons.pieces import solutions; from lessons.task_table import TaskTable; "
                "tool = Tool2026('deadly', 'd', 'd', {'type': 'object'}, 'required', lambda arguments, ctx: os._exit(9)); "
                "Workers(TaskTable(sys.argv[1]), {'deadly': tool}, solutions(), 1, lease_ms=150); threading.Event().wait(5)")
        while not table.get(task_id, NOBODY).finished and lives["deaths"] < 12:
            main.subprocess.run([main.sys.executable, "-c", code, str(table.file)], cwd=main.LAB, timeout=20)
            lives["deaths"] += 1
            if lives["deaths"] >= 5:
                keeper = Workers(table, {}, solutions(), 0, lease_ms=150)
                eventually(lambda: table.get(task_id, NOBODY).finished or not table.get(task_id, NOBODY).worker)
                keeper.stop()
        job = table.get(task_id, NOBODY)
        self.assertEqual(("failed", -32603, 5), (job.status, job.error["code"], lives["deaths"]))
        self.assertIn("5 workers", job.error["message"])


class InOneProcess(LabTest):
    def serve_modern(self, run, **options):
        server = Server2026(self.folder / "tasks.db", tools={"tool": Tool2026("tool", "t", "t", ANY, "required", run)}, **options).start()
        self.addCleanup(server.stop)
        return server

    def start(self, server):
        client = self.client(server, wire=main.MODERN)
        return client, client.call("tools/call", {"name": "tool"})["taskId"]

    def test_a_job_longer_than_its_lease_runs_once(self):
        runs = []

        def run(arguments, ctx):
            runs.append(1)
            main.rest(ctx, 1.0)
            return main.text_result("done")
        servers = [self.serve_modern(run, lease_ms=150) for _ in range(2)]
        client, task_id = self.start(servers[0])
        self.assertTrue(eventually(lambda: client.call("tasks/get", {"taskId": task_id})["status"] == "completed"))
        self.assertEqual([1], runs)

    def test_a_clock_that_is_set_changes_no_lease(self):
        gate = threading.Event()

        def run(arguments, ctx):
            while not gate.is_set():
                ctx.progress(0.5)
                time.sleep(0.01)
            return main.text_result("done")
        server = self.serve_modern(run, lease_ms=150)
        client, task_id = self.start(server)
        for hour in (3, -3, 0):
            server.table._clock = lambda: time.time() + 3600 * hour
            time.sleep(0.4)
        gate.set()
        self.assertTrue(eventually(lambda: client.call("tasks/get", {"taskId": task_id})["status"] == "completed"))
        job = server.table.get(task_id, NOBODY)
        self.assertEqual(1, job.token)
        self.assertGreaterEqual(job.updated_at, job.created_at)

    def test_a_hung_job_is_not_renewed_for_ever(self):
        with unittest.mock.patch("lessons.server_2026.MAX_RUN_S", 0.3):
            gate, runs = threading.Event(), []
            self.addCleanup(gate.set)

            def run(arguments, ctx):
                runs.append(1)
                return gate.wait(10) and main.text_result("late") if len(runs) == 1 else main.text_result("in time")
            server = self.serve_modern(run, lease_ms=150, workers=2)
            client, task_id = self.start(server)
            self.assertTrue(eventually(lambda: client.call("tasks/get", {"taskId": task_id})["status"] == "completed"))
            gate.set()
            time.sleep(0.2)
            self.assertEqual("in time", client.call("tasks/get", {"taskId": task_id})["result"]["content"][0]["text"])

    def test_a_job_that_gets_further_is_renewed_for_as_long_as_it_does(self):
        runs = []

        def run(arguments, ctx):
            runs.append(1)
            for step in range(12):
                ctx.saved["step"] = step
                time.sleep(0.1)
                ctx.save()
            return main.text_result("done")
        with unittest.mock.patch("lessons.server_2026.MAX_RUN_S", 0.4):
            client, task_id = self.start(self.serve_modern(run, lease_ms=150))
            self.assertTrue(eventually(lambda: client.call("tasks/get", {"taskId": task_id})["status"] == "completed"))
        self.assertEqual([1], runs)

    def test_attempts_begin_anew_when_a_worker_has_got_further_and_not_when_it_has_not(self):
        table = TaskTable(self.folder / "a.db")
        self.addCleanup(table.close)
        told = []
        table.observe = lambda job, what: told.append(what)
        table.create(NOBODY, "tool", {}, {}, {})
        for saved, attempts in (({"step": 1}, 1), ({"step": 1}, 2), ({"step": 2}, 1), ({"step": 2}, 2)):
            job = table.claim("w", ["tool"])
            ctx = LeaseContext(table, job, solutions(), threading.Event())
            ctx.saved = saved
            ctx.save()
            now = table.get(job.task_id, NOBODY)
            self.assertEqual((saved, attempts), (now.checkpoint, now.attempts))
            for task_id, life in table.leases().items():
                table.take_back(task_id, life)
        self.assertEqual(["created", "claimed"] + ["lease lost", "resumed"] * 3 + ["lease lost"], told, "whoever takes over is counted, however far the last one got")

    def test_a_stumble_of_the_table_inside_a_tool_costs_no_task(self):
        runs = []

        def run(arguments, ctx):
            runs.append(1)
            if len(runs) == 1:
                raise main.StoreError("database is locked")
            ctx.save()
            return main.text_result("done")
        with self.assertLogs("lesson-13", "ERROR"):
            client, task_id = self.start(self.serve_modern(run))
            self.assertTrue(eventually(lambda: client.call("tasks/get", {"taskId": task_id})["status"] == "completed"))
        self.assertEqual([1, 1], runs)

    def test_nothing_leaves_the_house_for_a_worker_that_lost_its_job_or_is_to_stop(self):
        table, effects = TaskTable(self.folder / "e.db"), []
        self.addCleanup(table.close)

        def lose(job):
            for task_id, life in table.leases().items():
                table.take_back(task_id, life)

        def lose_and_cancel(job):
            lose(job)
            table.request_cancel(job.task_id, NOBODY)
        for disturb in (lose, lose_and_cancel, lambda job: table.request_cancel(job.task_id, NOBODY), lambda job: table.finish(job, "failed", "", error={"code": 1, "message": ""})):
            table.create(NOBODY, "tool", {}, {}, {})
            job = table.claim("w", ["tool"])
            ctx = LeaseContext(table, job, solutions(), threading.Event())
            disturb(job)
            with self.assertRaises(main.Cancelled):
                ctx.once("publish", lambda key: effects.append(key))
            with table.transaction() as db:
                db.execute("DELETE FROM mcp_tasks")
                db.execute("DELETE FROM mcp_outbox")
        self.assertEqual([], effects)

    def test_a_damaged_row_stops_neither_the_sweep_nor_the_recovery_of_others(self):
        now = [1_000_000.0]
        table = TaskTable(self.folder / "d.db", clock=lambda: now[0])
        self.addCleanup(table.close)
        ids = [table.create(NOBODY, "tool", {}, {}, {}).task_id for _ in range(4)]
        held = [table.claim("w", ["tool"]).task_id for _ in range(2)]
        with table.transaction() as db:
            db.executemany("UPDATE mcp_tasks SET checkpoint_json = '{\"half' WHERE task_id = ?", [(held[0],), (ids[2],)])
        with self.assertLogs("lesson-13", "ERROR"):
            for task_id, life in table.leases().items():
                table.take_back(task_id, life)
            self.assertEqual(("failed", "working", None), (table.get(held[0], NOBODY).status, table.get(held[1], NOBODY).status, table.get(held[1], NOBODY).worker))
            now[0] += 24 * 3600
            table.sweep()
        self.assertEqual({"failed"}, {table.get(task_id, NOBODY).status for task_id in ids if table.get(task_id, NOBODY)})

    def test_the_end_of_a_tasks_time_frees_everything(self):
        table = TaskTable(self.folder / "t.db", clock=lambda: now[0])
        self.addCleanup(table.close)
        now, observed = [1_000_000.0], []
        table.observe = lambda job, what: observed.append((job.task_id, what))
        ids = [table.create(NOBODY, "tool", {}, {}, {}).task_id for _ in range(3)]
        held = table.claim("w", ["tool"])
        parked = table.claim("w", ["tool"])
        table.park(parked, {"q": {"method": "x", "params": {}}}, {"half": 1})
        now[0] += 24 * 3600
        table.sweep()
        with table.connections.borrow() as db:
            rows = db.execute("SELECT status, worker, input_requests_json, checkpoint_json, arguments_json FROM mcp_tasks").fetchall()
            self.assertEqual(0, db.execute("SELECT count(*) FROM mcp_outbox").fetchone()[0])
        self.assertEqual([("failed", None, "{}", "{}", "{}")] * 3, rows)
        self.assertEqual({(task_id, "expired") for task_id in ids}, {one for one in observed if one[1] == "expired"})
        self.assertFalse(table.finish(held, "completed", "", {"content": []}))

    def test_a_file_of_another_program_or_layout_is_left_alone(self):
        for name, statement in (("other.db", "CREATE TABLE mine (x)"), ("old.db", "CREATE TABLE mcp_tasks (task_id TEXT)")):
            db = sqlite3.connect(self.folder / name)
            db.execute(statement)
            db.commit()
            db.close()
            with self.assertRaises(main.StoreError) as caught:
                TaskTable(self.folder / name)
            self.assertIn("choose a new file", caught.exception.message)
            done = self.run_main("serve", "--port", "0", "--wire", main.MODERN, "--db", str(self.folder / name))
            self.assertEqual((2, ""), (done.returncode, done.stdout))
            self.assertIn("choose a new file", done.stderr)


if __name__ == "__main__":
    unittest.main()
