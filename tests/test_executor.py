"""Executor, contexts and tools: what happens to work that runs, waits, stops or breaks."""
from __future__ import annotations

import hashlib
import json
import os
import pathlib
import subprocess
import sys
import textwrap
import threading
import time
import unittest
import unittest.mock

import main
from lessons.store_contract import in_parallel
from tests.support import ROOT, LabTest, child_environment, eventually


def tool(run, name="t", support="required"):
    return main.Tool(name, name, name, {"type": "object"}, support, run)


class ExecutorTest(LabTest):
    def executor(self, *runs, workers=2):
        """An executor with the tools t0, t1, … and a store of its own."""
        self.store = main.FileStore(self.folder / "tasks")
        self.addCleanup(self.store.close)
        self.tools = [tool(run, f"t{number}") for number, run in enumerate(runs)]
        executor = main.Executor(self.store, {tool.name: tool for tool in self.tools}, workers)
        self.addCleanup(executor.stop)
        return executor

    def begin(self, executor, number=0, arguments=None, **more):
        return executor.start(self.tools[number], arguments or {}, "s", **more).id

    def finished(self, task_id):
        task = self.store.wait(task_id, lambda task: task.finished, 10)
        self.assertTrue(task.finished, task)
        return task


class Outcomes(ExecutorTest):
    def outcome(self, run):
        return self.finished(self.begin(self.executor(run)))

    def test_a_result_completes_the_task(self):
        task = self.outcome(lambda arguments, ctx: main.text_result("fine", {"n": 1}))
        self.assertEqual(("completed", 1.0, {"n": 1}), (task.state, task.progress, task.result["structuredContent"]))

    def test_a_tool_that_says_is_error_completes(self):
        task = self.outcome(lambda arguments, ctx: main.text_result("no", is_error=True))
        self.assertEqual(("completed", True), (task.state, task.result["isError"]))

    def test_a_tools_own_words_reach_the_client(self):
        def run(arguments, ctx):
            raise main.ToolError("the folder is empty")
        task = self.outcome(run)
        self.assertEqual(("completed", True, "the folder is empty"),
                         (task.state, task.result["isError"], task.result["content"][0]["text"]))

    def test_an_unexpected_exception_keeps_its_secrets(self):
        def run(arguments, ctx):
            raise ValueError("password=hunter2")
        with self.assertLogs("lesson-13", "ERROR"):
            task = self.outcome(run)
        self.assertEqual(("completed", True), (task.state, task.result["isError"]))
        self.assertNotIn("hunter2", task.to_json())

    def test_what_cannot_be_sent_fails_the_task(self):
        circle = []
        circle.append(circle)
        for bad in (None, "text", {}, {"content": "x"}, {"content": [{1, 2}]}, {"content": [float("nan")]},
                    {"content": ["\ud800"]}, {"content": circle}, {"content": ["x" * main.MAX_RESULT_BYTES]}):
            with self.subTest(str(bad)[:30]):
                task = self.outcome(lambda arguments, ctx: bad)
                self.assertEqual(("failed", main.INTERNAL_ERROR), (task.state, task.error["code"]))

    def test_a_tool_that_exits_does_not_take_its_worker_along(self):
        executor = self.executor(lambda arguments, ctx: sys.exit(3), lambda arguments, ctx: main.text_result("fine"), workers=1)
        with self.assertLogs("lesson-13", "ERROR"):
            self.assertEqual("failed", self.finished(self.begin(executor, 0)).state)
        self.assertEqual("completed", self.finished(self.begin(executor, 1)).state)

    def test_progress_never_goes_back_and_stays_between_0_and_1(self):
        seen = []

        def run(arguments, ctx):
            for fraction in (0.5, 0.2, 7, -1):
                ctx.progress(fraction)
                seen.append(self.store.get(self.task_id).progress)
            return main.text_result("fine")
        gate = threading.Event()
        executor = self.executor(lambda arguments, ctx: gate.wait() and run(arguments, ctx))
        self.task_id = self.begin(executor)
        gate.set()
        self.finished(self.task_id)
        self.assertEqual([0.5, 0.5, 1.0, 1.0], seen)


