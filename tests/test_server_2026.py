"""The 2026-07-28 server on the wire, over real sockets and a real database."""
from __future__ import annotations

import contextlib
import json
import os
import socket
import sqlite3
import threading
import time
import unittest
import unittest.mock

import main
from lessons.auditing import audit, shown_as
from lessons.ex12_two_instances.solution import address_to_dial
from lessons.server_2026 import Server2026, Tool2026
from lessons.store_contract import in_parallel
from lessons.task_table import NOBODY, TaskTable, enqueue
from tests.support import LabTest, eventually, http_post, port_of, record_messages, status_and_json, talk

META = "io.modelcontextprotocol/"
TASKS = {"elicitation": {}, "sampling": {}, "extensions": {main.EXTENSION: {}}}
ANY = {"type": "object", "additionalProperties": False, "properties": {"end": {"type": "string"}, "n": {"type": "integer"}}}
KEYED = {"type": "object", "properties": {"idempotency_key": {"type": "string"}, "n": {"type": "integer"}}}


def setUpModule():
    if "LESSON_13_RECORD" in os.environ:
        record_messages(os.environ["LESSON_13_RECORD"])


def form(field="name", kind="string"):
    return {"message": "?", "requestedSchema": {"type": "object", "required": [field], "properties": {field: {"type": kind}}}}


class ModernTest(LabTest):
    def setUp(self):
        super().setUp()
        self.effects = []
        self.gate = threading.Event()
        self.server = self.modern()

    def modern(self, tools=None, **options):
        server = Server2026(self.folder / "tasks.db", tools=self.tools() if tools is None else tools, workers=2, **options).start()
        self.addCleanup(server.stop)
        return server

    def tools(self):
        named = {"quick": ("forbidden", lambda arguments, ctx: main.text_result("quick")), "slow": ("required", self.slow),
                 "asks": ("required", self.asks), "hello": ("forbidden", self.hello), "late": ("required", self.late), "watch": ("forbidden", self.watch),
                 "exits": ("forbidden", self.exits)}
        tools = {name: Tool2026(name, name, name, ANY, support, run) for name, (support, run) in named.items()}
        return {**tools, "keyed": Tool2026("keyed", "keyed", "keyed", KEYED, "required", self.keyed)}

    def keyed(self, arguments, ctx):
        self.effects.append(arguments["n"])
        return main.text_result("done")

    def slow(self, arguments, ctx):
        end = arguments.get("end", "result")
        while end == "wait" and not self.gate.is_set():
            ctx.progress(0.5, "half way")
            time.sleep(0.005)
        if end == "raise":
            raise ValueError("password=hunter2")
        if end == "rpc":
            raise main.RpcError(main.INTERNAL_ERROR, "the service is gone")
        if end == "nan":
            return {"content": [], "n": float("nan")}
        return main.text_result("done", is_error=end == "error")

    def asks(self, arguments, ctx):
        ctx.saved["runs"] = ctx.saved.get("runs", 0) + 1
        answers = ctx.ask_all({"first": ("elicitation/create", form()), "second": ("elicitation/create", form())})
        self.effects.append(ctx.once("publish", lambda key: self.effects.append(key) or {"id": 7}))
        return main.text_result(" ".join(answers[key]["content"]["name"] for key in ("first", "second")), {"runs": ctx.saved["runs"]})

    def late(self, arguments, ctx):
        self.gate.wait(10)
        return self.hello(arguments, ctx)

    def watch(self, arguments, ctx):
        self.gate.set()
        try:
            main.rest(ctx, 10.0)
        finally:
            self.effects.append(ctx.cancelled())

    def exits(self, arguments, ctx):
        raise SystemExit(1)

    def hello(self, arguments, ctx):
        return main.text_result("hello " + ctx.ask("name", "elicitation/create", form())["content"]["name"])

    def call(self, method, params=None, capabilities=TASKS, server=None, **meta):
        client = main.Client((server or self.server).url, wire=main.MODERN)
        try:
            return client.call(method, {**(params or {}), "_meta": {META + "clientCapabilities": capabilities, **meta}})
        finally:
            client.close()

    def start(self, tool="slow", **arguments):
        return self.call("tools/call", {"name": tool, "arguments": arguments})["taskId"]

    def get(self, task_id, **options):
        return self.call("tasks/get", {"taskId": task_id}, **options)

    def until(self, task_id, *statuses):
        self.assertTrue(eventually(lambda: self.get(task_id)["status"] in statuses), self.get(task_id))
        return self.get(task_id)

    def rows(self):
        with self.server.table.connections.borrow() as db:
            return db.execute("SELECT count(*) FROM mcp_tasks").fetchone()[0]

    def post(self, body, *headers):
        return status_and_json(talk(self.server, http_post(body, *headers)))


