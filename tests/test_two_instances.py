"""The second tour, its gateway and its publisher."""
from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import unittest
import unittest.mock
import urllib.request

import main
from lessons import auditing
from lessons.authorization import issue, make_authority
from lessons.ex11_owners_and_scopes.checks import raw
from lessons.gateway import Gateway
from lessons.publisher import Publisher
from lessons.server_2026 import Server2026
from lessons.store_contract import in_parallel
from tests.support import LabTest, eventually, http_post, request, status_and_json, talk

SEEDS = {1: "after 5 of 8 URLs", 5: "while it hands the report over", 7: "while the person thinks"}


class TheTour(LabTest):
    def test_at_each_moment_one_instance_dies_and_one_report_is_published(self):
        tours = in_parallel([lambda seed=seed: self.run_main("two-instances", "--seed", str(seed), timeout=90) for seed in SEEDS])
        for (seed, moment), done in zip(SEEDS.items(), tours):
            with self.subTest(seed):
                self.assertEqual((0, ""), (done.returncode, done.stderr), done.stdout)
                told = done.stdout
                self.assertIn(moment, told)
                times = [float(found) for found in re.findall(r"^ +(\d+\.\d\d) s  ", told, re.M)]
                self.assertEqual((sorted(times), 1), (times, told.count("KILLED")))
                ids = set(re.findall(r"-> (task_\w+)", told))
                self.assertEqual(1, len(ids), "the call that was repeated has one task")
                for part in ("bob", "-32602", "yes, publish it", "holds 1 report", "publicado", "1 task, completed, 1 report"):
                    self.assertIn(part, told)
                self.assertLess(times[-1], 30)
                self.assertNotIn("\x1b", told)
        self.assertIn("handed over 2 times", tours[1].stdout, "killed between the report and its receipt")
        self.assertIn("token 2", tours[0].stdout, "another worker has gone on")


class TheGateway(LabTest):
    def setUp(self):
        super().setUp()
        self.gateway = Gateway().start()
        self.addCleanup(self.gateway.stop)
        self.authority = make_authority(self.folder / "auth.json", self.gateway.url)
        self.gateway.publish_metadata(self.authority)
        self.servers = [Server2026(self.folder / "tasks.db", authority=self.authority).start() for _ in range(2)]
        for server in self.servers:
            self.addCleanup(server.stop)
        self.gateway.instances = [server.url for server in self.servers]
        self.token = issue(self.authority, main.time.time(), "ana")

    def call(self, method, params=None):
        client = main.Client(self.gateway.url, wire=main.MODERN, token=self.token)
        try:
            return client.call(method, params)
        finally:
            client.close()

    def answered(self):
        return [sum(server.observer._requests.values()) for server in self.servers]

    def test_requests_go_round_and_a_task_is_found_on_either_side(self):
        task_id = self.call("tools/call", {"name": "generate_report", "arguments": {"folder": str(self.folder)}})["taskId"]
        self.assertTrue(eventually(lambda: self.call("tasks/get", {"taskId": task_id})["status"] == "completed"))
        self.assertEqual(1, len({str(self.call("tasks/get", {"taskId": task_id})) for _ in range(4)}))
        self.assertGreater(min(self.answered()), 1)

    def test_headers_that_contradict_the_body_go_no_further(self):
        for headers in (("Mcp-Method: tools/call",), ("Mcp-Method: tasks/get",), ("MCP-Protocol-Version: 2025-11-25", "Mcp-Method: tools/list")):
            message = main.Client("http://127.0.0.1:1/mcp", wire=main.MODERN).frame(request("tools/list"))
            version = () if "MCP-Protocol-Version" in headers[0] else (f"MCP-Protocol-Version: {main.MODERN}",)
            status, body = status_and_json(talk(self.gateway, http_post(message, *version, *headers)))
            self.assertEqual((400, main.HEADER_MISMATCH), (status, body["error"]["code"]))
        evil = http_post(request("tools/list"), "Origin: http://evil.example")
        self.assertEqual(403, status_and_json(talk(self.gateway, evil))[0])
        self.assertEqual([0, 0], self.answered())

    def test_the_instance_decides_who_may_ask_and_its_challenge_comes_through(self):
        status, header, _ = raw(self.gateway, "", "tools/list", {})
        self.assertEqual(401, status)
        place = re.search('resource_metadata="([^"]*)"', header)[1]
        with urllib.request.urlopen(place, timeout=5) as response:
            self.assertEqual(self.gateway.url, json.loads(response.read())["resource"])

    def test_a_dead_instance_is_passed_over_and_none_at_all_is_said(self):
        self.servers[0].http.stop()
        for _ in range(4):
            self.call("tools/list")
        self.gateway.instances = []
        with self.refused(http=503, saying="no instance answers"):
            self.call("tools/list")

    def test_a_call_that_may_have_arrived_is_not_repeated_and_a_poll_is(self):
        arrived = []
        with socket.create_server(("127.0.0.1", 0)) as listening:
            def swallow():
                for _ in range(2):
                    sock, _ = listening.accept()
                    with sock:
                        arrived.append(sock.recv(65536))
            thread = threading.Thread(target=swallow)
            thread.start()
            broken = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
            for method, params, refused in (("tools/call", {"name": "generate_report", "arguments": {}}, True), ("tools/list", {}, False)):
                self.gateway.instances = [broken, self.servers[1].url]
                self.gateway._turn = iter([0])
                if refused:
                    with self.refused(http=502, saying="idempotency key"):
                        self.call(method, params)
                    self.assertEqual([0, 0], self.answered())
                else:
                    self.assertTrue(self.call(method, params)["tools"])
            thread.join()
        self.assertEqual(2, len(arrived))

    def test_a_stream_comes_through(self):
        task_id = self.call("tools/call", {"name": "generate_report", "arguments": {"folder": str(self.folder), "pace_ms": 300}})["taskId"]
        _, _, body = raw(self.gateway, self.token, "subscriptions/listen", {"notifications": {"taskIds": [task_id]}})
        events = [json.loads(event) for event in main.sse_events(body.splitlines(keepends=True))]
        self.assertEqual("completed", events[-2]["params"]["status"])


    def test_a_listener_who_has_gone_frees_its_place_here_and_there(self):
        task_id = self.call("tools/call", {"name": "generate_report", "arguments": {"pace_ms": 60_000, "folder": str(self.folder)}})["taskId"]
        message = main.Client("http://127.0.0.1:1/mcp", wire=main.MODERN).frame(request("subscriptions/listen", {"notifications": {"taskIds": [task_id]}}))
        data = http_post(message, f"MCP-Protocol-Version: {main.MODERN}", "Mcp-Method: subscriptions/listen", f"Authorization: Bearer {self.token}")
        with unittest.mock.patch("main.KEEP_ALIVE_S", 0.2):
            sockets = [socket.create_connection(("127.0.0.1", self.gateway.server_port)) for _ in range(5)]
            for sock in sockets:
                sock.sendall(data)
                sock.recv(100)
            for sock in sockets:
                sock.close()
            free = lambda: [http.streams._value for http in (self.gateway, *(server.http for server in self.servers))]
            self.assertTrue(eventually(lambda: free() == [main.MAX_STREAMS] * 3), free())