class Cancelling(ExecutorTest):
    def test_the_worker_sees_the_event_and_leaves_early(self):
        left = threading.Event()

        def run(arguments, ctx):
            try:
                while True:
                    ctx.progress(0.1)
                    time.sleep(0.001)
            finally:
                left.set()
        executor = self.executor(run)
        task_id = self.begin(executor)
        eventually(lambda: self.store.get(task_id).progress)
        executor.cancel(task_id)
        self.assertEqual("cancelled", self.finished(task_id).state)
        self.assertTrue(left.is_set())

    def test_a_tools_except_exception_does_not_swallow_it(self):
        def run(arguments, ctx):
            while True:
                try:
                    ctx.progress(0.1)
                except Exception:
                    pass
                time.sleep(0.001)
        executor = self.executor(run)
        task_id = self.begin(executor)
        executor.cancel(task_id)
        self.assertEqual("cancelled", self.finished(task_id).state)

    def test_a_queued_task_is_cancelled_at_once_and_never_runs(self):
        gate, ran = threading.Event(), []
        executor = self.executor(lambda arguments, ctx: gate.wait() and main.text_result("fine"),
                                 lambda arguments, ctx: ran.append(1) or main.text_result("fine"), workers=1)
        busy = self.begin(executor, 0)
        eventually(lambda: self.store.get(busy).started)
        queued = self.begin(executor, 1)
        self.assertEqual("cancelled", executor.cancel(queued).state)
        gate.set()
        self.finished(self.begin(executor, 0))
        self.assertEqual([], ran)

    def test_a_task_that_waits_for_input_is_cancelled(self):
        executor = self.executor(lambda arguments, ctx: ctx.ask("k", "elicitation/create", {}))
        task_id = self.begin(executor)
        eventually(lambda: self.store.get(task_id).state == "input_required")
        executor.cancel(task_id)
        task = self.finished(task_id)
        self.assertEqual(("cancelled", {}), (task.state, task.requests))

    def test_a_tool_that_finishes_all_the_same_has_completed(self):
        gate = threading.Event()
        executor = self.executor(lambda arguments, ctx: gate.wait() and main.text_result("fine"))
        task_id = self.begin(executor)
        eventually(lambda: self.store.get(task_id).started)
        self.assertEqual("working", executor.cancel(task_id).state)
        gate.set()
        self.assertEqual("completed", self.finished(task_id).state)

    def test_cancel_against_complete_a_thousand_rounds(self):
        def run(arguments, ctx):
            self.gates.pop().wait()
            ctx.progress(1.0)
            return main.text_result("fine")
        fsync = unittest.mock.patch("os.fsync")              # a thousand of them would test the disk
        fsync.start()
        self.addCleanup(fsync.stop)
        executor = self.executor(run, workers=2)
        heard = {}
        self.store.listeners.append(lambda task: heard.setdefault(task.id, []).append(task.state))
        seen = set()
        for _ in range(1000):
            barrier = threading.Barrier(2)
            self.gates = [barrier]
            task_id = self.begin(executor)
            barrier.wait()                        # the worker and we set off together
            answer = executor.cancel(task_id).state
            task = self.finished(task_id)
            eventually(lambda: heard[task_id][-1] in main.TERMINAL)
            history = heard.pop(task_id)
            seen.add((answer, task.state))
            self.assertIn(task.state, ("completed", "cancelled"))
            self.assertEqual(task.state == "completed", task.result is not None)
            self.assertEqual([history[-1]], [state for state in history if state in main.TERMINAL], history)
            self.assertEqual(executor.cancel(task_id), task)
        self.assertLessEqual(seen, {("working", "completed"), ("working", "cancelled"), ("completed", "completed")})

    def test_expiry_stops_the_worker_and_frees_its_place(self):
        stopped = threading.Event()

        def run(arguments, ctx):
            while not ctx.cancelled():
                time.sleep(0.001)
            stopped.set()
            return main.text_result("late")
        executor = self.executor(run, workers=1)
        task_id = self.begin(executor, ttl_ms=50)
        eventually(lambda: self.store.sweep() or self.store.get(task_id).finished)
        self.assertEqual("EXPIRED", self.store.get(task_id).error["data"]["reason"])
        self.assertTrue(stopped.wait(10))
        self.assertEqual({}, executor._stops)
        self.assertEqual("failed", self.store.get(task_id).state)

    def test_stopping_the_server_fails_what_runs_and_what_waits(self):
        def run(arguments, ctx):
            while True:
                ctx.progress(0.1)
                time.sleep(0.001)
        ran = []
        executor = self.executor(lambda arguments, ctx: ran.append(1) or run(arguments, ctx), workers=1)
        tasks = [self.begin(executor) for _ in range(3)]
        eventually(lambda: ran)
        executor.stop()
        self.assertEqual([1], ran)
        self.assertEqual(["SERVER_STOPPED"] * 3, [self.finished(task).error["data"]["reason"] for task in tasks])


