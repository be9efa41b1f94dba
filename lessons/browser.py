"""The lab as a page: serves browser.html at /, and does for it what a browser cannot.

The page itself holds nothing secret, so anybody on this machine may read it.  What runs the
learner's code or changes files, everything below /lab/, needs three things: the token that
stands in the printed URL, an Origin that is this very server, and (as for every request) a
Host that is this machine.  So another page in the same browser can do nothing.
"""
from __future__ import annotations

import base64
import hashlib
import hmac
import io
import os
import re
import secrets
import subprocess
import sys
import threading
from types import ModuleType
from typing import Any, Callable

import lessons
import main
from main import INVALID_PARAMS, INVALID_REQUEST, Request, RpcError

TOKEN = "LESSON_13_PAGE_TOKEN"       # in the environment: a server that starts itself again keeps its token
MAX_ANSWER = 200_000
NUMBER = {"type": "object", "required": ["number"], "properties": {"number": {"type": "integer"}}}
ANSWER = {"type": "object", "required": ["number", "text", "before"], "properties": {
    "number": {"type": "integer"}, "text": {"type": "string", "maxLength": MAX_ANSWER}, "before": {"type": "string", "maxLength": MAX_ANSWER}}}
IDS = {"type": "object", "required": ["ids"], "properties": {"ids": {"type": "array", "maxItems": 100, "items": {"type": "string"}}}}
LABELS = ("tried", "expected", "saw", "where", "rule", "next")