class ThePublisher(LabTest):
    def setUp(self):
        super().setUp()
        self.now_s = [1_000.0]
        self.publisher = Publisher(self.folder / "p.db", clock=lambda: self.now_s[0], retention_s=60).start()
        self.addCleanup(self.publisher.stop)

    def post(self, body, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.publisher.server_port, timeout=5)
        connection.request("POST", "/reports", body, {name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        answer = json.loads(response.read())
        connection.close()
        return response.status, answer

    def test_one_key_is_one_report_however_often_and_from_however_many(self):
        first = self.post("{}", Idempotency_Key="job_1")
        self.assertEqual(201, first[0])
        again = in_parallel([lambda: self.post("{}", Idempotency_Key="job_1")] * 8)
        self.assertEqual([(200, first[1])] * 8, again)
        self.assertEqual(409, self.post('{"other": 1}', Idempotency_Key="job_1")[0])
        self.assertEqual(400, self.post("{}")[0])
        self.assertEqual((1, 10), self.publisher.counts())

    def test_a_report_is_kept_on_a_clock_of_its_own(self):
        _, answer = self.post('{"checked": 3}', Idempotency_Key="job_1")
        fetch = lambda: urllib.request.urlopen(f"{self.publisher.url}/{answer['id']}", timeout=5)
        self.now_s[0] += 59
        with fetch() as response:
            self.assertEqual({"checked": 3}, json.loads(response.read()))
        self.now_s[0] += 1
        with self.assertRaises(urllib.error.HTTPError) as caught:
            fetch()
        caught.exception.close()

    def test_a_receipt_that_was_lost_is_asked_for_again(self):
        failures = [1]

        def stumble():
            if failures:
                failures.pop()
                raise ConnectionResetError
        self.publisher.before_answer = stumble
        with unittest.mock.patch.object(auditing, "PUBLISHER", self.publisher.url):
            answer = auditing.publish({"checked": 1}, "job_7")
        self.assertTrue(answer["id"].startswith("rep_"))
        self.assertEqual((1, 2), self.publisher.counts())

    def test_a_service_that_refuses_or_is_not_there_is_a_clear_error(self):
        with unittest.mock.patch.object(auditing, "RETRY_AFTER_S", (0.0, 0.01)):
            for place, saying in (("", "no service"), ("http://127.0.0.1:9/reports", "could not be reached"), (self.publisher.url.replace("http:", "https:"), "could not be reached"), ("ftp://x/", "no http or https URL"), (self.publisher.url + "x", "refused the report")):
                with unittest.mock.patch.object(auditing, "PUBLISHER", place), self.assertRaises(main.ToolError) as caught:
                    auditing.publish({}, "job_1")
                self.assertIn(saying, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