class Room(ExecutorTest):
    def test_more_tasks_than_there_is_room_for_are_refused_until_there_is(self):
        gate = threading.Event()
        executor = self.executor(lambda arguments, ctx: gate.wait() and main.text_result("fine"), workers=1)
        with unittest.mock.patch.object(main, "MAX_LIVE", 3):
            tasks = [self.begin(executor) for _ in range(3)]
            with self.refused(code=main.BUSY, http=503, saying="try again later"):
                self.begin(executor)
            gate.set()
            for task_id in tasks:
                self.finished(task_id)
            self.finished(self.begin(executor))

    @unittest.skipIf(os.name == "nt", "Windows has no file size limit for a process")
    def test_a_result_that_the_disk_refuses_fails_and_earlier_ones_stay(self):
        child = textwrap.dedent("""
            import resource, signal, sys, main
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
            run = lambda arguments, ctx: main.text_result("x" * arguments["size"])
            tool = main.Tool("t", "t", "t", {}, "required", run)
            store = main.FileStore(sys.argv[1])
            executor = main.Executor(store, {"t": tool})
            small, big = (executor.start(tool, {"size": size}, "s").id for size in (100, 100_000))
            for task_id in (small, big, small):
                task = store.wait(task_id, lambda task: task.finished, 30)
                print(task.state, task.error and task.error["code"])
            executor.stop(); store.close()
        """)
        done = subprocess.run([sys.executable, "-c", child, str(self.folder / "tasks")], cwd=ROOT, capture_output=True,
                              text=True, timeout=60, env=child_environment(self.folder))
        self.assertEqual("completed None\nfailed -32603\ncompleted None\n", done.stdout, done.stderr)


class StoresThatStumble(ExecutorTest):
    def test_a_worker_outlives_a_store_that_fails_when_a_task_is_picked_up(self):
        executor = self.executor(lambda arguments, ctx: main.text_result("fine"), workers=1)
        real, failures = self.store.change, iter([main.StoreError("locked")] * 2)

        def change(task_id, update):
            for failure in failures:
                raise failure
            return real(task_id, update)
        with unittest.mock.patch.object(self.store, "change", change), self.assertLogs("lesson-13", "ERROR"):
            self.assertEqual("completed", self.finished(self.begin(executor)).state)
        self.assertEqual("completed", self.finished(self.begin(executor)).state)

    def test_progress_that_cannot_be_stored_does_not_end_the_work(self):
        def run(arguments, ctx):
            with unittest.mock.patch.object(self.store, "change", side_effect=main.StoreError("locked")):
                ctx.progress(0.5)
            return main.text_result("fine")
        self.assertEqual("completed", self.finished(self.begin(self.executor(run))).state)

    def test_a_result_outlasts_trouble_that_passes(self):
        executor = self.executor(lambda arguments, ctx: main.text_result("fine"))
        real, failures = self.store.change, iter([main.StoreError("the folder is away")] * 7)

        def change(task_id, update):
            if self.store.get(task_id).started:
                for failure in failures:
                    raise failure
            return real(task_id, update)
        with unittest.mock.patch.object(self.store, "change", change), self.assertLogs("lesson-13", "ERROR"), \
                unittest.mock.patch.object(executor._stopping, "wait", lambda seconds: executor._stopping.is_set()):
            self.assertEqual("completed", self.finished(self.begin(executor)).state)


