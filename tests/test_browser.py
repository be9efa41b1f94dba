"""The lab's page, without a browser: what it needs, who may ask for what, and what it can be read by."""
from __future__ import annotations

import base64
import hashlib
import html.parser
import http.client
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import lessons
import main
from lessons.browser import policy
from tests.support import ROOT, LabTest, child_environment, end, eventually, port_of

HTML = (lessons.FOLDER / "browser.html").read_bytes()
TEXT = HTML.decode("utf-8")


class TheFile(unittest.TestCase):
    def test_it_asks_nobody_outside_for_anything(self):
        addresses = set(re.findall(r"""(?:https?:)?//[\w.-]+\.[\w.-]+[^\s"'`)]*""", TEXT)) - {"http://www.w3.org/2000/svg"}
        self.assertEqual(set(), addresses)
        self.assertEqual([], re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=(?!\"data:,\")[^>]*>", TEXT))
        self.assertNotRegex(TEXT, r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function")

    def test_nothing_in_it_is_outside_the_policy(self):
        self.assertEqual((1, 1), (TEXT.count("<script>"), TEXT.count("<style>")))
        self.assertNotRegex(TEXT.partition("<script>")[0], r"""<[a-z][^>]*\s(?:on\w+|style)=""")
        script = re.search(rb"<script>(.*?)</script>", HTML, re.S)[1]
        said = policy(HTML)
        self.assertIn(f"script-src 'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'", said)
        for rule in ("default-src 'none'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
            self.assertIn(rule, said)
        self.assertNotIn("unsafe", said)

    def test_every_field_and_button_has_a_name_and_every_label_a_field(self):
        found = Elements()
        found.feed(TEXT.partition("<script>")[0])
        ids = {attributes.get("id") for _, attributes in found.seen}
        self.assertEqual([], [attributes for tag, attributes in found.seen if tag == "label" and attributes.get("for") not in ids])
        labelled = {attributes["for"] for tag, attributes in found.seen if tag == "label"}
        self.assertEqual([], [attributes for tag, attributes in found.seen if tag in ("input", "textarea", "select") and attributes.get("id") not in labelled])
        self.assertIn("<noscript>", TEXT)

    def test_its_colours_can_be_told_apart_in_both_schemes(self):
        light, dark = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block)) for block in re.findall(r":root \{(.*?)\}", TEXT, re.S))
        self.assertEqual(light.keys(), dark.keys())
        for scheme in (light, dark):
            for ink in ("ink", "soft", "good", "bad", "wait"):
                for paper in ("paper", "panel"):
                    self.assertGreaterEqual(contrast(scheme[ink], scheme[paper]), 4.5, (ink, paper, scheme))
            self.assertGreaterEqual(contrast(scheme["on-accent"], scheme["accent"]), 4.5)
            self.assertGreaterEqual(contrast(scheme["on-lit"], scheme["lit"]), 4.5)
            for edge in ("line", "accent"):
                for paper in ("paper", "panel"):
                    self.assertGreaterEqual(contrast(scheme[edge], scheme[paper]), 3.0, (edge, paper, scheme))


class Elements(html.parser.HTMLParser):
    """All elements of a page, with their attributes."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))


def luminance(colour):
    """WCAG 2.1, relative luminance."""
    channels = [int(colour[at:at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (value / 12.92 if value <= 0.03928 else ((value + 0.055) / 1.055) ** 2.4 for value in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    """WCAG 2.1, contrast ratio."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


