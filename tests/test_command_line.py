"""The command line as a person meets it: the tour, serve, call, doctor, and wrong usage."""
from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import unittest
import unittest.mock

import main
from tests.support import ROOT, LabTest, child_environment, end, interrupt


class TheTour(LabTest):
    def start(self, script, *arguments):
        process = subprocess.Popen([sys.executable, str(script), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, encoding="utf-8", cwd=self.folder,
                                   env=child_environment(self.folder))
        self.addCleanup(end, process)
        return process

    def test_it_tells_the_whole_story_here_and_alone_in_an_empty_folder(self):
        alone = self.folder / "Zażółć gęślą"
        alone.mkdir()
        shutil.copy(ROOT / "main.py", alone)
        started = time.monotonic()
        for process in [self.start(ROOT / "main.py"), self.start(alone / "main.py")]:
            told, complaints = process.communicate(timeout=60)
            self.assertEqual(0, process.returncode, told + complaints)
            self.assertTold(told)
            self.assertNotIn("Traceback", complaints)
        self.assertLess(time.monotonic() - started, 30)
        self.assertEqual(["main.py"], os.listdir(alone))
        self.assertEqual({"lesson-13-tasks", alone.name}, set(os.listdir(self.folder)))
        self.assertEqual([], [path.name for path in (self.folder / "lesson-13-tasks").iterdir()
                              if not re.fullmatch(r"tsk_[0-9a-f]{32}\.json|folder\.lock", path.name)])

    def assertTold(self, told):
        self.assertNotIn("\x1b", told)
        self.assertNotIn("\r", told)
        self.assertEqual([], [line for line in told.splitlines() if len(line) > 80 and str(self.folder) not in line])
        story = ["taskSupport: required", "taskSupport: forbidden", "taskSupport: optional", "30 seconds",
                 '"code": -32602', "<- 404", "[####################] 100%  completed", ".json",
                 "notifications/tasks/updated", '"progress": 1.0', "input_required", "elicitation/create", "<- 202",
                 "sampling/createMessage", "toy-model", "tasks/cancel", '"state": "cancelled"', "is killed",
                 "CRASH_RECOVERY", "what was finished, is kept", "First report", "What to do next"]
        position = 0
        for part in story:
            found = told.find(part, position)
            self.assertGreaterEqual(found, 0, f"{part!r} is missing after: {told[max(0, position - 200):position]}")
            position = found
        bars = [int(percent) for percent in re.findall(r"\]\s+(\d+)%", told)]
        self.assertGreaterEqual(len(set(bars)), 3)


class Serving(LabTest):
    def test_it_prints_its_address_and_that_of_the_page_and_ends_cleanly(self):
        for stop in (interrupt, lambda process: process.terminate()):
            if os.name == "nt" and stop is interrupt:
                continue
            process, url = self.spawn_server()
            self.assertRegex(process.stdout.readline(), rf"\A{url.removesuffix('/mcp')}/\?token=[\w-]{{20,}}\n\Z")
            client = self.client(url)
            task_id = client.start("generate_report", {"pace_ms": 60_000})
            client.close()
            stop(process)
            rest, complaints = process.communicate(timeout=20)
            self.assertEqual("", rest)
            self.assertNotIn("Traceback", complaints)
            if os.name != "nt":
                self.assertEqual(0, process.returncode)
                record = json.loads((self.folder / "tasks" / f"{task_id}.json").read_text(encoding="utf-8"))
                self.assertEqual("SERVER_STOPPED", record["error"]["data"]["reason"])
                self.assertEqual([], list((self.folder / "tasks").glob("srv_*")))

    def test_a_listener_and_a_waiting_client_do_not_hold_up_the_end(self):
        process, url = self.spawn_server()
        client = self.client(url)
        task_id = client.start("generate_report", {"pace_ms": 60_000})
        stream = client.listen(task_id)
        next(stream)
        started = time.monotonic()
        process.terminate()
        process.communicate(timeout=20)
        self.assertLess(time.monotonic() - started, 10)
        stream.close()

    def test_a_store_folder_that_was_removed_does_not_spoil_the_end(self):
        process, url = self.spawn_server()
        shutil.rmtree(self.folder / "tasks")
        process.terminate()
        _, complaints = process.communicate(timeout=20)
        self.assertNotIn("Traceback", complaints)

    def test_a_port_in_use_is_one_helpful_line(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            done = self.run_main("serve", "--port", str(taken.getsockname()[1]), "--store", str(self.folder / "tasks"))
        self.assertWrongUsage(done, "--port 0")

    def test_a_store_that_cannot_be_is_one_helpful_line(self):
        (self.folder / "file").touch()
        self.assertWrongUsage(self.run_main("serve", "--port", "0", "--store", str(self.folder / "file")), "--store")

    def assertWrongUsage(self, done, saying):
        self.assertEqual(2, done.returncode, done)
        self.assertEqual(("", 1), (done.stdout, len(done.stderr.splitlines())), done.stderr)
        self.assertIn(saying, done.stderr)


class Calling(LabTest):
    def test_it_prints_the_answer_and_the_exit_code_agrees(self):
        server = self.serve()
        done = self.run_main("call", "tools/list", "--url", server.url)
        self.assertEqual(3, len(json.loads(done.stdout)["result"]["tools"]))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        done = self.run_main("call", "tasks/status", '{"taskId": "żółw"}', "--url", server.url)
        self.assertEqual((1, -32602), (done.returncode, json.loads(done.stdout)["error"]["code"]))

    def test_a_session_is_carried(self):
        server = self.serve()
        task_id = self.client(server, "A").start("generate_report", {"pace_ms": 60_000})
        params = json.dumps({"taskId": task_id})
        self.assertEqual(0, self.run_main("call", "tasks/status", params, "--session", "A", "--url", server.url).returncode)
        self.assertEqual(1, self.run_main("call", "tasks/status", params, "--url", server.url).returncode)


class WrongUsage(LabTest):
    def test_each_gets_exit_code_2_and_one_line_that_helps(self):
        with socket.create_server(("127.0.0.1", 0)) as nobody:
            port = nobody.getsockname()[1]
        cases = [(["bogus"], "invalid choice"), (["serve", "--port", "x"], "is not a port"), (["serve", "--port", "70000"], "is not a port"),
                 (["serve", "--port", "-1"], "port"), (["serve", "--workers", "0"], "is not a number from 1"), (["call"], "method"),
                 (["call", "ping", "{"], "PARAMS is not JSON"), (["call", "ping", "[" * 100_000], "PARAMS is not JSON"),
                 (["serve", "--db", "x.db"], "--store x.db"), (["serve", "--wire", "2026-07-28"], "--db lab.db"), (["call", "ping", "[]"], "must be a JSON object"),
                 (["call", "ping", "--url", "nonsense"], "is not a URL like"), (["call", "ping", "--wire", "x"], "invalid choice"),
                 (["call", "ping", "--url", f"http://127.0.0.1:{port}/mcp"], "nobody answers"), (["--bogus"], "unrecognized")]
        for arguments, saying in cases:
            with self.subTest(arguments):
                done = self.run_main(*arguments)
                self.assertEqual((2, "", 1), (done.returncode, done.stdout, len(done.stderr.splitlines())), done.stderr)
                self.assertIn(saying, done.stderr)

    def test_help_names_every_command_and_every_exit_code(self):
        done = self.run_main("--help")
        for word in ("tour", "serve", "call", "doctor", "0 fine", "2 wrong usage"):
            self.assertIn(word, " ".join(done.stdout.split()))


class Doctor(LabTest):
    def test_it_names_the_versions_and_tries_what_the_store_needs(self):
        done = self.run_main("doctor")
        self.assertEqual(0, done.returncode, done)
        for word in ("Python", "SQLite", "2026-07-28", "lesson-13-tasks"):
            self.assertIn(word, done.stdout)
        self.assertEqual(len(main.STORE_NEEDS), len(re.findall(r" yes$", done.stdout, re.M)))
        self.assertEqual([], os.listdir(self.folder))

    def test_a_promise_that_is_not_kept_is_reported(self):
        def broken(folder):
            raise OSError(1, "not here")
        with unittest.mock.patch("builtins.print") as printed:
            self.assertFalse(main.probe("something", broken))
        self.assertIn("NO: [Errno 1] not here", printed.call_args.args[0])


class Places(LabTest):
    def test_it_works_from_any_folder_and_under_strict_warnings(self):
        odd = self.folder / "z spacją ż"
        odd.mkdir()
        environment = {**child_environment(self.folder), "PYTHONWARNDEFAULTENCODING": "1", "PYTHONIOENCODING": "cp1252"}
        done = subprocess.run([sys.executable, "-W", "error", str(ROOT / "main.py"), "doctor"], cwd=odd, env=environment,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        self.assertEqual((0, b""), (done.returncode, done.stderr))

    def test_importing_the_lab_does_nothing(self):
        code = "import threading, main; print(threading.active_count())"
        done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=child_environment(self.folder), capture_output=True, text=True, timeout=60)
        self.assertEqual(("1\n", ""), (done.stdout, done.stderr))
        self.assertEqual([], os.listdir(self.folder))


if __name__ == "__main__":
    unittest.main()