class Asking(ExecutorTest):
    QUESTIONS = {"a": ("elicitation/create", {"message": "a?"}), "b": ("sampling/createMessage", {"messages": []})}

    def asked(self, executor, task_id, *keys):
        self.assertTrue(eventually(lambda: set(keys) == self.store.get(task_id).requests.keys()), keys)
        return self.store.get(task_id)

    def test_a_person_makes_it_wait_and_a_model_does_not(self):
        def run(arguments, ctx):
            ctx.ask("b", *self.QUESTIONS["b"])
            ctx.ask("a", *self.QUESTIONS["a"])
            return main.text_result("fine")
        executor = self.executor(run)
        task_id = self.begin(executor)
        self.assertEqual("working", self.asked(executor, task_id, "b").state)
        executor.answer(task_id, "b", {"result": {}})
        self.assertEqual("input_required", self.asked(executor, task_id, "a").state)
        self.assertEqual("working", executor.answer(task_id, "a", {"result": {}}).state)
        self.assertEqual("completed", self.finished(task_id).state)

    def test_partial_answers_are_kept_until_all_are_there(self):
        got = []
        executor = self.executor(lambda arguments, ctx: got.append(ctx.ask_all(self.QUESTIONS)) or main.text_result("fine"))
        task_id = self.begin(executor)
        self.asked(executor, task_id, "a", "b")
        executor.answer(task_id, "a", {"result": {"n": 1}})
        self.assertEqual("working", self.asked(executor, task_id, "b").state)
        executor.answer(task_id, "b", {"result": {"n": 2}})
        self.finished(task_id)
        self.assertEqual([{"a": {"n": 1}, "b": {"n": 2}}], got)

    def test_a_key_asked_again_gives_the_same_answer_without_asking(self):
        def run(arguments, ctx):
            first, second = (ctx.ask("a", *self.QUESTIONS["a"]) for _ in range(2))
            return main.text_result("same" if first == second else "other")
        executor = self.executor(run)
        task_id = self.begin(executor)
        self.asked(executor, task_id, "a")
        executor.answer(task_id, "a", {"result": {"n": 1}})
        self.assertEqual("same", self.finished(task_id).result["content"][0]["text"])

    def test_unknown_and_answered_keys_change_nothing(self):
        executor = self.executor(lambda arguments, ctx: ctx.ask_all(self.QUESTIONS) and main.text_result("fine"))
        task_id = self.begin(executor)
        self.asked(executor, task_id, "a", "b")
        self.assertIsNone(executor.answer(task_id, "zzz", {"result": {}}))
        executor.answer(task_id, "a", {"result": {"n": 1}})
        self.assertIsNone(executor.answer(task_id, "a", {"result": {"n": 2}}))
        self.assertEqual({"n": 1}, self.store.get(task_id).answers["a"]["result"])

    def test_many_answers_at_once_count_once(self):
        taken = []
        executor = self.executor(lambda arguments, ctx: taken.append(ctx.ask("a", *self.QUESTIONS["a"])) or main.text_result("fine"))
        task_id = self.begin(executor)
        self.asked(executor, task_id, "a")
        results = in_parallel([lambda n=n: executor.answer(task_id, "a", {"result": {"n": n}}) for n in range(8)])
        self.finished(task_id)
        self.assertEqual((1, 1), (sum(result is not None for result in results), len(taken)))

    def test_a_client_that_answers_with_an_error_is_quoted(self):
        executor = self.executor(lambda arguments, ctx: ctx.ask("a", *self.QUESTIONS["a"]))
        task_id = self.begin(executor)
        self.asked(executor, task_id, "a")
        executor.answer(task_id, "a", {"error": {"code": -1, "message": "no window"}})
        self.assertIn("no window", self.finished(task_id).result["content"][0]["text"])

    def test_a_direct_call_cannot_ask(self):
        result = main.run_tool(main.TOOLS["generate_report"], {"ask_title": True}, main.Context())
        self.assertTrue(result["isError"])
        self.assertIn("must run as a task", result["content"][0]["text"])


class Once(ExecutorTest):
    def test_an_effect_happens_once_and_its_result_is_remembered(self):
        keys = []

        def run(arguments, ctx):
            results = [ctx.once("publish", lambda key: keys.append(key) or {"id": len(keys)}) for _ in range(3)]
            return main.text_result(json.dumps(results))
        task = self.finished(self.begin(self.executor(run)))
        self.assertEqual('[{"id": 1}, {"id": 1}, {"id": 1}]', task.result["content"][0]["text"])
        self.assertEqual([f"{task.id}:publish"], keys)

    def test_a_checkpoint_is_a_copy(self):
        def run(arguments, ctx):
            ctx.saved["list"] = [1]
            ctx.save()
            ctx.saved["list"].append(2)
            return main.text_result("fine")
        self.assertEqual({"list": [1]}, self.finished(self.begin(self.executor(run))).saved)


