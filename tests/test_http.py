"""The transport: every rule of HTTP and JSON-RPC, tried over real sockets with real bytes."""
from __future__ import annotations

import json
import random
import socket
import sys
import time
import unittest
import unittest.mock

import main
from tests.support import (LabTest, eventually, http_post, port_of, read_all, request, status_and_json, talk)

GOOD = request("ping")


class HttpTest(LabTest):
    """A bare JsonRpcServer with a few methods that need no tasks."""
    stream = None

    def setUp(self):
        super().setUp()
        self.called = []
        methods = {"ping": lambda params, request: {}, "echo": lambda params, request: params,
                   "note": lambda params, request: self.called.append(params) or {},
                   "wait": self.wait, "broken": lambda params, request: 1 / 0, "leave": lambda params, request: sys.exit(),
                   "bad": lambda params, request: {"x": {1}}, "refuse": self.refuse}
        self.server = main.JsonRpcServer(methods, stream=self.stream).start(poll_s=0.01)
        self.addCleanup(self.server.stop)

    def wait(self, params, request):
        self.called.append("waiting")
        eventually(request.gone)
        self.called.append("gone" if request.gone() else "still there")
        raise main.Cancelled

    def refuse(self, params, request):
        raise main.RpcError(-32099, "no", {"why": "because"}, http=418)

    def post(self, body, *headers, **options):
        return status_and_json(talk(self.server, http_post(body, *headers, **options)))

    def assertRefused(self, reply, status, code, saying=""):
        self.assertEqual((status, code), (reply[0], reply[1]["error"]["code"]), reply)
        self.assertIn(saying, reply[1]["error"]["message"])
        self.assertNotIn("Traceback", json.dumps(reply[1]))

    def assertStillServes(self):
        self.assertEqual((200, {"jsonrpc": "2.0", "id": 1, "result": {}}), self.post(GOOD))


class Messages(HttpTest):
    def test_an_answer_carries_the_id_it_was_asked_with(self):
        for message_id in (1, 0, -7, 2 ** 60, "", "a-1", "żółw"):
            self.assertEqual((200, message_id), (lambda status, body: (status, body["id"]))(*self.post(request("ping", None, message_id))))

    def test_what_is_no_json_is_a_parse_error(self):
        bad = [b"", b"{", b"nope", b'{"a":1}{"b":2}', b"\xef\xbb\xbf{}", b'{"x":"\x97"}', json.dumps(GOOD).encode("utf-16"),
               b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
               b'{"jsonrpc":"2.0","id":-Infinity,"method":"ping"}', b'{"id":' + b"1" * 5000 + b"}",
               b"[" * 100_000, b'{"a":' * 100_000, b'{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}']
        for body in bad:
            with self.subTest(body[:40]):
                reply = self.post(body)
                self.assertRefused(reply, 400, main.PARSE_ERROR)
                self.assertIsNone(reply[1]["id"])
        self.assertStillServes()

    def test_what_is_no_single_message_is_an_invalid_request(self):
        bad = [[GOOD, GOOD], [], "x", 42, None, True, {}, {**GOOD, "jsonrpc": "1.0"}, {**GOOD, "jsonrpc": 2.0},
               {"id": 1, "method": "ping"}, {**GOOD, "method": 7}, {**GOOD, "method": None}, {"jsonrpc": "2.0", "id": 1},
               {**GOOD, "id": None}, {**GOOD, "id": True}, {**GOOD, "id": 1.5}, {**GOOD, "id": []}, {**GOOD, "id": {}},
               {"jsonrpc": "2.0", "id": 1, "result": {}, "error": {}},
               request("echo", {"x": json.loads("[" * 70 + "]" * 70)})]
        for body in bad:
            with self.subTest(str(body)[:60]):
                self.assertRefused(self.post(body), 400, main.INVALID_REQUEST)
        self.assertRefused(self.post(b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"x":"\\ud800"}}'), 400,
                           main.INVALID_REQUEST, "surrogate")
        self.assertStillServes()

    def test_letters_outside_ascii_pass_through_whole(self):
        params = {"text": "Zażółć gęślą 报告 🐢", "pair": "\U0001f422"}
        self.assertEqual(params, self.post(request("echo", params))[1]["result"])
        body = b'{"jsonrpc":"2.0","id":1,"method":"echo","params":{"x":"\\ud83d\\udc22"}}'
        self.assertEqual({"x": "🐢"}, self.post(body)[1]["result"])

    def test_many_brackets_inside_a_string_are_not_nesting(self):
        self.assertEqual(200, self.post(request("echo", {"x": "[" * 5000}))[0])

    def test_a_response_is_refused_where_nothing_is_asked(self):
        self.assertRefused(self.post({"jsonrpc": "2.0", "id": 1, "result": {}}), 400, main.INVALID_REQUEST)

    def test_params_must_be_an_object(self):
        for params in ([], "x", None, 7):
            reply = self.post({**GOOD, "params": params})
            self.assertRefused(reply, 200, main.INVALID_PARAMS, "params")
            self.assertEqual(1, reply[1]["id"])

    def test_params_may_be_left_out(self):
        self.assertEqual(200, self.post({"jsonrpc": "2.0", "id": 1, "method": "ping"})[0])

    def test_an_unknown_method_is_404_with_the_id(self):
        reply = self.post(request("foo/bar", None, "x"))
        self.assertRefused(reply, 404, main.METHOD_NOT_FOUND, "foo/bar")
        self.assertEqual("x", reply[1]["id"])

    def test_a_notification_gets_202_and_no_body_and_runs_nothing(self):
        for method in ("notifications/initialized", "notifications/cancelled", "unknown", "note"):
            reply = talk(self.server, http_post({"jsonrpc": "2.0", "method": method, "params": {"requestId": 1}}))
            self.assertIn(b" 202 ", reply.split(b"\r\n")[0])
            self.assertIn(b"Content-Length: 0", reply)
            self.assertTrue(reply.endswith(b"\r\n\r\n"))
        self.assertEqual([], self.called)

    def test_a_fault_of_ours_shows_no_traceback(self):
        for method in ("broken", "bad", "leave"):
            with self.assertLogs("lesson-13", "ERROR"):
                reply = self.post(request(method))
            self.assertRefused(reply, 500, main.INTERNAL_ERROR)
            self.assertEqual(1, reply[1]["id"])
        self.assertStillServes()

    def test_a_method_chooses_its_error(self):
        self.assertEqual((418, {"code": -32099, "message": "no", "data": {"why": "because"}}),
                         (lambda status, body: (status, body["error"]))(*self.post(request("refuse"))))