class Handles(ModernTest):
    def test_every_result_says_what_it_is_and_who_gave_it(self):
        results = [self.call("server/discover"), self.call("tools/list"), self.call("tools/call", {"name": "quick"}), self.get(self.start()),
                   self.call("tasks/cancel", {"taskId": self.start()}), self.call("tools/call", {"name": "slow"}), self.call("tools/call", {"name": "hello"})]
        self.assertEqual(["complete"] * 5 + ["task", "input_required"], [result["resultType"] for result in results])
        self.assertEqual({"lesson-13"}, {result["_meta"][META + "serverInfo"]["name"] for result in results})

    def test_tools_are_listed_in_the_same_order_with_caching_hints(self):
        first, second = self.call("tools/list"), self.call("tools/list")
        self.assertEqual(first, second)
        self.assertEqual(sorted(self.tools()), [tool["name"] for tool in first["tools"]])
        self.assertEqual((300_000, "public"), (first["ttlMs"], first["cacheScope"]))

    def test_a_refused_call_leaves_no_row_and_names_the_field(self):
        for params, saying in (({"name": "slow", "arguments": {"n": "1"}}, "params.arguments.n"), ({"name": "slow", "arguments": {"x": 1}}, "params.arguments.x"),
                               ({"name": "slow", "arguments": []}, "params.arguments"), ({"name": "nothing"}, "params.name"), ({}, "params.name"), ({"name": 5}, "params.name")):
            with self.refused(code=-32602, http=200, saying=saying):
                self.call("tools/call", params)
        with self.refused(code=-32021, http=400):
            self.call("tools/call", {"name": "slow"}, capabilities={})
        self.assertEqual(0, self.rows())

    def test_what_a_tool_raises_is_a_result_and_keeps_its_secrets(self):
        with self.assertLogs("lesson-13", "ERROR"):
            task = self.until(self.start(end="raise"), "completed")
        self.assertTrue(task["result"]["isError"])
        self.assertNotIn("hunter2", json.dumps(task))
        failed = self.until(self.start(end="rpc"), "failed")
        self.assertEqual({"code": -32603, "message": "the service is gone"}, failed["error"])
        self.assertEqual(-32603, self.until(self.start(end="nan"), "failed")["error"]["code"])

    def test_a_task_is_read_by_another_instance_over_another_connection(self):
        task_id = self.start()
        self.until(task_id, "completed")
        other = self.modern()
        self.assertEqual(self.get(task_id), self.get(task_id, server=other))

    def test_a_call_repeated_with_its_idempotency_key_gets_its_task_however_many_ask_at_once(self):
        call = {"name": "keyed", "arguments": {"idempotency_key": "release-42", "n": 1}}
        other = self.modern()
        repeats = [lambda server=server: self.call("tools/call", call, server=server)["taskId"] for server in (self.server, other) * 10]
        made = set(in_parallel(repeats))
        self.assertEqual((1, 1), (len(made), self.rows()))
        done = self.until(made.pop(), "completed")
        again = self.call("tools/call", {"name": "keyed", "arguments": {"n": 1, "idempotency_key": "release-42"}}, server=other)
        self.assertEqual((done["taskId"], "task", "completed"), (again["taskId"], again["resultType"], again["status"]))
        self.assertEqual([1], self.effects)

    def test_a_key_with_other_arguments_is_a_conflict_that_changes_nothing(self):
        task_id = self.start("keyed", idempotency_key="k", n=1)
        for other in ({"n": 2}, {}):
            with self.refused(code=-32602, saying="idempotency_key: this key belongs to a call with other arguments"):
                self.start("keyed", idempotency_key="k", **other)
        self.assertEqual((task_id, 1), (self.start("keyed", idempotency_key="k", n=1), self.rows()))

    def test_a_key_belongs_to_its_owner_and_its_tool_and_lives_as_long_as_its_task(self):
        clock = [1_000_000.0]
        table = TaskTable(self.folder / "keys.db", clock=lambda: clock[0])
        self.addCleanup(table.close)
        create = lambda who, tool, **more: table.create(("acme", who), tool, {"idempotency_key": "k", **more}, {}, {}).task_id
        first = create("ana", "audit")
        others = {create("bia", "audit", n=2), create("ana", "report", n=3), table.create(("acme", "ana"), "audit", {}, {}, {}).task_id}
        self.assertEqual((3, first), (len(others - {first}), create("ana", "audit")))
        table.request_cancel(first, ("acme", "ana"))
        clock[0] += 24 * 3600 - 1
        self.assertEqual(first, create("ana", "audit"))
        clock[0] += 1
        self.assertNotEqual(first, create("ana", "audit", n=4))

    def test_a_task_that_is_to_be_cancelled_asks_nobody(self):
        task_id = self.start("late")
        self.assertTrue(eventually(lambda: self.server.table.get(task_id, NOBODY).token))
        self.call("tasks/cancel", {"taskId": task_id})
        self.gate.set()
        self.assertEqual("cancelled", self.until(task_id, "cancelled", "input_required")["status"])

    def test_an_answer_that_comes_before_its_question_is_checked_against_it(self):
        for answer in ({"action": "accept", "content": {"name": 5}}, {"x": 1}, {}):
            with self.refused(code=-32602, saying="inputResponses.name"):
                self.call("tools/call", {"name": "hello", "inputResponses": {"name": answer}})

    def test_a_task_asks_whatever_was_said_before_it_asked(self):
        yes = {"action": "accept", "content": {"name": "eve"}}
        for more in ({}, {"requestState": None}):
            task_id = self.call("tools/call", {"name": "asks", "inputResponses": {"first": yes, "second": yes}, **more})["taskId"]
            self.assertEqual({"first", "second"}, set(self.until(task_id, "input_required", "completed").get("inputRequests", {})))

    def test_one_damaged_row_fails_and_stops_nobody(self):
        task_id = self.start("asks")
        self.until(task_id, "input_required")
        with self.assertLogs("lesson-13", "ERROR"):
            with self.server.table.transaction() as db:
                db.execute("UPDATE mcp_tasks SET arguments_json = '{\"fol', status = 'working' WHERE task_id = ?", (task_id,))
                enqueue(db, task_id)
            self.until(self.start(), "completed")
        self.assertEqual(-32603, self.until(task_id, "failed")["error"]["code"])

    def test_a_table_that_was_locked_for_long_costs_no_task(self):
        patience = unittest.mock.patch("lessons.sqlite_base.BUSY_TIMEOUT_S", 0.1)
        patience.start()
        self.addCleanup(patience.stop)
        server = Server2026(self.folder / "locked.db", tools=self.tools(), workers=1).start()
        self.addCleanup(server.stop)
        task_id = self.call("tools/call", {"name": "slow", "arguments": {"end": "wait"}}, server=server)["taskId"]
        self.assertTrue(eventually(lambda: self.get(task_id, server=server)["statusMessage"] == "half way"))
        other = sqlite3.connect(server.table.file, isolation_level=None)
        with self.assertLogs("lesson-13", "ERROR"):
            other.execute("BEGIN IMMEDIATE")
            time.sleep(0.6)
            other.execute("ROLLBACK")
            other.close()
            self.gate.set()
            self.assertTrue(eventually(lambda: self.get(task_id, server=server)["status"] == "completed"))

    def test_a_hang_up_stops_a_call_whether_it_is_streamed_or_not(self):
        for meta in ({}, {"progressToken": "p"}):
            self.effects.clear()
            body = {"name": "watch", "arguments": {}, "_meta": {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}, **meta}}
            sock = socket.create_connection(("127.0.0.1", port_of(self.server)))
            sock.sendall(http_post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": body}, "Accept: application/json, text/event-stream",
                                   "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: watch"))
            self.assertTrue(self.gate.wait(10))
            self.gate.clear()
            sock.close()
            self.assertTrue(eventually(lambda: self.effects == [True]), (meta, self.effects))

    def test_a_streamed_call_is_answered_whatever_the_tool_raises(self):
        with self.assertLogs("lesson-13", "ERROR"), self.refused(code=-32603):
            self.call("tools/call", {"name": "exits"}, progressToken="p")

    def test_progress_rises_and_its_token_is_a_text_or_a_number(self):
        for token in ({}, True, [], 1.5):
            with self.refused(code=-32602, saying="progressToken"):
                self.call("tools/call", {"name": "quick"}, progressToken=token)

    def test_cancelling_is_acknowledged_and_seen_between_steps(self):
        task_id = self.start(end="wait")
        eventually(lambda: self.get(task_id)["statusMessage"] == "half way")
        for _ in range(2):
            answer = self.call("tasks/cancel", {"taskId": task_id})
            self.assertEqual({"resultType"}, answer.keys() - {"_meta"})
        self.until(task_id, "cancelled")
        queued = [self.start(end="wait") for _ in range(4)][-1]
        self.call("tasks/cancel", {"taskId": queued})
        self.assertEqual("cancelled", self.get(queued)["status"])

    def test_a_posted_cancel_notification_cancels_nothing(self):
        task_id = self.start(end="wait")
        self.assertEqual(202, self.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "taskId": task_id}})[0])
        self.assertEqual(400, self.post({"jsonrpc": "2.0", "id": 1, "result": {}})[0])
        self.assertEqual("working", self.get(task_id)["status"])

    def test_get_and_delete_are_not_there_and_a_session_is_ignored(self):
        for verb in ("GET", "DELETE"):
            self.assertEqual(405, status_and_json(talk(self.server, f"{verb} /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()))[0])

    def test_expired_tasks_fail_visibly_and_then_go(self):
        later_s = [0.0]
        self.server.table._clock = lambda: time.time() + later_s[0]
        live, finished = self.start(end="wait"), self.start()
        self.until(finished, "completed")
        later_s[0] = 24 * 3600.0
        self.until(live, "failed")
        later_s[0] += 60
        self.assertTrue(eventually(lambda: self.rows() == 0))
        for method, more in (("tasks/get", {}), ("tasks/update", {"inputResponses": {}}), ("tasks/cancel", {})):
            with self.refused(code=-32602):
                self.call(method, {"taskId": live, **more})

    def test_the_tools_of_main_run_here_unchanged(self):
        server = self.modern(tools=main.TOOLS)
        (self.folder / "notes").mkdir()
        (self.folder / "notes" / "a.txt").write_text("one two three", encoding="utf-8")
        arguments = {"folder": str(self.folder / "notes"), "ask_title": True, "use_model": True}
        client = main.Client(server.url, wire=main.MODERN)
        task_id = client.call("tools/call", {"name": "generate_report", "arguments": arguments})["taskId"]
        for key, answer in (("report_title", {"action": "accept", "content": {"title": "Żółw"}}),
                            ("report_summary", main.toy_answer({"method": "sampling/createMessage"}))):
            self.assertTrue(eventually(lambda: key in client.call("tasks/get", {"taskId": task_id}).get("inputRequests", {})))
            client.call("tasks/update", {"taskId": task_id, "inputResponses": {key: answer}})
        self.assertTrue(eventually(lambda: client.call("tasks/get", {"taskId": task_id})["status"] == "completed"))
        facts = client.call("tasks/get", {"taskId": task_id})["result"]["structuredContent"]
        self.assertEqual(("Żółw", 3, "A sentence from the client's model."), (facts["title"], facts["words"], facts["summary"]))
        client.close()


class Input(ModernTest):
    def answer(self, task_id, **names):
        responses = {key: {"action": "accept", "content": {"name": name}} for key, name in names.items()}
        return self.call("tasks/update", {"taskId": task_id, "inputResponses": responses})

    def test_a_parked_task_holds_no_worker(self):
        parked = [self.start("asks") for _ in range(5)]
        for task_id in parked:
            self.until(task_id, "input_required")
        self.until(self.start(), "completed")

    def test_partial_unknown_and_repeated_answers(self):
        task_id = self.start("asks")
        self.assertEqual(["first", "second"], sorted(self.until(task_id, "input_required")["inputRequests"]))
        self.answer(task_id, nobody="x")
        self.answer(task_id, first="ana")
        self.answer(task_id, first="eve")
        self.assertEqual(["second"], list(self.get(task_id)["inputRequests"]))
        for bad in ({"second": {"action": "accept", "content": {"name": 7}}}, {"second": {"action": "perhaps"}}, {"second": 5}, [], None):
            with self.refused(code=-32602, saying="inputResponses"):
                self.call("tasks/update", {"taskId": task_id, "inputResponses": bad})
        in_parallel([lambda: self.answer(task_id, second="bea")] * 8)
        task = self.until(task_id, "completed")
        self.assertEqual(("ana bea", 2), (task["result"]["content"][0]["text"], task["result"]["structuredContent"]["runs"]))
        self.assertEqual(2, len(self.effects), "the effect and its remembered result, once each")
        self.assertRegex(self.effects[0], r"\Ajob_[0-9a-f]{32}:publish\Z")
        self.answer(task_id, second="late")
        self.assertEqual(task, self.get(task_id))

    def test_a_parked_task_is_cancelled_on_the_spot(self):
        task_id = self.start("asks")
        self.until(task_id, "input_required")
        self.call("tasks/cancel", {"taskId": task_id})
        self.assertEqual("cancelled", self.get(task_id)["status"])

    def test_what_was_not_declared_is_not_asked(self):
        only_tasks = {"extensions": {main.EXTENSION: {}}}
        task_id = self.call("tools/call", {"name": "asks"}, capabilities=only_tasks)["taskId"]
        self.assertEqual(-32021, self.until(task_id, "failed")["error"]["code"])
        with self.refused(code=-32021, http=400):
            self.call("tools/call", {"name": "hello"}, capabilities={})

    def test_a_call_asks_before_there_is_a_task_and_the_client_keeps_the_state(self):
        first = self.call("tools/call", {"name": "hello"})
        retry = {"name": "hello", "requestState": first["requestState"]}
        answer = {"name": {"action": "accept", "content": {"name": "ana"}}, "extra": {"action": "decline"}}
        other = self.modern()
        self.assertEqual("hello ana", self.call("tools/call", {**retry, "inputResponses": answer}, server=other)["content"][0]["text"])
        self.assertEqual("input_required", self.call("tools/call", {**retry, "inputResponses": {}})["resultType"])
        for bad in ({"requestState": first["requestState"][:-9] + "A" * 9}, {"requestState": "x"}, {"requestState": 7}, {"inputResponses": 7},
                    {"inputResponses": {"name": 7}}, {"arguments": {"n": 1}}):
            with self.subTest(bad), self.refused(code=-32602):
                self.call("tools/call", {**retry, "inputResponses": answer, **bad})
        self.assertEqual(0, self.rows())


class Streams(ModernTest):
    def listen(self, filters, capabilities=TASKS, server=None):
        """The messages of subscriptions/listen, as they come."""
        body = {"jsonrpc": "2.0", "id": "sub-1", "method": "subscriptions/listen", "params": {
            "notifications": filters, "_meta": {META + "protocolVersion": main.MODERN, META + "clientCapabilities": capabilities}}}
        sock = socket.create_connection(("127.0.0.1", port_of(server or self.server)), timeout=20)
        self.addCleanup(sock.close)
        sock.sendall(http_post(body, f"MCP-Protocol-Version: {main.MODERN}", "Mcp-Method: subscriptions/listen"))
        lines = sock.makefile("rb")
        self.addCleanup(lines.close)
        self.assertIn(b" 200 ", lines.readline())
        return (json.loads(event) for event in main.sse_events(lines))

    def test_it_is_acknowledged_first_then_tells_every_change_with_the_whole_task_and_ends(self):
        task_id = self.start(end="wait")
        stream = self.listen({"taskIds": [task_id, "task_" + "0" * 32]})
        first = next(stream)
        self.assertEqual(("notifications/subscriptions/acknowledged", {"taskIds": [task_id]}), (first["method"], first["params"]["notifications"]))
        self.gate.set()
        messages = list(stream)
        self.assertEqual({"sub-1"}, {(message.get("params") or message["result"])["_meta"][META + "subscriptionId"] for message in [first, *messages]})
        last = messages[-2]["params"]
        expected = {key: value for key, value in self.get(task_id).items() if key != "resultType"}
        self.assertEqual({key: value for key, value in expected.items() if key != "_meta"}, {key: value for key, value in last.items() if key != "_meta"})
        self.assertEqual(("sub-1", "complete"), (messages[-1]["id"], messages[-1]["result"]["resultType"]))

    def test_who_comes_late_learns_how_it_ended_and_nothing_wanted_ends_at_once(self):
        task_id = self.start()
        self.until(task_id, "completed")
        self.assertEqual(["completed"], [message["params"]["status"] for message in self.listen({"taskIds": [task_id]}) if message.get("method") == "notifications/tasks"])
        for filters in ({"taskIds": []}, {}, {"toolsListChanged": True}, {"taskIds": ["task_" + "1" * 32]}):
            self.assertEqual(2, len(list(self.listen(filters))))

    def test_another_instances_changes_are_told_too(self):
        task_id, other = self.start(end="wait"), self.modern()
        stream = self.listen({"taskIds": [task_id]}, server=other)
        next(stream)
        self.gate.set()
        self.assertEqual("completed", [message["params"]["status"] for message in stream if "params" in message][-1])

    def test_a_client_without_tasks_and_a_wrong_filter_are_refused(self):
        with self.refused(code=-32021, http=400):
            self.call("subscriptions/listen", {"notifications": {"taskIds": []}}, capabilities={})
        for filters in (None, [], {"taskIds": "x"}, {"taskIds": [7]}):
            with self.refused(code=-32602):
                self.call("subscriptions/listen", {"notifications": filters})

    def test_the_end_of_the_server_is_a_last_word(self):
        stream = self.listen({"taskIds": [self.start(end="wait")]})
        next(stream)
        self.server.methods.over.set()
        self.assertEqual("complete", list(stream)[-1]["result"]["resultType"])

    def test_streams_are_bounded_and_free_their_place(self):
        self.server.http.streams = threading.BoundedSemaphore(2)
        for _ in range(2):
            next(self.listen({"taskIds": [self.start(end="wait")]}))
        with self.refused(code=main.BUSY, http=503):
            self.call("subscriptions/listen", {"notifications": {"taskIds": []}})
        self.gate.set()
        self.assertTrue(eventually(lambda: self.server.http.streams._value == 2))

    def test_however_many_come_at_once_no_more_than_the_limit_get_a_stream(self):
        self.server.http.streams = threading.BoundedSemaphore(4)
        task_id = self.start(end="wait")

        def first():
            with contextlib.suppress(self.failureException):       # listen() insists on HTTP 200
                return next(self.listen({"taskIds": [task_id]}))["method"]
        self.assertEqual(4, in_parallel([first] * 20).count("notifications/subscriptions/acknowledged"))

    def test_progress_of_a_direct_call_comes_on_its_own_stream(self):
        tool = Tool2026("steps", "s", "s", ANY, "forbidden", lambda arguments, ctx: [ctx.progress(step, "at http://h/?token=S3CRET") for step in (0.0, 0.5, 1.0)] and main.text_result("done"))
        server = self.modern(tools={"steps": tool})
        passed = []
        client = main.Client(server.url, wire=main.MODERN, trace=lambda direction, message: passed.append(message))
        client.call("tools/call", {"name": "steps", "_meta": {"progressToken": 5}})
        client.close()
        progress = [message["params"] for message in passed if message.get("method") == "notifications/progress"]
        self.assertNotIn("S3CRET", json.dumps(progress))
        self.assertEqual([(5, 0.0), (5, 50.0), (5, 100.0)], [(one["progressToken"], one["progress"]) for one in progress])


class TheTable(LabTest):
    def setUp(self):
        super().setUp()
        self.table = TaskTable(self.folder / "t.db")
        self.addCleanup(self.table.close)

    def create(self):
        return self.table.create(NOBODY, "tool", {}, {}, {})

    def test_many_workers_claim_each_job_once(self):
        jobs = {self.create().task_id for _ in range(40)}
        taken = []

        def work():
            while job := self.table.claim("w", ["tool"]):
                taken.append(job.task_id)
        in_parallel([work] * 6)
        self.assertEqual((40, jobs), (len(taken), set(taken)))

    def test_a_worker_that_lost_its_job_changes_nothing(self):
        self.create()
        zombie = self.table.claim("w", ["tool"])
        for task_id, life in self.table.leases().items():
            self.table.take_back(task_id, life)
        heir = self.table.claim("v", ["tool"])
        self.assertGreater(heir.token, zombie.token)
        self.assertFalse(self.table.held(zombie, progress=50))
        self.assertFalse(self.table.finish(zombie, "completed", "", {"content": []}))
        self.assertFalse(self.table.park(zombie, {"k": {}}, {}))
        self.assertFalse(self.table.let_go(zombie))
        self.assertTrue(self.table.finish(heir, "completed", "", {"content": []}))
        self.assertFalse(self.table.finish(heir, "failed", "", error={}))
        self.assertEqual("completed", self.table.get(heir.task_id, NOBODY).status)

    def test_of_several_ends_of_a_task_one_is_let_through(self):
        for _ in range(60):
            task_id = self.create().task_id
            job = self.table.claim("w", ["tool"])
            ends = [lambda: self.table.finish(job, "completed", "", {"content": []}), lambda: self.table.finish(job, "failed", "", error={"code": 1, "message": ""}),
                    lambda: self.table.finish(job, "cancelled", ""), lambda: self.table.request_cancel(task_id, NOBODY)]
            self.assertEqual(1, sum(bool(won) for won in in_parallel(ends)))
            job = self.table.get(task_id, NOBODY)
            self.assertEqual(job.status == "completed", job.result is not None)

    def test_a_killed_instances_jobs_are_done_by_the_next(self):
        database = self.folder / "lab.db"
        process = self.spawn("serve", "--port", "0", "--wire", main.MODERN, "--db", str(database))
        client = self.client(process.stdout.readline().strip(), wire=main.MODERN)
        task_id = client.call("tools/call", {"name": "generate_report", "arguments": {"pace_ms": 1500}})["taskId"]
        process.kill()
        process.wait()
        process = self.spawn("serve", "--port", "0", "--wire", main.MODERN, "--db", str(database))
        client = self.client(process.stdout.readline().strip(), wire=main.MODERN)
        self.assertTrue(eventually(lambda: client.call("tasks/get", {"taskId": task_id})["status"] == "completed"))


class Auditing(unittest.TestCase):
    def test_a_url_that_is_none_is_a_finding_and_its_secrets_are_not_shown(self):
        for url in ("http://[::1", "http://x\u2100y/", "http://h:x/", "gopher://h/", "http://user:S3CRET@h/", "http://:S3CRET@h/?S3CRET", "http://S3CRET@/", ""):
            found = audit(url, address_to_dial)
            self.assertFalse(found["ok"], found)
            self.assertNotIn("S3CRET", json.dumps(found))

    def test_what_a_report_shows_of_a_url_is_no_secret_and_an_ordinary_path_is_whole(self):
        self.assertEqual("http://h/@user/p", shown_as("http://h/@user/p?token=S3CRET#x"))
        self.assertEqual("https://[::1]:80/a", shown_as("https://[::1]:80/a?S3CRET"))
        for url in ("http://ana:S3CRET@ex\u2100mple.com/", "http:/ana:S3CRET@h/", "https:ana:S3CRET@h/", "http://ana:S3?CRET@h/", "http://S3CRET:x@h/", "//S3CRET@h", "http://a:S3#CRET@h/"):
            self.assertNotRegex(json.dumps(audit(url, address_to_dial)), "S3|CRET", url)

    def test_a_path_with_letters_of_any_language_is_asked_for(self):
        seen = []
        with socket.create_server(("127.0.0.1", 0)) as listening, unittest.mock.patch("lessons.auditing.ALLOWED_NETWORKS", "127.0.0.1/8"):
            def answer():
                sock, _ = listening.accept()
                with sock:
                    seen.append(sock.recv(65536).split(b"\r\n")[0])
                    sock.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            thread = threading.Thread(target=answer)
            thread.start()
            self.assertTrue(audit(f"http://127.0.0.1:{listening.getsockname()[1]}/S\u00e3o/%20?q=\u017c", address_to_dial)["ok"])
            thread.join()
        self.assertEqual([b"HEAD /S%C3%A3o/%20?q=%C5%BC HTTP/1.1"], seen)

    def test_a_site_that_drips_is_given_up_as_a_whole(self):
        with socket.create_server(("127.0.0.1", 0)) as listening, unittest.mock.patch("lessons.auditing.WITHIN_S", 0.5), \
                unittest.mock.patch("lessons.auditing.ALLOWED_NETWORKS", "127.0.0.0/8"):
            def drip():
                sock, _ = listening.accept()
                with sock, contextlib.suppress(OSError):
                    for _ in range(200):
                        sock.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                        time.sleep(0.05)
            thread = threading.Thread(target=drip)
            thread.start()
            found = audit(f"http://127.0.0.1:{listening.getsockname()[1]}/", address_to_dial)
            self.assertTrue(thread.is_alive(), "it ended only because the site did")
            self.assertFalse(found["ok"], found)
            thread.join()


if __name__ == "__main__":
    unittest.main()