class Tools(LabTest):
    def setUp(self):
        super().setUp()
        self.notes = self.folder / "notes"
        self.notes.mkdir()
        self.write("a.md", "# Żółw i zając\n\nżółw biegnie, zając śpi\n")
        self.write("sub/b.txt", "żółw wygrywa")

    def write(self, name, text):
        path = self.notes / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return path

    def run_tool(self, name, **arguments):
        return main.run_tool(main.TOOLS[name], {"folder": str(self.notes), **arguments}, main.Context())

    def test_the_reports_numbers_are_those_of_the_folder(self):
        facts = self.run_tool("generate_report", title="Tortoise")["structuredContent"]
        texts = [path.read_bytes() for path in (self.notes / "a.md", self.notes / "sub" / "b.txt")]
        self.assertEqual({"title": "Tortoise", "files": 2, "lines": 4, "words": 9, "bytes": sum(map(len, texts)),
                          "longest": ["a.md", "sub/b.txt"], "headings": ["Żółw i zając"]},
                         {key: facts[key] for key in ("title", "files", "lines", "words", "bytes", "longest", "headings")})
        self.assertEqual(["żółw", 3], facts["frequent"][0])

    def test_the_text_says_the_same_numbers(self):
        result = self.run_tool("generate_report")
        for name in ("files", "lines", "words", "bytes"):
            self.assertIn(f"- {name}: {result['structuredContent'][name]}\n", result["content"][0]["text"])

    def test_nothing_outside_the_folder_is_read(self):
        outside = self.folder / "secret.txt"
        outside.write_text("secret", encoding="utf-8")
        if os.name != "nt":
            (self.notes / "link.txt").symlink_to(outside)
            (self.notes / "linked").symlink_to(self.folder)
            os.mkfifo(self.notes / "pipe.txt")
        self.write(".hidden/c.txt", "secret")
        self.write("__pycache__/c.txt", "secret")
        self.write("program.exe", "secret")
        self.assertEqual([], self.run_tool("notes_search", query="secret")["structuredContent"]["matches"])
        self.assertEqual(2, self.run_tool("generate_report")["structuredContent"]["files"])

    def test_too_much_is_refused_with_the_numbers(self):
        with unittest.mock.patch.object(main, "MAX_CORPUS_BYTES", 10):
            result = self.run_tool("generate_report")
        self.assertTrue(result["isError"])
        self.assertIn("at most", result["content"][0]["text"])

    def test_a_file_that_is_too_large_is_left_out(self):
        with unittest.mock.patch.object(main, "MAX_FILE_BYTES", 20):
            self.assertEqual(1, self.run_tool("generate_report")["structuredContent"]["files"])

    def test_odd_folders_and_names_are_errors_of_the_tool_or_left_out(self):
        if os.name != "nt":
            (self.notes / "circle").symlink_to("circle")
            self.assertTrue(self.run_tool("generate_report", folder=str(self.notes / "circle"))["isError"])
        for name in ("generate_report", "checksum_folder"):
            self.assertTrue(self.run_tool(name, folder="a" * 300)["isError"])
        self.assertFalse(main.many_files({"folder": "a" * 300}))
        if sys.platform == "linux":
            pathlib.Path(os.fsdecode(os.fsencode(self.notes) + b"/\xff.txt")).write_text("zając", encoding="utf-8")
            self.assertEqual(2, self.run_tool("generate_report")["structuredContent"]["files"])
            self.assertEqual(1, len(self.run_tool("notes_search", query="śpi")["structuredContent"]["matches"]))

    def test_a_walk_through_a_large_folder_is_left_early(self):
        with self.assertRaises(main.Cancelled):
            main.corpus(str(self.folder), main.Context(lambda: True))

    def test_a_folder_that_is_not_there_is_an_error_of_the_tool(self):
        for name in ("generate_report", "checksum_folder"):
            result = self.run_tool(name, folder=str(self.folder / "nowhere"))
            self.assertTrue(result["isError"])
            self.assertIn("there is no folder", result["content"][0]["text"])

    def test_an_empty_folder_and_bytes_that_are_no_text_are_fine(self):
        (self.folder / "empty").mkdir()
        self.assertEqual(0, self.run_tool("generate_report", folder=str(self.folder / "empty"))["structuredContent"]["files"])
        (self.notes / "odd.txt").write_bytes(b"\xff\xfe\0\x97")
        self.assertEqual(3, self.run_tool("generate_report")["structuredContent"]["files"])

    def test_a_search_names_file_and_line(self):
        matches = self.run_tool("notes_search", query="ŻÓŁW", limit=2)["structuredContent"]["matches"]
        self.assertEqual([("a.md", 1), ("a.md", 3)], [(match["file"], match["line"]) for match in matches])

    def test_checksums_are_those_of_the_files(self):
        sums = self.run_tool("checksum_folder")["structuredContent"]["sha256"]
        self.assertEqual(hashlib.sha256("żółw wygrywa".encode()).hexdigest(), sums["sub/b.txt"])

    def test_without_a_folder_the_lab_itself_is_read(self):
        facts = main.run_tool(main.TOOLS["generate_report"], {}, main.Context())["structuredContent"]
        names = [name for name, _ in main.corpus(None)]
        self.assertIn("main.py", names)
        self.assertEqual(sum((ROOT / name).stat().st_size for name in names), facts["bytes"])

    def test_a_report_resumes_from_its_checkpoint(self):
        ctx = main.Context()
        whole = main.generate_report({"folder": str(self.notes)}, ctx)
        again = main.Context()
        again.saved = json.loads(json.dumps(ctx.saved))
        (self.notes / "a.md").write_text("changed", encoding="utf-8")
        self.assertEqual(whole["structuredContent"], main.generate_report({"folder": str(self.notes)}, again)["structuredContent"])

    def test_a_slow_report_leaves_early_inside_a_step(self):
        calls = iter(range(10 ** 9))
        ctx = main.Context(lambda: next(calls) > 3)
        with self.assertRaises(main.Cancelled):
            main.generate_report({"folder": str(self.notes), "pace_ms": 600_000}, ctx)


