"""What an operator sees of the 2026 server: lines of JSON, and counters."""
from __future__ import annotations

import io
import json
import logging
import threading
import time
import unittest
import unittest.mock
import urllib.request

import main
from lessons import observing
from lessons.observing import JsonLines, traceparent_of
from lessons.pieces import solutions
from lessons.server_2026 import Tool2026
from tests import test_server_2026
from tests.support import LabTest, eventually

TRACE = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01"
OTHER = "00-11111111111111111111111111111111-00f067aa0ba902b7-01"


class Lines(test_server_2026.ModernTest):
    def setUp(self):
        super().setUp()
        self.stream = io.StringIO()
        handler = logging.StreamHandler(self.stream)
        handler.setFormatter(JsonLines(solutions().owners.redact))
        main.log.addHandler(handler)
        level = main.log.level
        main.log.setLevel(logging.INFO)
        self.addCleanup(main.log.setLevel, level)
        self.addCleanup(main.log.removeHandler, handler)

    def lines(self, **like):
        found = [json.loads(line) for line in self.stream.getvalue().splitlines()]
        return [line for line in found if all(line.get(name) == value for name, value in like.items())]

    def test_each_request_and_each_change_of_state_is_a_line(self):
        task_id = self.start("asks")
        self.until(task_id, "input_required")
        names = {key: {"action": "accept", "content": {"name": "S3CRET-answer"}} for key in ("first", "second")}
        self.call("tasks/update", {"taskId": task_id, "inputResponses": names})
        self.until(task_id, "completed")
        changes = [line["change"] for line in self.lines(event="task", task_id=task_id)]
        self.assertEqual(["created", "claimed", "input_required", "input received", "claimed", "completed"], changes)
        request = self.lines(event="request", method="tasks/update")
        self.assertEqual((200, "ok", "asks", task_id), tuple(request[0][name] for name in ("http", "outcome", "tool", "task_id")))
        self.assertLessEqual({"time", "level", "duration_ms", "job_id", "status"}, set(request[0]))
        self.assertNotIn("S3CRET", self.stream.getvalue())

    def test_a_task_is_logged_with_its_trace_in_each_line(self):
        for sent, kept in ((TRACE, TRACE), ("00-" + "0" * 32 + "-00f067aa0ba902b7-01", None), ("x", None), (7, None), (TRACE.upper(), None)):
            result = self.call("tools/call", {"name": "slow"}, traceparent=sent)
            self.until(result["taskId"], "completed")
            self.get(result["taskId"])
            lines = self.lines(task_id=result["taskId"])
            self.assertGreaterEqual(len(lines), 5)
            self.assertEqual({kept}, {line.get("traceparent") for line in lines}, sent)
            self.assertEqual({kept and kept[3:35]}, {line.get("trace_id") for line in lines})
        self.call("tasks/get", {"taskId": result["taskId"]}, traceparent=OTHER)

    def test_who_asks_about_a_task_within_another_trace_is_told_apart(self):
        task_id = self.call("tools/call", {"name": "slow"}, traceparent=TRACE)["taskId"]
        self.until(task_id, "completed")
        self.call("tasks/get", {"taskId": task_id}, traceparent=OTHER)
        last = self.lines(method="tasks/get")[-1]
        self.assertEqual((TRACE, OTHER), (last["traceparent"], last["caller_traceparent"]))

    def test_no_line_holds_what_a_client_has_made_up(self):
        for method, params in (("made/up", {}), ("tools/call", {"name": "made-up"}), ("tasks/get", {"taskId": "made-up"})):
            with self.refused():
                self.call(method, params)
        self.assertNotIn("made", self.stream.getvalue())
        self.assertEqual({"-32601", "-32602"}, {line["outcome"] for line in self.lines(event="request")})

    def test_a_traceback_is_redacted_and_stays_one_line(self):
        self.until(self.start(end="raise"), "completed")
        with_traceback = [line for line in self.lines() if "traceback" in line]
        self.assertEqual(1, len(with_traceback))
        self.assertIn("ValueError", with_traceback[0]["traceback"])
        self.assertNotIn("hunter2", self.stream.getvalue())

    def test_a_traceback_says_which_task_and_which_trace_it_belongs_to(self):
        task_id = self.call("tools/call", {"name": "slow", "arguments": {"end": "raise"}}, traceparent=TRACE)["taskId"]
        self.until(task_id, "completed")
        (line,) = [line for line in self.lines() if "traceback" in line]
        self.assertEqual((task_id, TRACE, "slow raised"), (line["task_id"], line["traceparent"], line["message"]))
        handler = observing.Unhurried(stream := io.StringIO(), lambda value: value)
        self.addCleanup(observing.atexit.unregister, handler.last_words)
        self._threads |= {thread for thread in threading.enumerate() if thread.name == "log"}
        observing.ABOUT.facts = {"task_id": "t"}
        handler.handle(logging.LogRecord("lesson-13", logging.INFO, "", 0, "mine", (), None))
        observing.ABOUT.facts = {}
        handler.last_words()
        self.assertEqual("t", json.loads(stream.getvalue())["task_id"])

    def test_the_urls_of_a_task_are_counted_and_not_named(self):
        anything = {"type": "object", "properties": {"urls": {"type": "array"}}}
        server = self.modern(tools={"audit": Tool2026("audit", "a", "a", anything, "required", lambda arguments, ctx: main.text_result("done"))})
        task_id = self.call("tools/call", {"name": "audit", "arguments": {"urls": ["http://one", "http://two"]}}, server=server)["taskId"]
        self.assertTrue(eventually(lambda: self.lines(change="completed", task_id=task_id)))
        self.assertEqual([2, 2, 2], [line["urls"] for line in self.lines(event="task", task_id=task_id)])
        self.assertNotIn("http://one", self.stream.getvalue())