class Doors(HttpTest):
    def test_only_post_on_the_endpoint(self):
        for verb in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS"):
            reply = talk(self.server, f"{verb} /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            self.assertRefused(status_and_json(reply), 405, main.INVALID_REQUEST, "POST")
            self.assertIn(b"Allow: POST\r\n", reply)
        for path in ("/", "/mcp/", "/other", "/MCP", "/../mcp", "*", "/mcp%00"):
            self.assertRefused(self.post(GOOD, path=path), 404, main.INVALID_REQUEST, "/mcp")

    def test_a_verb_that_nobody_knows_gets_an_answer_in_json(self):
        self.assertEqual(501, status_and_json(talk(self.server, b"BREW /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"))[0])

    def test_the_media_type_is_parsed_and_its_parameters_ignored(self):
        for kind in ("application/json", "application/json; charset=utf-8", "APPLICATION/JSON", " application/json ;x=y"):
            self.assertEqual(200, self.post(GOOD, f"Content-Type: {kind}")[0], kind)
        for kind in ("application/jsonx", "text/plain", "application/json-rpc", "application", "", "multipart/form-data"):
            self.assertRefused(self.post(GOOD, f"Content-Type: {kind}"), 415, main.INVALID_REQUEST, "application/json")

    def test_pages_from_elsewhere_are_refused_and_nothing_runs(self):
        for origin in ("http://evil.example", "null", "http://localhost.evil.example", "http://localhost:1@evil",
                       "http://evil.example#localhost", "file://", "", "localhost", "http://127.0.0.1.nip.io", "http://[::1",
                       "https://localhost:99999999", "ftp://localhost", "http://127.0.0.1:80/path"):
            self.assertRefused(self.post(request("note"), f"Origin: {origin}"), 403, main.INVALID_REQUEST, "Origin")
        self.assertEqual([], self.called)

    def test_local_pages_and_programs_are_welcome(self):
        for origin in ("http://localhost", "HTTP://LOCALHOST:8000", "https://127.0.0.1:5173", "http://[::1]:80"):
            self.assertEqual(200, self.post(GOOD, f"Origin: {origin}")[0], origin)
        self.assertStillServes()

    def test_an_allowed_origin_is_compared_whole(self):
        self.server.origins = ("https://lab.example",)
        self.assertEqual(200, self.post(GOOD, "Origin: https://lab.example")[0])
        self.assertEqual(403, self.post(GOOD, "Origin: https://lab.example.evil.example")[0])

    def test_another_host_name_is_refused(self):
        for host in ("evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1@evil.example", "[::2]", "127.0.0.2"):
            self.assertRefused(self.post(request("note"), host=host), 403, main.INVALID_REQUEST, "Host")
        for host in ("LOCALHOST", "127.0.0.1:1234", "[::1]:80"):
            self.assertEqual(200, self.post(GOOD, host=host)[0], host)
        self.assertRefused(self.post(request("note"), host=None), 400, main.INVALID_REQUEST, "Host")
        self.assertEqual([], self.called)

    def test_it_listens_on_this_machine_only(self):
        self.assertEqual("127.0.0.1", self.server.server_address[0])


class Framing(HttpTest):
    SMUGGLED = http_post(request("note", {"smuggled": True}))

    def assertOneAnswerThenClosed(self, data, status, saying=""):
        with socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10) as sock:
            sock.sendall(data)
            reply = read_all(sock, idle_s=5)
        self.assertRefused(status_and_json(reply), status, main.INVALID_REQUEST, saying)
        self.assertEqual(1, reply.count(b"HTTP/1.1 "), reply)
        self.assertIn(b"Connection: close", reply)
        self.assertEqual([], self.called)

    def test_a_refused_body_never_becomes_the_next_request(self):
        for header in ("Origin: http://evil.example", "Content-Type: text/plain"):
            refused = http_post(self.SMUGGLED, header)
            reply = talk(self.server, refused + http_post(GOOD))
            self.assertEqual(2, reply.count(b"HTTP/1.1 "), reply)
            self.assertIn(b"HTTP/1.1 200", reply)
        self.assertEqual([], self.called)

    def test_a_length_that_is_not_digits_is_refused(self):
        for length in ("-1", "+2", "1_0", "\xa02", "٥", "²", "abc", "0x10", "1e3", "2.0", "", "9" * 5000, "1,1", "2 2"):
            self.assertOneAnswerThenClosed(http_post(b"{}", length=length) + self.SMUGGLED, 400)

    def test_blanks_around_the_length_are_fine(self):
        body = json.dumps(GOOD).encode()
        self.assertEqual(200, self.post(body, length=f"  {len(body)}\t ")[0])

    def test_a_body_that_is_too_large_is_refused_before_it_is_read(self):
        self.assertOneAnswerThenClosed(http_post(b"x" * 1000, length=main.MAX_BODY + 1), 413, str(main.MAX_BODY))
        self.assertOneAnswerThenClosed(http_post(b"x" * 300_000, length=500_000_000), 413)

    def test_the_largest_body_is_taken(self):
        wrap = len(json.dumps(request("echo", {"x": ""})))
        body = json.dumps(request("echo", {"x": "a" * (main.MAX_BODY - wrap)})).encode()
        self.assertEqual(main.MAX_BODY, len(body))
        with socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10) as sock:
            sock.sendall(http_post(body))
            self.assertTrue(read_all(sock, 1).startswith(b"HTTP/1.1 200"))

    def test_a_chunked_body_is_refused(self):
        head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: %s\r\n"
        for name in (b"chunked", b"Chunked", b"identity", b"gzip, chunked", b"\x0bchunked"):
            self.assertOneAnswerThenClosed(head % name + b"\r\n2\r\n{}\r\n0\r\n\r\n", 411, "Content-Length")
        self.assertOneAnswerThenClosed(head % b"chunked" + b"Content-Length: 2\r\n\r\n2\r\n{}\r\n0\r\n\r\n", 400)
        self.assertOneAnswerThenClosed(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\r\n", 411)

    def test_an_endless_chunked_body_is_not_read_for_ever(self):
        with socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10) as sock:
            sock.sendall(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
            started = time.monotonic()
            with self.assertRaises(OSError):
                while time.monotonic() < started + 10:
                    sock.sendall(b"1\r\nx\r\n" * 100)
                    time.sleep(0.01)

    def test_a_malformed_header_line_is_refused_and_hides_nothing(self):
        for line in (b"Foo : 1", b"Foo", b": x", b"F\0o: x", b"Foo: a\rContent-Length: 5", b"Foo: a\0b", b"From evil",
                     b" folded", b"Foo: a\r\n folded", b"\x85Foo: 1"):
            for where in (b"", b"Host: localhost\r\n"):
                data = (b"POST /mcp HTTP/1.1\r\n" + where + line + b"\r\nHost: localhost\r\nOrigin: http://evil.example\r\n"
                        b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
                reply = talk(self.server, data)
                self.assertTrue(reply.startswith(b"HTTP/1.1 400"), (line, reply))
                self.assertIn(b"Connection: close", reply)

    def test_a_header_that_decides_is_given_once(self):
        for name in main.SINGLE_HEADERS:
            data = (f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{name}: 2\r\n"
                    f"{name.title()}: 2\r\nContent-Length: 2\r\n\r\n{{}}").encode()
            status, body = status_and_json(talk(self.server, data))
            self.assertEqual(400, status, name)
            self.assertIn(name, body["error"]["message"])

    def test_routing_headers_given_twice_are_a_header_mismatch(self):
        for name in ("Mcp-Method", "Mcp-Name", "MCP-Protocol-Version"):
            self.assertRefused(self.post(GOOD, f"{name}: a", f"{name}: b"), 400, main.HEADER_MISMATCH, name.lower())

    def test_what_http_server_itself_refuses_is_json_too(self):
        for data, status in ((b"nonsense\r\n\r\n", 400), (b"GET /mcp\r\n\r\n", 400), (b"GET  /mcp HTTP/1.1\r\n\r\n", 400), (b"GET /mcp HTTP/9.9\r\n\r\n", 505), (b"GET " + b"/" * 70_000, 414),
                             (b"GET /mcp HTTP/1.1\r\n" + b"a: b\r\n" * 200 + b"\r\n", 431),
                             (b"GET /mcp HTTP/1.1\r\na: " + b"b" * 70_000 + b"\r\n\r\n", 431)):
            with self.subTest(data[:30]):
                self.assertEqual(status, status_and_json(talk(self.server, data))[0])
        self.assertStillServes()

    def test_the_connection_is_kept_or_closed_as_the_client_wishes(self):
        for line, wish, kept in ((b"1.1", b"", True), (b"1.1", b"Connection: close\r\n", False), (b"1.0", b"", False),
                                 (b"1.0", b"Connection: Keep-Alive\r\n", True)):
            data = http_post(GOOD).replace(b"HTTP/1.1\r\n", b"HTTP/" + line + b"\r\n" + wish)
            self.assertEqual(2 if kept else 1, talk(self.server, data * 2).count(b"HTTP/1.1 200"), (line, wish))

    def test_a_client_that_waits_for_100_continue_gets_it(self):
        with socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10) as sock:
            head, _, body = http_post(GOOD, "Expect: 100-continue").partition(b"\r\n\r\n")
            sock.sendall(head + b"\r\n\r\n")
            self.assertEqual(b"HTTP/1.1 100 Continue\r\n\r\n", sock.recv(100))
            sock.sendall(body)
            self.assertTrue(sock.recv(1000).startswith(b"HTTP/1.1 200"))

    def test_many_requests_share_a_connection(self):
        replies = talk(self.server, http_post(GOOD) * 20)
        self.assertEqual(20, replies.count(b"HTTP/1.1 200"))

    def test_each_answer_is_one_packet_so_the_next_request_does_not_wait(self):
        with socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10) as sock:
            for _ in range(20):
                sock.sendall(http_post(request("echo", {"x": "a" * 3000})))
                first = sock.recv(65536)
                self.assertTrue(first.endswith(b"}"), "the head came without the body")