class SchemaChecks(unittest.TestCase):
    def test_a_wrong_value_is_named_with_what_would_be_right(self):
        schema = {"type": "object", "additionalProperties": False, "required": ["n"], "properties": {
            "n": {"type": "integer", "minimum": 1, "maximum": 9}, "s": {"type": "string", "minLength": 1, "pattern": "^a"},
            "l": {"type": "array", "maxItems": 2, "items": {"type": "number"}}, "e": {"enum": ["x", "y"]},
            "b": {"type": "boolean"}, "z": {"type": "null"}}}
        cases = [([], "arguments must be of type object"), ({}, "arguments.n is missing"),
                 ({"n": "1"}, "arguments.n must be of type integer"), ({"n": True}, "arguments.n must be of type integer"),
                 ({"n": 1.0}, "arguments.n must be of type integer"), ({"n": 0}, "arguments.n must be at least 1"),
                 ({"n": 10}, "arguments.n must be at most 9"), ({"n": 1, "s": ""}, "at least 1 characters"),
                 ({"n": 1, "s": "b"}, "arguments.s must be of the form ^a"), ({"n": 1, "l": [1, 2, 3]}, "at most 2 items"),
                 ({"n": 1, "l": [1, "2"]}, "arguments.l[1] must be of type number"), ({"n": 1, "l": [True]}, "of type number"),
                 ({"n": 1, "e": "z"}, "one of ['x', 'y']"), ({"n": 1, "b": 0}, "of type boolean"),
                 ({"n": 1, "z": 0}, "of type null"), ({"n": 1, "x": 1}, "arguments.x is not known; known are: n, s, l, e, b, z")]
        for value, words in cases:
            with self.subTest(value), self.assertRaises(main.RpcError) as caught:
                main.check(schema, value, "arguments")
            self.assertEqual(main.INVALID_PARAMS, caught.exception.code)
            self.assertIn(words, caught.exception.message)
        main.check(schema, {"n": 9, "s": "ab", "l": [1, 2.5], "e": "x", "b": False, "z": None}, "arguments")


if __name__ == "__main__":
    unittest.main()