class Counters(test_server_2026.ModernTest):
    def page(self, server=None):
        with urllib.request.urlopen((server or self.server).url.replace("/mcp", "/metrics"), timeout=10) as response:
            self.assertTrue(response.headers["Content-Type"].startswith("text/plain"))
            return dict(line.rsplit(" ", 1) for line in response.read().decode().splitlines() if not line.startswith("#"))

    def test_requests_polls_conflicts_cancels_and_changes_are_counted(self):
        done = self.start()
        self.until(done, "completed")
        waiting = self.start(end="wait")
        self.call("tasks/cancel", {"taskId": waiting})
        self.until(waiting, "cancelled")
        self.call("tasks/cancel", {"taskId": waiting})
        self.until(self.start("keyed", idempotency_key="k", n=1), "completed")
        with self.refused(code=-32602):
            self.start("keyed", idempotency_key="k", n=2)
        with self.refused():
            self.call("nothing")
        found = self.page()
        labels = 'mcp_requests_total{method="%s",version="2026-07-28",outcome="%s"}'
        self.assertEqual(("3", "1", "1"), (found[labels % ("tools/call", "ok")], found[labels % ("tools/call", "-32602")], found[labels % ("other", "-32601")]))
        self.assertEqual(("1", "1"), (found["mcp_idempotency_conflicts_total"], found["mcp_cancellations_total"]))
        self.assertEqual(found[labels % ("tasks/get", "ok")], found["mcp_task_polls_total"])
        self.assertEqual("2", found['mcp_task_changes_total{change="completed"}'])
        self.assertEqual("4", found['mcp_request_duration_seconds_count{method="tools/call"}'])
        self.assertEqual("4", found['mcp_request_duration_seconds_bucket{method="tools/call",le="+Inf"}'])

    def test_resumes_and_expiries_are_counted(self):
        later_s = [0.0]
        self.server.table._clock = lambda: time.time() + later_s[0]
        task_id = self.start(end="wait")
        self.assertTrue(eventually(lambda: self.server.table.leases()))
        self.server.workers.over.set()
        for one, life in self.server.table.leases().items():
            self.server.table.take_back(one, life)
        self.server.table.claim("another", ["slow"])
        later_s[0] = 24 * 3600.0
        self.assertTrue(eventually(lambda: self.page()["mcp_task_expiries_total"] == "1"))
        self.assertEqual("1", self.page()["mcp_task_resumes_total"])
        self.assertEqual("failed", self.get(task_id)["status"])

    def test_the_page_is_for_this_machine(self):
        for headers, status in (("Host: evil.example", 403), ("Host: localhost\r\nOrigin: http://evil.example", 403)):
            reply = main.socket.create_connection(("127.0.0.1", self.server.http.server_port))
            reply.sendall(f"GET /metrics HTTP/1.1\r\n{headers}\r\nConnection: close\r\n\r\n".encode())
            self.assertIn(f" {status} ".encode(), reply.recv(100))
            reply.close()


