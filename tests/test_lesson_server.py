"""The lesson dialect on the wire, tried with a real client and real processes."""
from __future__ import annotations

import contextlib
import socket
import threading
import time
import unittest
import unittest.mock

import main
from tests.support import AS_TASK, LabTest, eventually, http_post, port_of, read_all, request, status_and_json, talk


class LessonTest(LabTest):
    def setUp(self):
        super().setUp()
        (self.folder / "notes").mkdir()
        (self.folder / "notes" / "a.txt").write_text("one two three", encoding="utf-8")
        self.server = self.serve()
        self.me = self.client(self.server)

    def report(self, client=None, task=None, **arguments):
        """Starts a report on the small folder; the task's id."""
        return (client or self.me).start("generate_report", {"folder": str(self.folder / "notes"), **arguments}, **(task or {}))

    def slow(self, client=None, **more):
        return self.report(client, pace_ms=600_000, **more)

    def status(self, task_id, client=None):
        return (client or self.me).call("tasks/status", {"taskId": task_id})

    def finish(self, task_id, client=None):
        return (client or self.me).call("tasks/result", {"taskId": task_id, "waitMs": 20_000})

    def count(self):
        return len(list((self.folder / "tasks").glob("*.json")))


class OrdinaryClients(LessonTest):
    def test_a_client_of_2025_can_connect_and_call_a_quick_tool(self):
        body = request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}})
        head = talk(self.server, http_post(body))
        status, reply = status_and_json(head)
        self.assertEqual((200, "2025-06-18"), (status, reply["result"]["protocolVersion"]))
        self.assertRegex(head, rb"\r\nMcp-Session-Id: ses_[0-9a-f]{32}\r\n")
        self.assertEqual(202, status_and_json(talk(self.server, http_post({"jsonrpc": "2.0", "method": "notifications/initialized"})))[0])
        self.assertEqual({}, self.me.call("ping"))
        found = self.me.call("tools/call", {"name": "notes_search", "arguments": {"query": "two", "folder": str(self.folder / "notes")}})
        self.assertEqual("a.txt:1: one two three", found["content"][0]["text"])

    def test_an_unknown_version_is_answered_with_ours(self):
        self.assertEqual("2025-11-25", self.me.call("initialize", {"protocolVersion": "1900-01-01"})["protocolVersion"])

    def test_a_version_header_that_we_do_not_speak_is_refused_with_those_we_do(self):
        status, reply = status_and_json(talk(self.server, http_post(request("ping"), "MCP-Protocol-Version: 2026-07-28")))
        self.assertEqual((400, main.UNSUPPORTED_VERSION), (status, reply["error"]["code"]))
        self.assertEqual({"supported": list(main.PROTOCOLS), "requested": "2026-07-28"}, reply["error"]["data"])
        self.assertEqual(200, status_and_json(talk(self.server, http_post(request("ping"), "MCP-Protocol-Version: 2025-11-25")))[0])

    def test_each_tool_says_whether_it_may_be_a_task_in_both_places(self):
        tools = {tool["name"]: tool for tool in self.me.call("tools/list")["tools"]}
        self.assertEqual({"generate_report": "required", "notes_search": "forbidden", "checksum_folder": "optional"},
                         {name: tool["annotations"]["taskSupport"] for name, tool in tools.items()})
        for tool in tools.values():
            self.assertEqual(tool["annotations"]["taskSupport"], tool["execution"]["taskSupport"])
            self.assertEqual("object", tool["inputSchema"]["type"])
        with self.refused(code=main.INVALID_PARAMS, saying="cursor"):
            self.me.call("tools/list", {"cursor": "x"})

    def test_a_session_name_that_a_header_cannot_carry_is_refused(self):
        for bad in ("", "two words", "ż", "x" * 201):
            self.assertEqual(400, status_and_json(talk(self.server, http_post(request("ping"), f"Mcp-Session-Id: {bad}")))[0], bad)


