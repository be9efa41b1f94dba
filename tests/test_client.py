"""The client: polite polling, lost connections, both wires, and servers that misbehave."""
from __future__ import annotations

import io
import json
import threading
import time
import unittest
import unittest.mock
from http.server import BaseHTTPRequestHandler, HTTPServer

import main
from tests.support import LabTest, eventually


class ScriptedServer(HTTPServer):
    """Answers each POST with the next scripted result, and keeps what it was sent and when."""

    def __init__(self, results):
        self.results, self.seen = list(results), []
        super().__init__(("127.0.0.1", 0), ScriptedHandler)
        self.url = f"http://127.0.0.1:{self.server_port}/mcp"


class ScriptedHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((time.monotonic(), dict(self.headers), message))
        result = self.server.results.pop(0)
        if result is None:                       # hang up without a word
            self.close_connection = True
            return
        kind = "text/event-stream" if isinstance(result, list) else "application/json"
        replies = result if isinstance(result, list) else [{"jsonrpc": "2.0", "id": message["id"], "result": result}]
        body = "".join(f"data: {json.dumps(reply)}\n\n" for reply in replies) if isinstance(result, list) else json.dumps(replies[0])
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *arguments):
        pass


class ClientTest(LabTest):
    def scripted(self, *results):
        server = ScriptedServer(results)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        self.addCleanup(lambda: (server.shutdown(), thread.join(), server.server_close()))
        return server

    def status(self, state, **more):
        return {"taskId": "t", "state": state, "progress": 0.0, "statusMessage": "", **more}


class Polling(ClientTest):
    def test_it_waits_as_long_as_the_server_says(self):
        server = self.scripted(*[self.status("working", pollInterval=150)] * 3, self.status("completed"))
        self.client(server).wait("t")
        times = [when for when, _, _ in server.seen]
        self.assertEqual(4, len(times))
        self.assertTrue(all(later - earlier >= 0.15 for earlier, later in zip(times, times[1:])), times)

    def test_an_interval_of_zero_or_none_does_not_make_it_spin(self):
        server = self.scripted(*[self.status("working", pollInterval=0)] * 3, self.status("completed"))
        started = time.monotonic()
        self.client(server).wait("t")
        self.assertGreaterEqual(time.monotonic() - started, 0.15)

    def test_it_stops_when_it_is_asked_something_or_does_not_understand(self):
        for state in ("input_required", "completed", "failed", "cancelled", "paused"):
            server = self.scripted(self.status("working", pollInterval=1), self.status(state))
            self.assertEqual(state, self.client(server).wait("t")["state"])

    def test_it_gives_up_in_the_end_and_says_that_the_id_stays_good(self):
        server = self.scripted(*[self.status("working", pollInterval=50)] * 4)
        with self.assertRaisesRegex(TimeoutError, "its id stays good"):
            self.client(server).wait("t", polls=4)

    def test_a_lost_connection_loses_nothing(self):
        server = self.scripted(self.status("working", pollInterval=1), None, None, self.status("completed"), {"content": []})
        self.assertEqual({"content": []}, self.client(server).fetch("t"))
        self.assertEqual(["tasks/status"] * 4 + ["tasks/result"], [message["method"] for _, _, message in server.seen])
        self.assertEqual({"t"}, {message["params"]["taskId"] for _, _, message in server.seen})

    def test_nobody_there_is_an_error_in_the_end(self):
        client = self.client("http://127.0.0.1:9/mcp")
        client.sleep = lambda seconds: None
        with self.assertRaises(OSError):
            client.wait("t", polls=3)

    def test_a_task_that_asks_is_not_waited_for(self):
        server = self.scripted(self.status("input_required", inputRequests={"k": {}}))
        with self.refused(code=main.NOT_READY, saying="asks a question"):
            self.client(server).fetch("t")


class Connections(ClientTest):
    def test_requests_share_a_connection(self):
        server = self.serve()
        client = self.client(server)
        for _ in range(5):
            client.call("ping")
        self.assertEqual(1, len(server.http.open))

    def test_a_connection_that_the_server_has_closed_is_opened_again(self):
        server = self.serve()
        client = self.client(server)
        client.call("ping")
        for sock in list(server.http.open):
            server.http.hang_up(sock)
        self.assertTrue(eventually(lambda: not server.http.open))
        self.assertEqual({}, client.call("ping"))

    def test_a_lost_answer_is_an_error_and_the_next_call_works(self):
        server = self.scripted(None, {"fine": True})
        client = self.client(server)
        with self.assertRaises((OSError, main.http.client.HTTPException)):
            client.call("ping")
        self.assertEqual({"fine": True}, client.call("ping"))
        self.assertEqual(2, len(server.seen))

    def test_a_task_is_fetched_by_its_id_over_another_connection_after_the_first_was_lost(self):
        server = self.serve()
        first = self.client(server)
        task_id = first.start("generate_report", {"pace_ms": 200})
        first.close()
        self.assertEqual("completed", self.client(server).wait(task_id)["state"])

    def test_an_address_that_is_none_is_refused(self):
        for url in ("", "localhost:8013", "ftp://localhost/mcp", "http:///mcp", "https://localhost/mcp"):
            with self.assertRaisesRegex(ValueError, "is not a URL like"):
                main.Client(url)