class TheProcess(LabTest):
    def test_a_log_that_nobody_reads_stops_nobody(self):
        process = self.spawn("serve", "--port", "0", "--wire", main.MODERN, "--db", str(self.folder / "lab.db"))
        client = self.client(process.stdout.readline().strip(), wire=main.MODERN)
        for _ in range(1500):
            client.call("tools/list")
        self.assertIsNone(process.poll())

    def test_a_reader_who_stops_costs_the_oldest_lines_and_later_ones_are_written(self):
        gate, written = threading.Event(), []

        class Blocked(io.StringIO):
            def write(self, text):
                gate.wait(10)
                written.append(text)
        with unittest.mock.patch.object(observing.Unhurried, "LINES", 3):
            handler = observing.Unhurried(Blocked(), lambda value: value)
        self.addCleanup(observing.atexit.unregister, handler.last_words)
        self._threads |= {thread for thread in threading.enumerate() if thread.name == "log"}
        log = lambda text: handler.handle(logging.LogRecord("lesson-13", logging.INFO, "", 0, text, (), None))
        log("first")
        self.assertTrue(eventually(lambda: not handler.waiting))
        for number in range(10):
            log(f"line {number}")
        gate.set()
        log("later")
        handler.last_words()
        handler.handle(logging.LogRecord("lesson-13", logging.INFO, "", 0, "%d", ("no number",), None))
        log("after a wrong one")
        handler.last_words()
        lines = [json.loads(line)["message"] for line in "".join(written).splitlines()]
        self.assertEqual(["a line could not be written: TypeError", "after a wrong one"], lines[-2:])
        lines = lines[:-2]
        self.assertEqual("first", lines[0])
        self.assertEqual(["line 8", "line 9", "later"], lines[-3:])
        self.assertLessEqual(len(lines), 5)

    def test_the_lines_of_a_served_process_are_json_on_stderr(self):
        process = self.spawn("serve", "--port", "0", "--wire", main.MODERN, "--db", str(self.folder / "lab.db"))
        client = self.client(process.stdout.readline().strip(), wire=main.MODERN)
        client.call("tools/list")
        process.terminate()
        said = process.communicate(timeout=10)[1]
        self.assertEqual(["tools/list"], [json.loads(line)["method"] for line in said.splitlines()])


class TraceContext(LabTest):
    def test_a_traceparent_is_taken_as_the_standard_has_it_or_not_at_all(self):
        for meta, expected in (({"traceparent": TRACE}, TRACE), ({"traceparent": TRACE + "-x"}, ""), ({"traceparent": "01" + TRACE[2:]}, ""), ({}, ""), (None, ""), ([], ""),
                               ({"other/traceparent": TRACE}, ""), ({"traceparent": [TRACE]}, "")):
            self.assertEqual(expected, traceparent_of(meta), meta)


if __name__ == "__main__":
    unittest.main()