class CallNow(LessonTest):
    def test_a_required_tool_is_refused_without_a_task_and_told_why(self):
        for params in ({}, {"_meta": {}}, {"_meta": {"task": {}}}, {"_meta": {"task": {"required": False}}}):
            with self.refused(code=main.INVALID_PARAMS, saying='set params._meta.task to {"required": true}'):
                self.me.call("tools/call", {"name": "generate_report", "arguments": {}, **params})

    def test_a_forbidden_tool_is_refused_as_a_task(self):
        with self.refused(code=main.INVALID_PARAMS, saying="taskSupport 'forbidden'"):
            self.me.start("notes_search", {"query": "x"})
        result = self.me.call("tools/call", {"name": "notes_search", "arguments": {"query": "x"}, "_meta": {"task": {"optional": True}}})
        self.assertIn("content", result)

    def test_an_optional_tool_does_as_it_is_asked(self):
        call = lambda **task: self.me.call("tools/call", {"name": "checksum_folder", "arguments": {"folder": str(self.folder / "notes")},
                                                          "_meta": {"task": task}})
        self.assertIn("content", call())
        self.assertIn("_meta", call(required=True))
        self.assertIn("content", call(optional=True))
        with unittest.mock.patch.object(main, "TASK_ABOVE_FILES", 0):
            self.assertIn("_meta", call(optional=True))
        self.assertEqual(2, self.count())

    def test_the_task_is_announced_with_its_id_its_state_and_its_ttl(self):
        task = self.me.call("tools/call", {"name": "generate_report", "arguments": {"pace_ms": 60_000}, **AS_TASK})["_meta"]["task"]
        self.assertRegex(task.pop("id"), r"\Atsk_[0-9a-f]{32}\Z")
        self.assertEqual({"state": "working", "ttl": 900_000}, task)

    def test_the_task_is_on_the_disk_before_its_id_is_told(self):
        order = []
        write, send = main.write_file, main.RpcHandler.send_body
        with unittest.mock.patch.object(main, "write_file", lambda *a, **k: (write(*a, **k), order.append("written"))), \
                unittest.mock.patch.object(main.RpcHandler, "send_body", lambda *a, **k: (order.append("told"), send(*a, **k))):
            self.slow()
        self.assertEqual(["written", "told"], order[:2])

    def test_a_client_may_ask_for_less_time_but_not_for_more(self):
        for asked, given in ((1, 1), (60_000, 60_000), (900_000, 900_000), (10 ** 12, 900_000)):
            task = self.me.call("tools/call", {"name": "generate_report", "arguments": {}, "_meta": {"task": {"required": True, "ttl": asked}}})
            self.assertEqual(given, task["_meta"]["task"]["ttl"])
        for bad in (0, -1, 1.5, "60", True, None):
            with self.refused(code=main.INVALID_PARAMS, saying="params._meta.task.ttl"):
                self.report(task={"ttl": bad})

    def test_a_call_that_is_refused_leaves_nothing_behind(self):
        bad = [{"name": "generate_report", "arguments": {"pace_ms": "slow"}}, {"name": "generate_report", "arguments": {"x": 1}},
               {"name": "generate_report", "arguments": []}, {"name": "generate_report", "arguments": None}, {"name": "nothing"},
               {"name": 5}, {}, {"name": "generate_report", "arguments": {"folder": ""}}, {"name": "generate_report", "arguments": {"folder": "a\0b"}},
               {"name": "generate_report", "arguments": {"pace_ms": -1}}, {"name": "generate_report", "arguments": {"pace_ms": 10 ** 9}},
               {"name": "generate_report", "arguments": {"pace_ms": 0.5}}, {"name": "generate_report", "arguments": {"pace_ms": True}}]
        for params in bad:
            with self.subTest(params), self.refused(code=main.INVALID_PARAMS, saying="params."):
                self.me.call("tools/call", {**AS_TASK, **params})
        self.assertEqual(0, self.count())

    def test_the_same_bad_argument_gets_the_same_answer_with_and_without_a_task(self):
        said = []
        for meta in ({}, AS_TASK):
            with self.assertRaises(main.RpcError) as caught:
                self.me.call("tools/call", {"name": "checksum_folder", "arguments": {"folder": 7}, **meta})
            said.append(caught.exception.body())
        self.assertEqual(said[0], said[1])

    def test_meta_of_the_wrong_type_is_named(self):
        for meta, field in (([], "params._meta"), ("x", "params._meta"), ({"task": []}, "params._meta.task"),
                            ({"task": {"required": "yes"}}, "params._meta.task.required"), ({"task": {"when": 1}}, "params._meta.task.when")):
            with self.subTest(meta), self.refused(code=main.INVALID_PARAMS, saying=field):
                self.me.call("tools/call", {"name": "generate_report", "arguments": {}, "_meta": meta})

    def test_a_client_that_hangs_up_stops_its_direct_call_and_not_its_task(self):
        began, left = threading.Event(), threading.Event()

        def run(arguments, ctx):
            began.set()
            try:
                while True:
                    ctx.progress(0.1)
                    time.sleep(0.002)
            finally:
                left.set()
        tool = main.Tool("t", "t", "t", {"type": "object"}, "optional", run)
        server = self.serve(self.folder / "other", tools={"t": tool})
        with socket.create_connection(("127.0.0.1", port_of(server)), timeout=10) as sock:
            sock.sendall(http_post(request("tools/call", {"name": "t"})))
            self.assertTrue(began.wait(10))
        self.assertTrue(left.wait(10))
        with socket.create_connection(("127.0.0.1", port_of(server)), timeout=10) as sock:
            sock.sendall(http_post(request("tools/call", {"name": "t", **AS_TASK})))
            task_id = status_and_json(read_all(sock))[1]["result"]["_meta"]["task"]["id"]
        self.assertEqual("working", self.client(server).call("tasks/status", {"taskId": task_id})["state"])


