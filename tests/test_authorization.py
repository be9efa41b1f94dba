"""Tokens, scopes, owners and redaction, on a real server that was started as a user starts it."""
from __future__ import annotations

import json
import os
import re
import subprocess
import time
import unittest
import urllib.request

import main
from lessons import authorization
from lessons.authorization import issue, read_authority
from lessons.ex11_owners_and_scopes.checks import raw
from lessons.server_2026 import Server2026
from tests.support import LabTest, http_post, request, status_and_json, talk

MARKER = "M4RK3R-in-a-test"


class TheServer(LabTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "auth.json"
        done = self.run_main("token", "--auth", str(self.file))
        self.assertEqual(0, done.returncode, done.stderr)
        self.token, self.authority = done.stdout.strip(), read_authority(self.file)
        self.log = open(self.folder / "log", "w", encoding="utf-8")
        self.addCleanup(self.log.close)
        self.process = subprocess.Popen([main.sys.executable, str(main.LAB / "main.py"), "serve", "--port", "0", "--wire", main.MODERN, "--db", str(self.folder / "lab.db"),
                                         "--auth", str(self.file)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True, encoding="utf-8")
        self.url = self.process.stdout.readline().strip()
        self.addCleanup(self.process.stdout.close)
        self.addCleanup(self.process.wait)
        self.addCleanup(self.process.kill)

    def ask(self, token, method="tools/list", params=None):
        return raw(self, token, method, params or {})

    def get(self, path):
        with urllib.request.urlopen(self.url.replace("/mcp", path), timeout=10) as response:
            return response.headers["Content-Type"], response.read()

    def test_the_classroom_issuers_token_opens_the_server_and_the_command_sends_it(self):
        self.assertEqual(200, self.ask(self.token)[0])
        done = self.run_main("call", "--url", self.url, "--wire", main.MODERN, "--token", self.token, "tools/list")
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertEqual(1, self.run_main("call", "--url", self.url, "--wire", main.MODERN, "tools/list").returncode)
        if os.name != "nt":
            self.assertEqual(0, self.file.stat().st_mode & 0o077, "the key is for its owner alone")

    def test_whoever_has_no_good_token_is_told_where_to_get_one(self):
        for token, error in (("", None), (MARKER, "invalid_token"), (issue(self.authority, time.time() - 9_999, "ana"), "invalid_token"),
                             (issue(self.authority, time.time(), "ana", aud="http://127.0.0.1:1/mcp"), "invalid_token")):
            status, header, body = self.ask(token)
            self.assertEqual(401, status)
            fields = dict(re.findall(r'(\w+)="([^"]*)"', header))
            self.assertEqual((error, self.authority.metadata_url, "sites:audit"), (fields.get("error"), fields["resource_metadata"], fields["scope"]))
            self.assertEqual("2.0", json.loads(body)["jsonrpc"])
            self.assertNotIn(MARKER, header + body.decode())

    def test_a_stranger_is_refused_before_the_body_is_looked_at(self):
        for body in (b"{", b"[]", request("tools/list"), {"jsonrpc": "2.0", "method": "notifications/cancelled"}, request("nothing")):
            self.assertEqual(401, status_and_json(talk(self.url, http_post(body)))[0])

    def test_anybody_may_read_the_metadata_at_both_well_known_places(self):
        for place in ("/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"):
            kind, body = self.get(place)
            document = json.loads(body)
            self.assertEqual("application/json", kind)
            self.assertEqual((self.authority.audience, [self.authority.issuer], ["header"]),
                             (document["resource"], document["authorization_servers"], document["bearer_methods_supported"]))
            self.assertLessEqual({"sites:audit", "sites:publish"}, set(document["scopes_supported"]))
        evil = f"GET {place} HTTP/1.1\r\nHost: evil.example\r\n\r\n".encode()
        self.assertEqual(403, status_and_json(talk(self.url, evil))[0])

    def test_auditing_and_publishing_are_two_scopes_and_both_are_named_at_once(self):
        call = {"name": "auditar_site", "arguments": {"urls": ["http://127.0.0.1:1/"], "idempotency_key": "k"}}
        nothing, audit = (issue(self.authority, time.time(), "ana", scopes=scopes) for scopes in ((), ("sites:audit",)))
        for token, more, status, scope in ((nothing, {}, 403, "sites:audit"), (audit, {}, 200, None), (audit, {"publicar": True}, 403, "sites:audit sites:publish"),
                                           (self.token, {"publicar": True}, 200, None)):
            found, header, _ = self.ask(token, "tools/call", {**call, "arguments": {**call["arguments"], **more, "idempotency_key": f"k{status}{len(more)}"}})
            self.assertEqual(status, found)
            self.assertEqual(scope, header and dict(re.findall(r'(\w+)="([^"]*)"', header))["scope"])
            self.assertTrue(header is None or 'error="insufficient_scope"' in header)

    def test_one_secret_put_everywhere_comes_out_nowhere(self):
        claims = issue(self.authority, time.time(), "ana", jti=MARKER)
        urls = [f"http://user:{MARKER}@127.0.0.1:1/", f"http://127.0.0.1:1/?token={MARKER}", "nothing://x", f"http://127.0.0.1:1/#{MARKER}"] * 2
        said = [self.ask(claims, "tools/call", {"name": "auditar_site", "arguments": {"urls": urls, "idempotency_key": "k"}})[2].decode()]
        task_id = json.loads(said[0])["result"]["taskId"]
        for _ in range(400):
            said.append(self.ask(claims, "tasks/get", {"taskId": task_id})[2].decode())
            if '"working"' not in said[-1]:
                break
            time.sleep(0.02)
        self.assertIn("completed", said[-1])
        for method, params in (("tools/call", {"name": f"no?key={MARKER}"}), ("tools/call", {"name": "auditar_site", "arguments": {"urls": 5, f"token={MARKER}": 1}}),
                               ("tasks/get", {"taskId": f"Bearer {MARKER}"}), (f"x?secret={MARKER}", {})):
            self.ask(claims, method, params)
        self.ask(f"{claims}.{MARKER}")
        self.process.terminate()
        self.process.wait()
        files = {path.name: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
        self.assertIn("log", files)
        self.assertIn(b'"task_id"', files["log"])
        self.assertEqual([], [name for name, content in files.items() if MARKER.encode() in content], "files with the secret in them")
        self.assertEqual([], [line for line in said if MARKER in line])


class InOneProcess(LabTest):
    def test_owners_are_compared_in_five_pairs(self):
        authority = authorization.make_authority(self.folder / "auth.json", "http://127.0.0.1:1/mcp")
        server = Server2026(self.folder / "tasks.db", authority=authority).start()
        self.addCleanup(server.stop)
        token = lambda who, tenant="acme": issue(authority, time.time(), who, tenant)
        call = {"name": "generate_report", "arguments": {"pace_ms": 60_000}}
        task_id = json.loads(raw(server, token("ana"), "tools/call", call)[2])["result"]["taskId"]
        self.assertEqual("working", json.loads(raw(server, token("ana"), "tasks/get", {"taskId": task_id})[2])["result"]["status"])
        for stranger in (token("bob"), token("ana", "other")):
            for method, more in (("tasks/get", {}), ("tasks/update", {"inputResponses": {}}), ("tasks/cancel", {})):
                self.assertEqual(raw(server, stranger, method, {"taskId": "task_" + "0" * 32, **more}), raw(server, stranger, method, {"taskId": task_id, **more}))
        self.assertEqual(401, raw(server, "", "tasks/get", {"taskId": task_id})[0])
        open_server = Server2026(self.folder / "tasks.db").start()
        self.addCleanup(open_server.stop)
        self.assertIn(b"-32602", raw(open_server, "", "tasks/get", {"taskId": task_id})[2], "nobody owns nothing of ana's")

    def test_a_stream_ends_with_the_token_that_opened_it(self):
        authority = authorization.make_authority(self.folder / "auth.json", "http://127.0.0.1:1/mcp")
        server = Server2026(self.folder / "tasks.db", authority=authority).start()
        self.addCleanup(server.stop)
        token = issue(authority, time.time(), "ana", lives_s=2)
        task_id = json.loads(raw(server, token, "tools/call", {"name": "generate_report", "arguments": {"pace_ms": 60_000}})[2])["result"]["taskId"]
        before = time.monotonic()
        said = raw(server, token, "subscriptions/listen", {"notifications": {"taskIds": [task_id]}})[2]
        self.assertLess(time.monotonic() - before, 8)
        self.assertNotIn(b"completed", said)
        self.assertIn(b'"resultType": "complete"', said)

    def test_a_folder_of_the_server_needs_a_scope_and_its_keys_are_nobodys_text(self):
        (self.folder / "notes").mkdir()
        place = self.folder / "notes" / "auth.json"
        token = self.run_main("token", "--auth", str(place), "--scope", "sites:audit sites:publish").stdout.strip()
        process = self.spawn("serve", "--port", "0", "--wire", main.MODERN, "--db", str(self.folder / "lab.db"), "--auth", str(place))
        self.url = process.stdout.readline().strip()
        search = lambda token, **more: raw(self, token, "tools/call", {"name": "notes_search", "arguments": {"query": "key", **more}})
        self.assertEqual(200, search(token)[0])
        status, header, _ = search(token, folder=str(self.folder / "notes"))
        self.assertEqual((403, True), (status, 'scope="files:read"' in header))
        reader = self.run_main("token", "--auth", str(place), "--scope", "files:read").stdout.strip()
        (self.folder / "notes" / "a.txt").write_text("the key to it", encoding="utf-8")
        found = search(reader, folder=str(self.folder / "notes"))[2]
        self.assertIn(b"the key to it", found)
        self.assertNotIn(read_authority(place).key, found)
        self.assertNotIn(b"auth.json", found)

    def test_one_request_however_long_does_not_stop_the_others(self):
        authority = authorization.make_authority(self.folder / "auth.json", "http://127.0.0.1:1/mcp")
        server = Server2026(self.folder / "tasks.db", authority=authority).start()
        self.addCleanup(server.stop)
        for path in ("/" + "." * 50_000, "/" + "token" * 10_000, "/" + "eyJ." * 12_000, "/?" * 25_000):
            began = time.process_time()
            talk(server, f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{{}}".encode())
            self.assertLess(time.process_time() - began, 2.0, path[:20])

    def test_a_file_that_is_no_authority_is_refused_with_what_would_be_right(self):
        good = json.loads((authorization.make_authority(self.folder / "a.json", "x"), (self.folder / "a.json").read_text(encoding="utf-8"))[1])
        for content, saying in (("{", "is not JSON"), ("[]", "must be an object"), (json.dumps({**good, "key": "abc"}), "32 bytes"),
                                (json.dumps({**good, "algorithm": "none"}), "HS256"), (json.dumps({**good, "key": 5}), "texts"), (json.dumps({"key": "x"}), "texts")):
            (self.folder / "bad.json").write_text(content, encoding="utf-8")
            done = self.run_main("serve", "--port", "0", "--wire", main.MODERN, "--db", str(self.folder / "lab.db"), "--auth", str(self.folder / "bad.json"))
            self.assertEqual((2, ""), (done.returncode, done.stdout))
            self.assertIn(saying, done.stderr)
        done = self.run_main("serve", "--port", "0", "--wire", main.MODERN, "--db", str(self.folder / "lab.db"), "--auth", str(self.folder / "none.json"))
        self.assertIn("make one with: python main.py token", done.stderr)
        self.assertEqual(2, self.run_main("serve", "--port", "0", "--auth", str(self.folder / "a.json")).returncode)

    def test_an_existing_authority_keeps_its_audience_and_a_life_is_a_number(self):
        place = str(self.folder / "auth.json")
        self.assertEqual(0, self.run_main("token", "--auth", place, "--audience", "http://127.0.0.1:9/mcp").returncode)
        self.assertEqual(0, self.run_main("token", "--auth", place, "--audience", "http://127.0.0.1:9/mcp").returncode)
        for more, saying in ((("--audience", "http://127.0.0.1:8/mcp"), "is for http://127.0.0.1:9/mcp"), (("--lives", "-1"), "--lives"), (("--lives", "9" * 400), "--lives")):
            done = self.run_main("token", "--auth", place, *more)
            self.assertEqual((2, ""), (done.returncode, done.stdout))
            self.assertIn(saying, done.stderr)

    def test_an_existing_authority_keeps_its_key(self):
        place = str(self.folder / "auth.json")
        first = self.run_main("token", "--auth", place)
        second = self.run_main("token", "--auth", place, "--subject", "bob")
        self.assertEqual(("", 0), (second.stderr, second.returncode))
        self.assertNotEqual(first.stdout, second.stdout)
        authority = read_authority(place)
        from lessons.ex11_owners_and_scopes.solution import owner_of, verify
        self.assertEqual([("classroom", "ana"), ("classroom", "bob")], [owner_of(verify(done.stdout.strip(), authority, time.time())) for done in (first, second)])


if __name__ == "__main__":
    unittest.main()