class SlowAndManyConnections(HttpTest):
    def connect(self, data=b""):
        sock = socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10)
        self.addCleanup(sock.close)
        sock.sendall(data)
        return sock

    def test_half_open_connections_do_not_keep_others_waiting(self):
        for data in (b"", b"POST /mcp HT", http_post(b"1234567", length=500_000)):
            for _ in range(20):
                self.connect(data)
        self.assertStillServes()

    def test_above_the_limit_the_longest_idle_one_makes_room(self):
        with unittest.mock.patch.object(main, "MAX_CONNECTIONS", 10):
            idle = [self.connect() for _ in range(10)]
            self.assertTrue(eventually(lambda: len(self.server.owing) == 10))
            for _ in range(5):
                self.assertStillServes()
            self.assertEqual(b"", idle[0].recv(1))

    def test_above_the_limit_of_busy_ones_the_answer_is_503(self):
        with unittest.mock.patch.object(main, "MAX_CONNECTIONS", 3):
            busy = [self.connect(http_post(request("wait"))) for _ in range(3)]
            self.assertTrue(eventually(lambda: self.called.count("waiting") == 3))
            turned_away = self.connect()                     # says nothing, so nothing unread can reset it
            self.assertTrue(read_all(turned_away, 10).startswith(b"HTTP/1.1 503"))
            for sock in busy:
                sock.close()
            self.assertTrue(eventually(lambda: self.called.count("gone") == 3 and not self.server.open))
            self.assertStillServes()

    def test_a_request_that_drips_in_has_a_deadline(self):
        with unittest.mock.patch.object(main, "PATIENCE_S", 0.3):
            sock = self.connect(http_post(b"", length=500_000))
            with self.assertRaises(OSError):
                for _ in range(300):
                    sock.sendall(b"x")
                    time.sleep(0.02)

    def test_an_idle_connection_is_closed_in_the_end(self):
        with unittest.mock.patch.object(main, "PATIENCE_S", 0.2):
            sock = self.connect(http_post(GOOD))
            read_all(sock, 0.05)
            sock.settimeout(10)
            self.assertEqual(b"", sock.recv(1))
        self.assertTrue(eventually(lambda: not self.server.open and not self.server.owing))

    def test_a_client_that_hangs_up_is_noticed_and_causes_no_noise(self):
        with self.assertNoLogs("lesson-13", "INFO"):
            sock = self.connect(http_post(request("wait")))
            self.assertTrue(eventually(lambda: self.called))
            sock.close()
            self.assertTrue(eventually(lambda: "gone" in self.called))
            self.connect(http_post(b"12", length=50)).close()
            self.connect(b"POST /mcp HTTP/1.1\r\nHo").close()
            for _ in range(20):
                self.connect(http_post(request("echo", {"x": "a" * 1_000_000}))).close()
            self.assertTrue(eventually(lambda: not self.server.open))
        self.assertStillServes()