class FetchLater(LessonTest):
    def test_a_status_says_how_far_it_is_and_when_to_ask_again(self):
        status = self.status(self.slow())
        self.assertEqual({"taskId", "state", "progress", "statusMessage", "tool", "createdAt", "lastUpdatedAt", "ttl", "pollInterval"}, status.keys())
        self.assertEqual(("working", 500), (status["state"], status["pollInterval"]))
        self.assertRegex(status["createdAt"], r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")

    def test_a_result_that_is_not_there_yet_is_404_and_then_it_is_there_as_often_as_you_like(self):
        task_id = self.slow()
        with self.refused(code=main.NOT_READY, http=404, saying="not there yet"):
            self.me.call("tasks/result", {"taskId": task_id})
        done = self.report(title="Seven")
        results = [self.finish(done) for _ in range(3)]
        self.assertEqual("Seven", results[0]["structuredContent"]["title"])
        self.assertEqual([results[0]] * 3, results)

    def test_waiting_for_a_result_ends_with_it_or_with_the_time(self):
        with self.refused(code=main.NOT_READY, http=404):
            self.me.call("tasks/result", {"taskId": self.slow(), "waitMs": 30})
        self.assertEqual(1, self.finish(self.report(pace_ms=200))["structuredContent"]["files"])
        for bad in (-1, 1.5, "1", True, None, main.MAX_WAIT_MS + 1):
            with self.refused(code=main.INVALID_PARAMS, saying="waitMs"):
                self.me.call("tasks/result", {"taskId": self.slow(), "waitMs": bad})

    def test_an_id_that_never_was_and_one_of_a_wrong_type_are_told_apart(self):
        for method in ("tasks/status", "tasks/result", "tasks/cancel"):
            for task_id in ("tsk_" + "0" * 32, "", "../../etc/passwd", "..\\x", "%2e%2e", "x" * 100_000, "tsk_" + "0" * 32 + "\0"):
                with self.refused(code=main.INVALID_PARAMS, http=404, saying="no such task"):
                    self.me.call(method, {"taskId": task_id})
            for task_id in (None, 7, {}, [], True):
                with self.refused(code=main.INVALID_PARAMS, http=200, saying="params.taskId must be of type string"):
                    self.me.call(method, {"taskId": task_id})
        self.assertEqual(0, self.count())

    def test_somebody_elses_task_looks_like_none(self):
        sessions = {name: self.client(self.server, name) for name in ("", "A", "B")}
        tasks = {name: self.slow(client) for name, client in sessions.items()}
        for owner in sessions:
            for asker in sessions:
                for method in ("tasks/status", "tasks/result", "tasks/cancel"):
                    if owner == asker:
                        continue
                    said = []
                    for task_id in (tasks[owner], "tsk_" + "0" * 32):
                        with self.assertRaises(main.RpcError) as caught:
                            sessions[asker].call(method, {"taskId": task_id})
                        said.append((caught.exception.http, caught.exception.body()))
                    self.assertEqual(said[0], said[1])
        for name, client in sessions.items():
            self.assertEqual("working", self.status(tasks[name], client)["state"])

    def test_a_session_is_a_name_that_any_connection_may_carry(self):
        task_id = self.slow(self.client(self.server, "A"))
        self.assertEqual("working", self.status(task_id, self.client(self.server, "A"))["state"])

    def test_cancelling_is_the_same_however_often(self):
        task_id = self.slow()
        self.assertTrue(eventually(lambda: self.server.store.get(task_id).started))
        self.assertEqual({"taskId": task_id, "state": "working"}, self.me.call("tasks/cancel", {"taskId": task_id}))
        self.assertEqual("cancelled", self.me.wait(task_id)["state"])
        before = self.status(task_id)
        for _ in range(3):
            self.assertEqual({"taskId": task_id, "state": "cancelled"}, self.me.call("tasks/cancel", {"taskId": task_id}))
        self.assertEqual(before, self.status(task_id))
        with self.refused(code=main.STOPPED, http=200, saying="cancelled"):
            self.me.call("tasks/result", {"taskId": task_id})

    def test_cancelling_a_finished_task_keeps_its_result(self):
        task_id = self.report()
        result = self.finish(task_id)
        self.assertEqual("completed", self.me.call("tasks/cancel", {"taskId": task_id})["state"])
        self.assertEqual(result, self.finish(task_id))

    def test_a_posted_cancel_notification_cancels_nothing(self):
        task_id = self.slow()
        for params in ({"requestId": 1}, {"taskId": task_id}):
            self.assertEqual(202, self.me.post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})[0])
        self.assertFalse(self.server.store.get(task_id).cancel_requested)

    def test_the_list_is_the_sessions_own_in_pages(self):
        mine, other = self.client(self.server, "A"), self.client(self.server, "B")
        tasks = [self.report(mine) for _ in range(53)]
        self.report(other)
        first = mine.call("tasks/list")
        second = mine.call("tasks/list", {"cursor": first["nextCursor"]})
        self.assertEqual((50, 3), (len(first["tasks"]), len(second["tasks"])))
        self.assertEqual(set(tasks), {task["taskId"] for task in first["tasks"] + second["tasks"]})
        self.assertNotIn("nextCursor", second)
        self.assertEqual([], self.me.call("tasks/list")["tasks"])
        huge = [main.base64.b64encode(f"{number}/tsk_{'0' * 32}".encode()).decode() for number in ("9" * 30, "1_0", "٣", "-1")]
        for bad in ("", "x", 7, "MTIz", "żółw", [], "LTEvdHNrXw==", *huge):
            with self.refused(code=main.INVALID_PARAMS, saying="params.cursor"):
                mine.call("tasks/list", {"cursor": bad})

    def test_a_task_is_gone_after_its_ttl_for_every_method(self):
        task_id = self.report(task={"ttl": 400})
        self.finish(task_id)
        eventually(lambda: self.count() == 0)
        for method in ("tasks/status", "tasks/result", "tasks/cancel"):
            with self.refused(code=main.INVALID_PARAMS, http=404):
                self.me.call(method, {"taskId": task_id})

    def test_a_task_that_is_too_slow_for_its_ttl_fails_and_then_goes(self):
        with unittest.mock.patch.object(main, "EXPIRED_GRACE_MS", 600):
            task_id = self.slow(task={"ttl": 200})
            self.assertTrue(eventually(lambda: self.status(task_id)["state"] == "failed"))
            self.assertIn("EXPIRED", self.status(task_id)["error"]["message"])
            with self.refused(code=main.INTERNAL_ERROR, http=200, saying="EXPIRED"):
                self.me.call("tasks/result", {"taskId": task_id})
            self.assertTrue(eventually(lambda: self.count() == 0))