class LabPage:
    """The page of one server."""

    def __init__(self, http: main.JsonRpcServer, wire: str, table: Any = None):
        """`table`: the TaskTable of a 2026 server, to show who holds what."""
        self.http, self.wire, self.table = http, wire, table
        self.token = os.environ.pop(TOKEN, "") or secrets.token_urlsafe(24)
        self._grading = threading.Lock()
        self._html = (lessons.FOLDER / "browser.html").read_bytes().replace(b"\r\n", b"\n")        # a browser hashes it so
        actions: dict[str, tuple[dict, Callable]] = {
            "about": ({}, self.about), "course": ({}, self.course), "exercise": (NUMBER, self.exercise), "save": (ANSWER, self.save),
            "grade": (NUMBER, self.grade), "hint": (NUMBER, self.hint), "rows": (IDS, self.rows), "crash": ({}, self.crash)}
        http.pages["GET /"] = self.page
        for name, (schema, action) in actions.items():
            http.pages[f"POST /lab/{name}"] = self.guarded(schema, action)

    @property
    def url(self) -> str:
        """What to open in a browser."""
        return f"http://127.0.0.1:{self.http.server_port}/?token={self.token}"

    def page(self, request: Request) -> tuple[str, bytes]:
        """The static file, with a policy that lets its own script and style run and nothing else."""
        request.reply_headers |= {"Content-Security-Policy": policy(self._html), "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
                                  "Cache-Control": "no-store", "Cross-Origin-Opener-Policy": "same-origin"}
        return "text/html; charset=utf-8", self._html

    def guarded(self, schema: dict, action: Callable[[dict], dict]) -> Callable[[Request], tuple[str, bytes]]:
        """An action for the holder of the token, asked for by this very page."""
        def answer(request: Request) -> tuple[str, bytes]:
            if request.headers.get("origin") != f"http://{request.headers['host']}":
                raise RpcError(INVALID_REQUEST, "only the lab's own page may ask for this", http=403)
            if not hmac.compare_digest(request.headers.get("x-lab-token", "").encode(), self.token.encode()):
                raise RpcError(INVALID_REQUEST, "open the page with the URL that `python main.py serve` has printed: it carries a token", http=403)
            try:
                body = main.STRICT_JSON.decode(request.body.decode())
            except (ValueError, RecursionError):
                raise RpcError(main.PARSE_ERROR, "the body is not JSON in UTF-8") from None
            main.check({"type": "object", **schema}, body, "body")
            try:
                return "application/json", main.encode(action(body))
            except main.UsageError as error:
                raise RpcError(INVALID_PARAMS, str(error), http=400) from None
        return answer

    # ---- what it does --------------------------------------------------------------

    def about(self, body: dict) -> dict:
        """Which dialect this server speaks."""
        return {"wire": self.wire, "version": main.VERSION}

    def rows(self, body: dict) -> dict:
        """Who holds the jobs of some tasks; nothing for a server of the lesson dialect."""
        if self.table is None or not body["ids"]:
            return {"rows": []}
        with self.table.connections.borrow() as db:
            found = db.execute("SELECT task_id, job_id, tool, progress, worker, fencing_token, attempts, idempotency_key, tenant_id, subject_id FROM mcp_tasks "
                               f"WHERE task_id IN ({', '.join('?' * len(body['ids']))})", body["ids"]).fetchall()
        return {"rows": [{"taskId": task_id, "tool": tool, "progress": progress, "worker": worker, "token": token, "attempts": attempts,
                          "key": None if key == job_id else key.partition(":")[2], "owner": owner}
                         for task_id, job_id, tool, progress, worker, token, attempts, key, *owner in found]}

    def crash(self, body: dict) -> dict:
        """Ends this process as a kill would, a moment from now, and starts it again on the same port."""
        threading.Timer(0.2, start_again, (self.http.server_port, self.token)).start()
        return {}

    def course(self, body: dict) -> dict:
        """The exercises, and where the learner is with each, in the words of `main.py lessons`."""
        commands, grader = course_code()
        listed = []
        for number, exercise in lessons.exercises().items():
            where = commands.standing(exercise)
            standing = grader.word(grader.GENERAL, f"state.{where['state']}", **where)
            listed.append({"number": number, "title": grader.word(exercise[:4], "title"),
                           "standing": standing + (" " + grader.word(grader.GENERAL, "revealed") if where["revealed"] else "")})
        return {"exercises": listed}

    def exercise(self, body: dict) -> dict:
        """A lesson, and the learner's answer or the starter."""
        commands, grader = course_code()
        exercise = commands.exercise_named(body["number"])
        folder, answer = commands.folder_of(exercise), commands.answer_of(exercise)
        source = answer if answer.exists() else folder / "exercise.py"
        return {"title": grader.word(exercise[:4], "title"), "lesson": (folder / "README.md").read_text(encoding="utf-8"),
                "answer": source.read_text(encoding="utf-8", errors="replace"), "saved": answer.exists()}

    def save(self, body: dict) -> dict:
        """Writes answer.py, unless another editor has changed it since the page saw it as `before`."""
        commands, _ = course_code()
        answer = commands.answer_of(commands.exercise_named(body["number"]))
        if answer.exists() and answer.read_text(encoding="utf-8", errors="replace") not in (body["before"], body["text"]):
            raise RpcError(INVALID_REQUEST, "answer.py was changed elsewhere, so it was not overwritten; copy your text, and choose the exercise again to see the other", http=409)
        main.write_file(answer, body["text"], durable=False)
        return {}

    def grade(self, body: dict) -> dict:
        """Grades as the command line does: the same child process, results, words and memory."""
        commands, grader = course_code()
        exercise = commands.exercise_named(body["number"])
        if not self._grading.acquire(blocking=False):
            raise RpcError(main.BUSY, "something is being graded already; wait for it", http=503)
        try:
            commands.make_answer(exercise)
            report, said = commands.grade_and_remember(exercise, grader.SEED), io.StringIO()
            commands.show(report, grader.Page(said))
        finally:
            self._grading.release()
        return {"report": {**commands.exercise_json(report), "why": grader.word(exercise[:4], "why")}, "text": said.getvalue(),
                "labels": {name: grader.word(grader.GENERAL, f"label.{name}") for name in LABELS}}

    def hint(self, body: dict) -> dict:
        """The next hint, as the command line gives it."""
        commands, grader = course_code()
        said = io.StringIO()
        commands.say_hint(body["number"], grader.Page(said))
        return {"text": said.getvalue()}


def course_code() -> tuple[ModuleType, ModuleType]:
    """The course's commands and its grader, loaded when somebody looks at the course: a server should not carry them about."""
    from lessons import commands, grader
    return commands, grader


def policy(html: bytes) -> str:
    """A Content-Security-Policy for a page whose script and style stand in it: they are known by their hashes."""
    def source(tag: bytes) -> str:
        inside = re.search(rb"<%s>(.*?)</%s>" % (tag, tag), html, re.DOTALL)[1]
        return f"'sha256-{base64.b64encode(hashlib.sha256(inside).digest()).decode()}'"
    return (f"default-src 'none'; script-src {source(b'script')}; style-src {source(b'style')}; connect-src 'self'; img-src data:; "
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")


def start_again(port: int, token: str) -> None:
    """Replaces this process by a new one: threads, locks and memory are gone, without a last word.

    `sys.orig_argv` is the command that has started us; the port and the page's token stay.
    """
    command: list[Any] = [sys.executable, *sys.orig_argv[1:], "--port", str(port)]
    environment = {**os.environ, TOKEN: token}
    if os.name == "nt":                        # there, a process cannot be replaced
        subprocess.Popen(command, env=environment)
        os._exit(1)
    os.execve(sys.executable, command, environment)