class Streams(HttpTest):
    def stream(self, request):
        yield {"jsonrpc": "2.0", "method": "n", "params": {"text": "two\nlines \u2028 żółw"}}
        yield None
        if request.query.get("end"):
            return
        eventually(request.gone)
        self.called.append("stream over")

    def get(self, path="/mcp?end=1", *headers):
        return talk(self.server, "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode())

    def test_each_message_is_one_event_on_one_line(self):
        head, _, body = self.get().partition(b"\r\n\r\n")
        self.assertIn(b"Content-Type: text/event-stream", head)
        self.assertIn(b"X-Accel-Buffering: no", head)
        events = list(main.sse_events(body.splitlines(keepends=True)))
        self.assertEqual([{"text": "two\nlines \u2028 żółw"}], [json.loads(event)["params"] for event in events])
        self.assertNotIn(b"\nid:", body)
        self.assertIn(b": still here\n\n", body)

    def test_a_client_that_cannot_take_events_is_told(self):
        self.assertEqual(406, status_and_json(self.get("/mcp", "Accept: application/json"))[0])
        for accept in ("text/event-stream", "*/*", "application/json, text/event-stream;q=0.5", "text/*"):
            self.assertIn(b" 200 ", self.get("/mcp?end=1", f"Accept: {accept}").split(b"\r\n")[0])

    def test_other_verbs_learn_that_get_is_allowed(self):
        self.assertIn(b"Allow: GET, POST\r\n", talk(self.server, b"PUT /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"))

    def test_a_page_from_elsewhere_may_not_listen(self):
        self.assertEqual(403, status_and_json(self.get("/mcp", "Origin: http://evil.example"))[0])

    def test_the_end_of_a_listener_is_the_end_of_its_stream(self):
        sock = socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10)
        sock.sendall(b"GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n")
        read_all(sock)
        sock.close()
        self.assertTrue(eventually(lambda: "stream over" in self.called))