class TheServer(LabTest):
    def setUp(self):
        super().setUp()
        self.lab = self.folder / "lab"
        shutil.copytree(ROOT, self.lab, ignore=shutil.ignore_patterns(".*", "__pycache__", "answer*", "tests"))
        self.serve_lab()

    def serve_lab(self, *options):
        self.process = subprocess.Popen([sys.executable, "main.py", "serve", "--port", "0", *options], cwd=self.lab, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, encoding="utf-8", env=child_environment(self.folder))
        self.addCleanup(end, self.process)
        self.url, page = self.process.stdout.readline().strip(), self.process.stdout.readline().strip()
        self.token = page.partition("?token=")[2]
        self.own = self.url.removesuffix("/mcp")
        self.assertEqual(f"{self.own}/?token={self.token}", page)

    def send(self, verb, path, body=b"", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port_of(self.url), timeout=60)
        connection.request(verb, path, body, {name.replace("_", "-"): value for name, value in headers.items() if value is not None})
        response = connection.getresponse()
        found = response.status, dict(response.headers), response.read()
        connection.close()
        return found

    def ask(self, action, body=None, code=200, **changes):
        headers = {"Origin": self.own, "X_Lab_Token": self.token, "Content_Type": "application/json", **changes}
        status, _, reply = self.send("POST", f"/lab/{action}", json.dumps({} if body is None else body), **headers)
        self.assertEqual(code, status, reply)
        return json.loads(reply)

    def test_the_page_is_the_file_with_its_policy(self):
        for path in ("/", f"/?token={self.token}"):
            status, headers, body = self.send("GET", path)
            self.assertEqual((200, HTML, policy(HTML)), (status, body, headers["Content-Security-Policy"]))
            self.assertEqual(("nosniff", "no-referrer", "no-store"), (headers["X-Content-Type-Options"], headers["Referrer-Policy"], headers["Cache-Control"]))
        self.assertNotIn(self.token.encode(), body)
        self.assertEqual(403, self.send("GET", "/", Host="evil.example")[0])
        self.assertEqual(404, self.send("GET", "/lab/course")[0])
        self.assertEqual(404, self.send("POST", "/", b"{}", Content_Type="application/json")[0])

    def test_without_token_origin_host_or_type_nothing_is_done(self):
        port = port_of(self.url)
        for action in ("about", "course", "exercise", "save", "grade", "hint", "rows", "crash"):
            body = {"number": 1, "text": "owned", "before": "", "ids": []}
            for changes in ({"X_Lab_Token": None}, {"X_Lab_Token": "x"}, {"X_Lab_Token": self.token[:-1]}, {"Origin": None}, {"Origin": "null"}, {"Origin": "http://evil.example"},
                            {"Origin": f"http://127.0.0.1:{port + 1}"}, {"Origin": f"http://localhost:{port}"}, {"Origin": f"https://127.0.0.1:{port}"}, {"Host": "evil.example"}):
                self.ask(action, body, code=403, **changes)
            self.ask(action, body, code=415, Content_Type="text/plain")
        self.assertEqual([], list((self.lab / "lessons").glob("ex*/answer*")))
        self.assertIsNone(self.process.poll())
        self.assertEqual("lesson", self.ask("about")["wire"])

    def test_bad_input_is_told_what_would_be_right(self):
        for action, body, saying in (("save", {"number": "1", "text": "", "before": ""}, "body.number"), ("save", {"number": 1}, "body.text"), ("exercise", {"number": 99}, "there is no exercise 99"),
                                     ("save", {"number": 1, "text": "x" * 200_001, "before": ""}, "at most 200000"), ("grade", [], "body must be of type object"), ("hint", {"number": 1}, "grade first")):
            status, _, reply = self.send("POST", f"/lab/{action}", json.dumps(body), Origin=self.own, X_Lab_Token=self.token, Content_Type="application/json")
            self.assertIn(status, (200, 400))
            self.assertIn(saying, json.loads(reply)["error"]["message"])
        self.assertEqual(400, self.send("POST", "/lab/save", b"{", Origin=self.own, X_Lab_Token=self.token, Content_Type="application/json")[0])

    def test_an_answer_is_saved_graded_and_hinted_as_on_the_command_line(self):
        first = self.ask("exercise", {"number": 5})
        self.assertFalse(first["saved"])
        self.ask("save", {"number": 5, "text": first["answer"] + "\n# ż\n", "before": first["answer"]})
        self.assertEqual(first["answer"] + "\n# ż\n", (self.lab / "lessons/ex05_read_the_roadmap/answer.py").read_text(encoding="utf-8"))
        graded = self.ask("grade", {"number": 5})
        line = subprocess.run([sys.executable, "main.py", "grade", "5"], cwd=self.lab, capture_output=True, text=True, encoding="utf-8", env=child_environment(self.folder))
        self.assertEqual(line.stdout.split(), graded["text"].split())
        shown = json.loads(subprocess.run([sys.executable, "main.py", "grade", "5", "--json"], cwd=self.lab, capture_output=True, text=True, encoding="utf-8", env=child_environment(self.folder)).stdout)
        self.assertEqual(shown["exercises"][0], {key: value for key, value in graded["report"].items() if key != "why"})
        hint = self.ask("hint", {"number": 5})["text"]
        self.assertIn("Hint 1 of 3", hint)
        self.assertIn("Hint 2 of 3", subprocess.run([sys.executable, "main.py", "hint", "5"], cwd=self.lab, capture_output=True, text=True, encoding="utf-8", env=child_environment(self.folder)).stdout)
        standing = next(one["standing"] for one in self.ask("course")["exercises"] if one["number"] == 5)
        self.assertIn("points", standing)

    def test_what_another_editor_has_written_is_not_overwritten(self):
        answer = self.lab / "lessons/ex05_read_the_roadmap/answer.py"
        self.ask("save", {"number": 5, "text": "mine\n", "before": "the starter"})
        answer.write_text("theirs\n", encoding="utf-8")
        said = self.ask("save", {"number": 5, "text": "mine again\n", "before": "mine\n"}, code=409)
        self.assertIn("changed elsewhere", said["error"]["message"])
        self.assertEqual("theirs\n", answer.read_text(encoding="utf-8"))
        self.ask("save", {"number": 5, "text": "mine again\n", "before": "theirs\n"})

    def test_a_checkout_with_other_line_ends_has_the_same_policy(self):
        page = self.lab / "lessons/browser.html"
        page.write_bytes(HTML.replace(b"\n", b"\r\n"))
        end(self.process)
        self.serve_lab()
        self.assertEqual(policy(HTML), self.send("GET", "/")[1]["Content-Security-Policy"])

    def test_a_crash_is_a_crash_and_the_server_is_back_at_the_same_place(self):
        client = self.client(self.url, "s")
        task_id = client.start("generate_report", {"pace_ms": 60_000})
        before = self.process.pid
        self.ask("crash")
        self.assertTrue(eventually(lambda: self.status(task_id).get("state") == "failed"))
        self.assertIn("CRASH_RECOVERY", self.status(task_id)["error"]["message"])
        self.assertEqual("lesson", self.ask("about")["wire"], "the token is still good")
        if os.name != "nt":
            self.assertEqual((before, None), (self.process.pid, self.process.poll()))

    def status(self, task_id):
        client = main.Client(self.url, "s")
        try:
            return client.call("tasks/status", {"taskId": task_id})
        except (OSError, http.client.HTTPException):
            return {}
        finally:
            client.close()

    def test_it_shows_who_holds_what_on_the_2026_server(self):
        end(self.process)
        self.serve_lab("--wire", main.MODERN, "--db", str(self.folder / "lab.db"))
        client = self.client(self.url, wire=main.MODERN)
        call = {"name": "auditar_site", "arguments": {"urls": ["http://127.0.0.1:1/"], "idempotency_key": "k", "publicar": True}}
        task_id = client.call("tools/call", call)["taskId"]
        self.assertTrue(eventually(lambda: client.call("tasks/get", {"taskId": task_id})["status"] == "input_required"))
        (row,) = self.ask("rows", {"ids": [task_id, "task_nothing"]})["rows"]
        self.assertEqual(("auditar_site", None, 1, "k", ["public", "anonymous"]), tuple(row[name] for name in ("tool", "worker", "token", "key", "owner")))
        self.assertEqual(main.MODERN, self.ask("about")["wire"])


class Alone(LabTest):
    def test_main_alone_has_no_page_and_serves_all_the_same(self):
        shutil.copy(ROOT / "main.py", self.folder / "main.py")
        process = subprocess.Popen([sys.executable, "main.py", "serve", "--port", "0"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=child_environment(self.folder))
        self.addCleanup(end, process)
        client = self.client(process.stdout.readline().strip())
        self.assertTrue(client.call("tools/list")["tools"])
        process.terminate()
        self.assertEqual("", process.communicate(timeout=10)[0])


if __name__ == "__main__":
    unittest.main()