class TheModernWire(ClientTest):
    def sent(self, method, params, *results):
        server = self.scripted(*results or [{"resultType": "complete"}])
        self.client(server, wire=main.MODERN, token="secret").call(method, params)
        return server.seen[0][1:]

    def test_each_request_describes_itself(self):
        headers, message = self.sent("tasks/get", {"taskId": "task_1", "_meta": {"traceparent": "x"}})
        self.assertEqual((main.MODERN, "tasks/get", "task_1", "Bearer secret"),
                         tuple(headers[name] for name in ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Authorization")))
        meta = message["params"]["_meta"]
        self.assertEqual(main.MODERN, meta["io.modelcontextprotocol/protocolVersion"])
        self.assertIn(main.EXTENSION, meta["io.modelcontextprotocol/clientCapabilities"]["extensions"])
        self.assertEqual("x", meta["traceparent"])

    def test_the_name_header_follows_the_method(self):
        for method, params, name in (("tools/call", {"name": "greet"}, "greet"), ("tools/call", {"name": "Załącznik"}, "=?base64?WmHFgsSFY3puaWs=?="),
                                     ("tools/call", {"name": " x"}, "=?base64?IHg=?="), ("tools/call", {"name": "=?base64?eA==?="}, "=?base64?PT9iYXNlNjQ/ZUE9PT89?="),
                                     ("tools/list", {}, None), ("server/discover", {}, None), ("tasks/cancel", {"taskId": "t"}, "t")):
            self.assertEqual(name, self.sent(method, params)[0].get("Mcp-Name"), method)

    def test_what_is_no_answer_is_said_to_be_none(self):
        for reply in ([5], [[1]]):
            with self.assertRaisesRegex(ValueError, "something else than a JSON object"):
                self.client(self.scripted(reply), wire=main.MODERN).call("ping")

    def test_a_meta_of_the_wrong_type_is_sent_as_it_is(self):
        self.assertEqual([], self.sent("tools/list", {"_meta": []})[1]["params"]["_meta"])

    def test_an_answer_may_come_as_a_stream(self):
        stream = [{"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}, {"jsonrpc": "2.0", "id": 1, "result": {"n": 1}}]
        server = self.scripted(stream)
        passed = []
        client = self.client(server, wire=main.MODERN, trace=lambda direction, message: passed.append(direction))
        self.assertEqual({"n": 1}, client.call("tools/call", {"name": "x"}))
        self.assertEqual(["send", "stream", "stream"], passed)

    def test_the_lesson_wire_has_none_of_this(self):
        server = self.scripted({})
        self.client(server, "me").call("ping")
        self.assertEqual({"jsonrpc": "2.0", "id": 1, "method": "ping"}, server.seen[0][2])
        self.assertEqual("me", server.seen[0][1]["Mcp-Session-Id"])
        self.assertNotIn("Mcp-Method", server.seen[0][1])


class Showing(unittest.TestCase):
    def test_a_terminal_gets_one_line_redrawn_and_others_get_lines(self):
        class Terminal(io.StringIO):
            isatty = lambda self: True
        for stream, environment, redrawn in ((Terminal(), {"TERM": "xterm"}, True), (Terminal(), {"TERM": "dumb"}, False),
                                             (Terminal(), {"NO_COLOR": "1"}, False), (io.StringIO(), {}, False)):
            with unittest.mock.patch.dict("os.environ", environment, clear=True):
                bar = main.Bar(stream)
                for progress, state in ((0.1, "working"), (0.55, "working"), (1.0, "completed")):
                    bar({"progress": progress, "state": state, "statusMessage": "x" * 200})
            self.assertEqual(redrawn, "\r" in stream.getvalue())
            self.assertEqual(1 if redrawn else 3, stream.getvalue().count("\n"))
            self.assertIn("[###########.........]  55%  working", stream.getvalue())
            self.assertTrue(all(len(line) <= 80 for line in stream.getvalue().replace("\r", "\n").split("\n")))

    def test_a_long_message_is_shortened_and_keeps_its_shape(self):
        message = {"jsonrpc": "2.0", "id": 1, "result": {"text": "x" * 100, "list": [1, 2, 3, 4], "nested": {"description": "gone"}}}
        self.assertEqual({"id": 1, "result": {"text": "x" * 43 + "...", "list": [1, 2, "+2"], "nested": {}}}, main.brief(message))


if __name__ == "__main__":
    unittest.main()