class EventGrammar(unittest.TestCase):
    def test_the_client_reads_what_the_grammar_allows(self):
        text = ": comment\ndata: a\r\ndata:b\ndata\n\nevent: x\nid: 7\ndata:  c\n\n\n\ndata: unfinished\n"
        self.assertEqual(["a\nb\n", " c"], list(main.sse_events(text.encode().splitlines(keepends=True))))


class Hammering(HttpTest):
    def test_random_damage_to_a_request_never_brings_a_traceback_or_a_hang(self):
        seed = 13
        chance = random.Random(seed)
        good = http_post(request("echo", {"x": [1, "żółw", None, {"y": 2.5}]}))
        with self.assertNoLogs("lesson-13", "ERROR"):
            for number in range(400):
                data = bytearray(good)
                for _ in range(chance.randint(1, 6)):
                    place = chance.randrange(len(data))
                    data[place:place + chance.randint(0, 3)] = bytes(chance.choices(range(256), k=chance.randint(0, 3)))
                with socket.create_connection(("127.0.0.1", port_of(self.server)), timeout=10) as sock:
                    sock.sendall(data)
                    sock.shutdown(socket.SHUT_WR)
                    reply = read_all(sock, 10)
                self.assertNotIn(b"Traceback", reply, (seed, number))
                self.assertNotIn(b"HTTP/1.1 500", reply, (seed, number, bytes(data)))
        self.assertStillServes()


if __name__ == "__main__":
    unittest.main()