class FullDisk(LessonTest):
    def test_creation_is_refused_clearly_and_earlier_results_stay(self):
        done = self.report()
        result = self.finish(done)
        with unittest.mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")):
            with self.refused(code=main.INTERNAL_ERROR, http=500, saying="No space left on device"):
                self.report()
            self.assertEqual(result, self.finish(done))
        self.assertEqual(1, self.count())
        self.finish(self.report())

    def test_a_result_that_finds_no_room_waits_for_it(self):
        task_id = self.report(pace_ms=300)
        with unittest.mock.patch("os.fsync", side_effect=OSError(28, "No space left on device")), self.assertLogs("lesson-13", "ERROR") as logged:
            self.assertTrue(eventually(lambda: logged.records))
            self.assertEqual("working", self.status(task_id)["state"])
        self.assertEqual(1, self.finish(task_id)["structuredContent"]["files"])


class TheStream(LessonTest):
    def follow(self, *task_ids, client=None):
        """Everything the stream says until it ends."""
        return list((client or self.me).listen(*task_ids))

    def states(self, messages):
        states = [message["params"]["state"] for message in messages if message.get("method") == "notifications/tasks/updated"]
        return [state for position, state in enumerate(states) if position == 0 or state != states[position - 1]]

    def test_a_listener_sees_every_state_and_the_stream_ends_with_the_task(self):
        messages = self.follow(self.report(pace_ms=100))
        self.assertEqual(["working", "completed"], self.states(messages))
        self.assertTrue(all("id" not in message for message in messages))
        progress = [message["params"]["progress"] for message in messages]
        self.assertEqual(sorted(progress), progress)

    def test_who_comes_late_learns_how_it_ended(self):
        task_id = self.report()
        self.finish(task_id)
        messages = self.follow(task_id)
        self.assertEqual(["completed"], self.states(messages))
        self.assertEqual(self.status(task_id), messages[0]["params"])

    def test_a_question_comes_over_the_stream_and_is_answered_by_post(self):
        task_id = self.report(ask_title=True)
        states = []
        for message in self.me.listen(task_id):
            if message["method"] == "elicitation/create":
                self.assertEqual("input_required", self.status(task_id)["state"])
                self.assertEqual(["report_title"], list(self.status(task_id)["inputRequests"]))
                self.me.answer(message, {"action": "accept", "content": {"title": "Żółw"}})
            else:
                states.append(message)
        self.assertEqual(["input_required", "working", "completed"], self.states(states)[-3:])
        self.assertEqual("Żółw", self.finish(task_id)["structuredContent"]["title"])

    def test_a_listener_that_comes_after_the_question_is_asked_too(self):
        task_id = self.report(ask_title=True)
        eventually(lambda: self.status(task_id)["state"] == "input_required")
        for _ in range(2):
            with contextlib.closing(self.me.listen(task_id)) as stream:
                asked = [next(stream) for _ in range(2)][1]
            self.assertEqual("elicitation/create", asked["method"])
        self.me.answer(asked, {"action": "decline"})
        self.assertEqual("Report", self.finish(task_id)["structuredContent"]["title"])

    def test_a_model_is_asked_while_the_task_works(self):
        task_id = self.report(use_model=True)
        for message in self.me.listen(task_id):
            if "id" in message:
                self.assertEqual("sampling/createMessage", message["method"])
                self.assertEqual("working", self.status(task_id)["state"])
                for bad in ("hi", 5, None, ["a"], {"type": "text", "text": 5}, {}):
                    with self.refused(code=main.INVALID_PARAMS, saying="result.content"):
                        self.me.answer(message, {**main.toy_answer(message), "content": bad})
                self.me.answer(message, main.toy_answer(message))
        self.assertEqual("A sentence from the client's model.", self.finish(task_id)["structuredContent"]["summary"])

    def test_an_answer_of_the_wrong_shape_is_refused_and_the_task_goes_on_waiting(self):
        task_id = self.report(ask_title=True)
        eventually(lambda: self.status(task_id)["state"] == "input_required")
        question = {"id": f"{task_id}/report_title"}
        for bad in ({}, {"action": "maybe"}, {"action": "accept"}, {"action": "accept", "content": {}}, {"action": 7}, [], "x",
                    {"action": "accept", "content": {"title": 7}}, {"action": "accept", "content": {"title": ""}}):
            with self.subTest(bad), self.refused(code=main.INVALID_PARAMS, saying="result"):
                self.me.answer(question, bad)
        self.assertEqual("input_required", self.status(task_id)["state"])
        self.me.answer(question, {"action": "accept", "content": {"title": "Right"}})
        self.me.answer(question, {"action": "accept", "content": {"title": "Again"}})
        self.assertEqual("Right", self.finish(task_id)["structuredContent"]["title"])

    def test_an_answer_to_nothing_is_refused(self):
        task_id = self.report(ask_title=True)
        eventually(lambda: self.status(task_id)["state"] == "input_required")
        for question in (f"{task_id}/other", "tsk_" + "0" * 32 + "/report_title", "x", 7, task_id):
            with self.refused(code=main.INVALID_REQUEST, http=400, saying="no task has asked"):
                self.me.answer({"id": question}, {"action": "decline"})
        with self.refused(code=main.INVALID_REQUEST, http=400):
            self.client(self.server, "B").answer({"id": f"{task_id}/report_title"}, {"action": "decline"})
        self.assertEqual("input_required", self.status(task_id)["state"])

    def test_a_client_may_answer_with_an_error(self):
        task_id = self.report(ask_title=True)
        eventually(lambda: self.status(task_id)["state"] == "input_required")
        message = {"jsonrpc": "2.0", "id": f"{task_id}/report_title", "error": {"code": -1, "message": "nobody is here"}}
        self.assertEqual(202, self.me.post(message)[0])
        self.assertIn("nobody is here", self.finish(task_id)["content"][0]["text"])

    def test_each_listener_hears_its_own_session_and_what_it_asked_for(self):
        others = self.client(self.server, "B")
        first, second, foreign = self.slow(), self.slow(), self.slow(others)
        heard = {}

        def listen(name, client, *task_ids):
            stream = client.listen(*task_ids)
            heard[name] = set()
            ready.release()
            with contextlib.suppress(OSError, main.http.client.HTTPException):
                for message in stream:
                    heard[name].add(message["params"]["taskId"])
        ready = threading.Semaphore(0)
        threads = [threading.Thread(target=listen, args=arguments) for arguments in (
            ("all mine", self.me), ("the first", self.me, first), ("two", self.me, first, second), ("theirs", others))]
        for thread in threads:
            thread.start()
        self.assertTrue(eventually(lambda: len(self.server.methods._listeners) == 4))
        for client, task_id in ((self.me, first), (self.me, second), (others, foreign)):
            client.call("tasks/cancel", {"taskId": task_id})
            client.wait(task_id)
        expected = {"all mine": {first, second}, "the first": {first}, "two": {first, second}, "theirs": {foreign}}
        self.assertTrue(eventually(lambda: heard == expected), heard)
        self.server.methods.close()
        for thread in threads:
            thread.join()

    def test_what_one_may_not_or_cannot_listen_to_is_refused_alike(self):
        foreign = self.slow(self.client(self.server, "B"))
        said = []
        for task_id in (foreign, "tsk_" + "0" * 32):
            with self.refused(code=main.INVALID_PARAMS, http=404) as caught:
                self.follow(task_id)
            said.append(caught.exception.body())
        self.assertEqual(said[0], said[1])
        reply = talk(self.server, b"GET /mcp?task=x HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertEqual((400, "?task= is not known here; known is ?taskId="), (lambda status, body: (status, body["error"]["message"]))(*status_and_json(reply)))

    def test_a_listener_that_never_reads_slows_nobody(self):
        deaf = socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10)
        self.addCleanup(deaf.close)
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        deaf.sendall(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
        self.assertTrue(eventually(lambda: self.server.methods._listeners))
        started = time.monotonic()
        for _ in range(100):
            self.finish(self.report())
        self.assertEqual(["completed"], self.states(self.follow(self.report()))[-1:])
        self.assertLess(time.monotonic() - started, main.PATIENCE_S / 2)

    def test_a_listener_that_never_reads_is_let_go_in_the_end(self):
        with unittest.mock.patch.object(main, "PATIENCE_S", 0.3), \
                socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10) as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            deaf.sendall(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
            self.assertTrue(eventually(lambda: self.server.methods._listeners))
            task = self.server.store.get(self.slow())
            flood = (main.replace(task, message="x" * 100_000, revision=number) for number in range(2, 10 ** 6))
            self.assertTrue(eventually(lambda: self.server.methods._publish(next(flood)) or not self.server.methods._listeners))

    def test_a_listener_that_falls_too_far_behind_is_let_go(self):
        listener = main.Listener("", set())
        task = self.server.store.get(self.slow())
        for number in range(main.MAX_PENDING + 1):
            listener.put(main.replace(task, id=f"tsk_{number:032x}"))
        self.assertEqual([], list(listener.messages()))

    def test_progress_that_nobody_has_read_yet_is_replaced_by_newer(self):
        listener = main.Listener("", set())
        task = self.server.store.get(self.slow())
        for number in range(2, 5000):
            listener.put(main.replace(task, revision=number, progress=number / 5000))
        self.assertEqual(1, len(listener._pending))
        self.assertEqual(1.0, next(listener.messages())["params"]["progress"])

    def test_what_waits_to_be_read_keeps_the_order_of_the_states(self):
        listener = main.Listener("", set())
        task = self.server.store.get(self.slow())
        for revision, state in ((2, "working"), (3, "input_required"), (4, "working")):
            listener.put(main.replace(task, revision=revision, state=state))
        stream = listener.messages()
        self.assertEqual(["input_required", "working"], [next(stream)["params"]["state"] for _ in range(2)])

    def test_an_older_word_never_follows_a_newer_one(self):
        listener = main.Listener("", set())
        task = self.server.store.get(self.slow())
        listener.put(main.replace(task, revision=9, state="completed"))
        listener.put(main.replace(task, revision=8))
        stream = listener.messages()
        self.assertEqual("completed", next(stream)["params"]["state"])
        listener.close()
        self.assertEqual([], list(stream))

    def test_too_many_streams_are_refused_and_polling_goes_on(self):
        self.server.http.streams = threading.BoundedSemaphore(2)
        streams = [self.me.listen(self.slow()) for _ in range(2)]
        for stream in streams:
            next(stream)
        with self.refused(code=main.BUSY, http=503, saying="poll"):
            self.follow()
        for stream in streams:
            stream.close()

    def test_a_question_is_heard_however_many_tasks_there_are(self):
        with unittest.mock.patch.object(main.os, "fsync"):
            for _ in range(55):
                self.finish(self.report())
        task_id = self.report(ask_title=True)
        with contextlib.closing(self.me.listen()) as stream:
            asked = next(message for message in stream if "id" in message)
        self.assertEqual(f"{task_id}/report_title", asked["id"])

    def test_connections_that_break_before_a_stream_begins_cost_no_place(self):
        for _ in range(80):
            sock = socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            sock.sendall(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
            sock.close()
        self.assertTrue(eventually(lambda: not self.server.http.open and not self.server.methods._listeners))
        self.assertEqual(main.MAX_STREAMS, self.server.http.streams._value)
        self.follow(self.report())

    def test_listeners_that_come_and_go_leave_no_trace(self):
        for _ in range(3):
            for _ in range(20):
                with contextlib.closing(self.me.listen(self.slow())) as stream:
                    next(stream)
            self.assertTrue(eventually(lambda: not self.server.methods._listeners))

    def test_silence_is_filled_with_comments(self):
        with unittest.mock.patch.object(main, "KEEP_ALIVE_S", 0.05):
            with socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10) as sock:
                sock.sendall(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
                received = b""
                while received.count(b": still here\n\n") < 2:
                    piece = sock.recv(65536)
                    self.assertTrue(piece, received)
                    received += piece


class KilledServers(LessonTest):
    def test_a_kill_fails_what_ran_and_keeps_what_was_finished(self):
        process, url = self.spawn_server("--workers", "2")
        client = self.client(url, "me")
        done = self.report(client, title="Kept")
        result = self.finish(done, client)
        asking = self.report(client, ask_title=True)
        eventually(lambda: self.status(asking, client)["state"] == "input_required")
        running, queued = self.slow(client), self.slow(client)
        process.kill()
        process.wait()
        process, url = self.spawn_server()
        client = self.client(url, "me")
        for task_id in (running, queued, asking):
            status = self.status(task_id, client)
            self.assertEqual(("failed", "CRASH_RECOVERY"), (status["state"], status["error"]["data"]["reason"]))
            with self.refused(code=main.INTERNAL_ERROR, http=200, saying="CRASH_RECOVERY"):
                client.call("tasks/result", {"taskId": task_id})
        self.assertEqual(result, self.finish(done, client))
        self.assertEqual("failed", client.call("tasks/cancel", {"taskId": running})["state"])

    def test_two_servers_share_a_folder(self):
        (first, url1), (second, url2) = self.spawn_server(), self.spawn_server()
        here, there = self.client(url1, "me"), self.client(url2, "me")
        running, cancelled, done = self.slow(here), self.slow(here), self.report(here)
        asking = self.report(here, ask_title=True)
        eventually(lambda: self.status(asking, there)["state"] == "input_required")
        with self.refused(code=main.BUSY, http=503, saying="another server"):
            there.answer({"id": f"{asking}/report_title"}, {"action": "decline"})
        self.assertEqual("input_required", self.status(asking, here)["state"])
        here.answer({"id": f"{asking}/report_title"}, {"action": "decline"})
        self.assertEqual("completed", list(there.listen(asking))[-1]["params"]["state"])
        self.finish(done, there)
        self.assertEqual("working", self.status(running, there)["state"])
        self.assertTrue(eventually(lambda: self.status(cancelled, here)["statusMessage"] != "waiting for a free worker"))
        self.assertEqual("working", there.call("tasks/cancel", {"taskId": cancelled})["state"])
        self.assertTrue(eventually(lambda: self.status(cancelled, here)["state"] == "cancelled"))
        self.assertEqual({running, cancelled, done, asking}, {task["taskId"] for task in there.call("tasks/list")["tasks"]})
        first.kill()
        first.wait()
        self.assertEqual("failed", self.status(running, there)["state"])
        self.assertEqual("completed", self.status(done, there)["state"])


if __name__ == "__main__":
    unittest.main()
