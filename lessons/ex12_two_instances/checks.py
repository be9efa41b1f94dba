"""The checks of exercise 12: where the tool may go, and that it may die anywhere on the way."""
from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import socket
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Iterator

import lessons
import main
from lessons import auditing
from lessons.auditing import audit
from lessons.grader import Trial, check, isolated
from lessons.pieces import solutions
from lessons.publisher import Publisher
from lessons.server_2026 import Server2026
from lessons.task_table import NOBODY, TaskTable

NAMES = ("may_reach", "address_to_dial", "auditar_site", "NEVER")
STARTER_FAILS = "stays_outside/not_written"
YES, NO = {"action": "accept", "content": {"confirmar": True}}, {"action": "decline"}
URLS = 6


@check(points=4)
def stays_outside(answer, trial):
    for address in ("127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.127.255.255", "0.0.0.0",
                    "192.0.0.8", "192.88.99.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00::1", "fec0::1", "ff02::1",
                    "2001::1", "2001:db8::1"):
        trial.expect("goes_inside", f"may_reach({address!r})", False, answer.may_reach(address))
    for address in ("::ffff:6440:1", "::ffff:e000:1", "::FFFF:100.64.0.1", "0:0:0:0:0:ffff:100.64.0.1", "::ffff:0:7f00:1", "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:100.64.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::", "::127.0.0.1", "::ffff:10.0.0.1"):
        trial.expect("disguised", f"may_reach({address!r})", False, answer.may_reach(address))
    for address in ("8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"):
        trial.expect("stays_at_home", f"may_reach({address!r})", True, answer.may_reach(address))
    for address, allowed, expected in (("8.8.8.8", "10.0.0.0/8", True), ("127.0.0.1", "127.0.0.0/8", True), ("10.1.2.3", "127.0.0.0/8 10.1.0.0/16", True), ("::1", "127.0.0.0/8 ::1/128", True),
                                       ("10.2.0.1", "127.0.0.0/8 10.1.0.0/16", False), ("::1", "127.0.0.0/8", False), ("::ffff:127.0.0.1", "127.0.0.0/8", True)):
        trial.expect("allowed_ignored", f"may_reach({address!r}, {allowed!r})", expected, answer.may_reach(address, allowed))


class Names:
    """A name server with one answer after another."""

    def __init__(self, *answers: list[str]):
        self.answers, self.asked = list(answers), 0

    def __call__(self, host: str, port: int, **more: Any) -> list:
        found = self.answers[min(self.asked, len(self.answers) - 1)]
        self.asked += 1
        self.question = (host, port, more)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]


@check(points=3)
def dials_what_it_has_checked(answer, trial):
    def dial(names: Names) -> Any:
        try:
            return answer.address_to_dial("example.com", 80, names)
        except ValueError:
            return "refused"
        except LookupError as error:
            return type(error).__name__
    names = Names(["8.8.8.8"])
    trial.expect("not_dialled", "address_to_dial of a public name", "8.8.8.8", dial(names))
    trial.expect("other_question", "what resolve was asked", ("example.com", 80, {"type": socket.SOCK_STREAM}), names.question)
    several = dial(Names(["8.8.8.8", "8.8.4.4"]))
    trial.require(several in ("8.8.8.8", "8.8.4.4"), "not_dialled", "address_to_dial of a name with two public addresses", "one of them", several)
    for found in (["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["127.0.0.1", "8.8.8.8"], ["8.8.8.8", "::ffff:10.0.0.1"]):
        trial.expect("one_is_enough" if len(found) > 1 else "goes_inside", f"address_to_dial of a name that resolves to {found}", "refused", dial(Names(found)))
    trial.expect("nothing_found", "address_to_dial of a name that resolves to nothing", "refused", dial(Names([])))
    for host in ("localhost", "127.0.0.1"):
        try:
            saw = answer.address_to_dial(host, 80, Names(["127.0.0.1"]))
        except ValueError:
            saw = "refused"
        trial.expect("goes_inside", f"address_to_dial of {host!r}", "refused", saw)
    rebinding = Names(["8.8.8.8"], ["127.0.0.1"])
    trial.expect("asks_twice", "address_to_dial of a name that is public at first, and then is not: (address, times asked)", ("8.8.8.8", 1), (dial(rebinding), rebinding.asked))
    trial.expect("remembers_names", "address_to_dial of that name once more, a day later", "refused", dial(rebinding))
    with allowing("10.0.0.0/8"):
        trial.expect("allowed_ignored", "address_to_dial of 10.0.0.1, with 10.0.0.0/8 allowed by configuration", "10.0.0.1", dial(Names(["10.0.0.1"])))


@contextlib.contextmanager
def allowing(networks: str) -> Iterator[None]:
    """Another configuration for a while."""
    before, auditing.ALLOWED_NETWORKS = auditing.ALLOWED_NETWORKS, networks
    try:
        yield
    finally:
        auditing.ALLOWED_NETWORKS = before


class Site(BaseHTTPRequestHandler):
    """A web site that notes who was where."""
    seen: list[str] = []
    takes_s = 0.0

    def do_HEAD(self) -> None:
        """Any page; /2 is not there, and /4 sends the visitor inside."""
        type(self).seen.append(self.path)
        time.sleep(self.takes_s)
        with contextlib.suppress(ConnectionError):
            self.send_response({"/2": 404, "/4": 302}.get(self.path, 200))
            self.send_header("Content-Type", "text/html")
            self.send_header("Location", "/inside")
            self.end_headers()

    do_GET = do_HEAD

    def log_message(self, *args: Any) -> None:
        """Silent."""


class World:
    """A site, the publisher, and where they are."""

    def __init__(self, trial: Trial):
        Site.seen, Site.takes_s = [], 0.0
        self.site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
        self._thread = threading.Thread(target=self.site.serve_forever, args=(0.02,))
        self._thread.start()
        self.publisher = Publisher(trial.folder / "publisher.db").start()
        self.urls = [f"http://127.0.0.1:{self.site.server_port}/{number}" for number in range(1, URLS + 1)]

    def stop(self) -> None:
        """Ends both."""
        self.site.shutdown()
        self.site.server_close()
        self._thread.join()
        self.publisher.stop()


@contextlib.contextmanager
def world(trial: Trial) -> Iterator[World]:
    """A World, with the lab's configuration pointing at it."""
    one, before = World(trial), auditing.PUBLISHER
    auditing.PUBLISHER = one.publisher.url
    try:
        with allowing("127.0.0.0/8"):
            yield one
    finally:
        auditing.PUBLISHER = before
        one.stop()


class Killed(BaseException):
    """The process is gone."""


class Parked(BaseException):
    """The task waits for an answer."""


class Life(main.Context):
    """One run of a tool under a lease, which ends at a moment of the check's choice.

    `row` is what the table would hold: checkpoint, answers, effects.
    """

    def __init__(self, row: dict, trial: Trial, dies_at: int = 10 ** 9):
        super().__init__()
        self.row, self.trial, self.left = row, trial, dies_at
        self.saved = main.json.loads(row["checkpoint"])

    def _moment(self, what: str) -> None:
        self.left -= 1
        if self.left < 0:
            self.trial.note("grader", f"kills the process before {what}")
            raise Killed

    def progress(self, fraction: float, message: str = "") -> None:
        self._moment("progress")
        self.row["said"].append((fraction, message))

    def save(self) -> None:
        self._moment("save")
        self.row["checkpoint"] = main.json.dumps(self.saved)

    def ask_all(self, questions: dict) -> dict:
        self._moment("the question")
        self.row["asked"] += list(questions)
        if self.row["answer"] is None:
            raise Parked
        return dict.fromkeys(questions, self.row["answer"])

    def once(self, effect_key: str, function: Callable[[str], Any]) -> Any:
        self._moment("the effect")
        if effect_key not in self.row["effects"]:
            result = function(f"job_1:{effect_key}")
            self._moment("the effect is stored")
            self.row["effects"][effect_key] = result
        return self.row["effects"][effect_key]


def new_row(answer: Any = None) -> dict:
    """A task that nobody has worked on."""
    return {"checkpoint": "{}", "answer": answer, "effects": {}, "asked": [], "said": []}


@check(points=4)
def audits_with_checkpoints(answer, trial):
    with world(trial) as here:
        with allowing(""):
            report = run(answer, {"urls": here.urls, "idempotency_key": "k"}, Life(new_row(), trial))["structuredContent"]
            trial.expect("does_not_ask_first", "six pages inside, when none is allowed: how many are not ok, and who was visited", (URLS, []), (report.get("findings"), Site.seen))
        row = new_row()
        result = run(answer, {"urls": here.urls, "idempotency_key": "k"}, Life(row, trial))
        report = result.get("structuredContent", {})
        trial.expect("follows", "the pages behind a redirect that were asked for", [], [path for path in Site.seen if path == "/inside"])
        trial.expect("wrong_order", "the pages that were asked for", [f"/{number}" for number in range(1, URLS + 1)], Site.seen)
        trial.expect("wrong_report", "(mode, checked, findings, truncated) of the report", ("task", URLS, 2, False), tuple(report.get(name) for name in ("mode", "checked", "findings", "truncated")))
        expected = [audit(url, lambda host, port: "127.0.0.1") for url in here.urls]
        trial.expect("wrong_report", "its sites", expected, report.get("sites"))
        trial.require(f"{URLS} URLs auditadas" in result["content"][0]["text"], "wrong_text", "the text of the result", f"{URLS} URLs auditadas", result["content"][0]["text"])
        trial.expect("wrong_progress", "the messages of progress", [f"{number} de {URLS} URLs auditadas" for number in range(1, URLS + 1)], [message for _, message in row["said"]])
        rising = [fraction for fraction, _ in row["said"]]
        trial.require(rising == sorted(set(rising)) and all(0 < fraction <= 1 for fraction in rising), "wrong_progress", "the fractions of progress", "rising, above 0 and up to 1", rising)
        trial.expect("findings_are_no_error", "isError, with two pages that are not ok", False, result.get("isError", False))
        for more in ({}, {"publicar": False}):
            row = new_row(YES)
            report = run(answer, {"urls": here.urls, "idempotency_key": "k", **more}, Life(row, trial))["structuredContent"]
            trial.expect("published_unasked", f"a report that nobody wanted published, {more}: (reports, questions)", (0, []), (here.publisher.counts()[0], row["asked"]))
        small = run(answer, {"urls": here.urls[:2], "idempotency_key": "k"}, main.Context())["structuredContent"]
        trial.expect("wrong_report", "(mode, checked) of two URLs", ("synchronous", 2), (small.get("mode"), small.get("checked")))
        Site.seen.clear()
        twice = [f"{here.urls[2]}?token=S3CRET", here.urls[0], here.urls[2], here.urls[0]]
        report = run(answer, {"urls": twice, "idempotency_key": "k"}, Life(new_row(), trial))["structuredContent"]
        trial.expect("leaves_some_out", "the pages asked for, of a list with one of them twice", ["/3?token=S3CRET", "/1", "/3", "/1"], Site.seen)
        trial.require("S3CRET" not in str(report), "tells_the_query", "the report on a URL with a secret in its query", "the URL without it", report.get("sites"))


def run(answer: Any, arguments: dict, ctx: main.Context) -> dict:
    """The tool's result; one that asks although nobody wants to publish never gets any further."""
    try:
        return answer.auditar_site(arguments, ctx)
    except (Parked, main.ToolError) as error:
        ctx.trial.fail("published_unasked", "a report that nobody wanted published", "no question, and no publication", type(error).__name__)


@check(points=4)
def publishes_after_a_yes(answer, trial):
    for reply, expected in ((YES, True), (NO, False), ({"action": "cancel"}, False), ({"action": "accept", "content": {"confirmar": False}}, False)):
        with world(trial) as here:
            row, call = new_row(), {"urls": here.urls[:2], "idempotency_key": "k", "publicar": True}
            try:
                answer.auditar_site(call, Life(row, trial))
            except Parked:
                pass
            else:
                trial.fail("not_asked", "publicar, while nobody has answered", "parked", "a result")
            trial.expect("published_unasked", "the reports before anybody has said yes", 0, here.publisher.counts()[0])
            row["answer"] = reply
            try:
                result = answer.auditar_site(call, Life(row, trial))
            except main.ToolError as error:
                trial.fail("error_for_no", f"answered {reply}", "a result", f"ToolError: {error}")
            report, (reports, _) = result["structuredContent"], here.publisher.counts()
            trial.expect("no_is_no" if not expected else "not_published", f"answered {reply}: the number of reports", int(expected), reports)
            trial.expect("says_nothing" if not expected else "not_published", f"answered {reply}: published", expected, report.get("published"))
            trial.expect("error_for_no", f"answered {reply}: isError", False, result.get("isError", False))
            trial.require("2 URLs auditadas" in result["content"][0]["text"] and report.get("mode") == "task", "wrong_result", f"answered {reply}: the text, and the mode", "2 URLs auditadas; task", (result["content"][0]["text"], report.get("mode")))
            trial.expect("from_the_start", "the pages that were asked for, in both runs", ["/1", "/2"], Site.seen)
            if expected:
                published_well(answer, trial, here, (row, call, report))
        (trial.folder / "publisher.db").unlink()
    the_service_refuses(answer, trial)


def published_well(answer: Any, trial: Trial, here: World, life: tuple) -> None:
    """The right report, under the right key; and nothing more when the tool runs once more."""
    row, call, report = life
    with here.publisher.connections.borrow() as db:
        key, report_id, body = db.execute("SELECT idempotency_key, id, body FROM reports").fetchone()
    body = main.json.loads(body)
    trial.expect("other_key", "the idempotency key that the service was given", "job_1", key)
    trial.expect("not_published", "report_id", report_id, report.get("report_id"))
    trial.expect("another_report", "what was published: (checked, findings, sites)", (2, 1, report.get("sites")), tuple(body.get(name) for name in ("checked", "findings", "sites")))
    answer.auditar_site(call, Life(row, trial))
    trial.expect("handed_over_again", "how often the report was handed over, when the tool has run once more", 1, here.publisher.counts()[1])


def the_service_refuses(answer: Any, trial: Trial) -> None:
    """Nothing was published, and nobody may be told that it was."""
    with world(trial) as here:
        before, auditing.PUBLISHER = auditing.PUBLISHER, ""
        try:
            result = answer.auditar_site({"urls": here.urls[:1], "idempotency_key": "k", "publicar": True}, Life(new_row(YES), trial))
        except main.ToolError:
            result = {"structuredContent": {}}
        finally:
            auditing.PUBLISHER = before
        trial.require(result.get("structuredContent", {}).get("published") is not True, "published_in_words", "a yes, when the service cannot be reached: published", "not True", result)
    (trial.folder / "publisher.db").unlink()


@check(points=4, limit_s=60)
def dies_anywhere(answer, trial):
    for dies_at in range(60):
        with world(trial) as here:
            row, call = new_row(YES), {"urls": here.urls[:4], "idempotency_key": "k", "publicar": True}
            deaths, result = 0, None
            while result is None:
                try:                           # the second life may end as the first did
                    result = answer.auditar_site(call, Life(row, trial, dies_at if deaths < 2 else 10 ** 9))
                except Killed:
                    deaths += 1
                except main.ToolError as error:
                    trial.fail("another_report", f"killed at moment {dies_at}, and begun again", "the same report for the same key", f"ToolError: {error}")
            report, (reports, _) = result["structuredContent"], here.publisher.counts()
            where = f"killed {deaths} times at moment {dies_at}, and begun again"
            trial.require(reports <= 1, "twice", f"{where}: the number of reports", "1", reports)
            trial.expect("lost", f"{where}: (reports, checked, findings, published)", (1, 4, 2, True), (reports, *(report.get(name) for name in ("checked", "findings", "published"))))
            repeated = sorted({path for path in Site.seen if Site.seen.count(path) > 1})
            trial.require(len(repeated) <= deaths, "from_the_start", f"{where}: the pages that were asked for again", "at most one for each death", repeated)
            said, steps = [message for _, message in row["said"]], [f"{number} de 4 URLs auditadas" for number in range(1, 5)]
            trial.require(set(said) <= set(steps) and said == sorted(said), "counts_anew", f"{where}: the messages of progress", "from 1 to 4 of 4, never back", said)
        (trial.folder / "publisher.db").unlink()
        if not deaths:
            return


def serve(answer: str, database: str, publisher: str) -> None:
    """An instance of the server, with an answer inside, until it is killed."""
    auditing.PUBLISHER, auditing.ALLOWED_NETWORKS = publisher, "127.0.0.0/8"
    piece = lessons.load(pathlib.Path(answer), "answer")
    server = Server2026(database, workers=1, lease_ms=700, pieces=dataclasses.replace(solutions(), audit=piece)).start()
    print(server.url, flush=True)
    threading.Event().wait()


class TwoInstances:
    """Two real servers on one database, with an answer inside, and somebody who kills one."""

    def __init__(self, answer: Any, trial: Trial, here: World, stack: contextlib.ExitStack):
        self.trial, database = trial, trial.folder / "tasks.db"
        self.living: dict[int, tuple[subprocess.Popen, str]] = {}
        for name in ("one", "two"):
            (trial.folder / name).mkdir()      # no instance finds what another has left on its disk
            process = subprocess.Popen(isolated("from lessons.ex12_two_instances import checks; checks.serve(*sys.argv[1:])", answer.__file__, database, here.publisher.url),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, encoding="utf-8",
                                       cwd=trial.folder / name, env={**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(trial.folder / name))})
            stack.callback(end, process)
            self.living[process.pid] = (process, process.stdout.readline().strip())
        self.table = stack.enter_context(contextlib.closing(TaskTable(database)))

    def call(self, method: str, params: dict) -> dict:
        """One request to an instance that lives, on a connection of its own."""
        client = main.Client(next(iter(self.living.values()))[1], wire=main.MODERN)
        try:
            return client.call(method, params)
        finally:
            client.close()

    def kill_the_holder(self, task_id: str) -> None:
        """Kills the instance that holds the job, if both still live."""
        job = self.table.get(task_id, NOBODY)
        pid = int((job.worker or "0").partition("-")[0])
        if pid in self.living and len(self.living) == 2:
            self.trial.note("grader", f"kills process {pid}", job.message)
            self.living.pop(pid)[0].kill()


@check(points=5, limit_s=90)
def one_of_two_instances_dies(answer, trial):
    for moment in ("auditing", "publishing"):
        folder = trial.folder / moment
        folder.mkdir()
        dies_while(moment, answer, dataclasses.replace(trial, folder=folder))


def dies_while(moment: str, answer: Any, trial: Trial) -> None:
    """One life of a task on two real instances, of which the one that works is killed."""
    with world(trial) as here, contextlib.ExitStack() as stack:
        Site.takes_s, two = 0.1, TwoInstances(answer, trial, here, stack)
        trial.note("grader", f"will kill the instance that works, while {moment}")
        task_id = two.call("tools/call", {"name": "auditar_site", "arguments": {"urls": here.urls, "idempotency_key": "k", "publicar": True}})["taskId"]
        if moment == "publishing":
            here.publisher.before_answer = lambda: two.kill_the_holder(task_id)
        until = time.monotonic() + 20
        while time.monotonic() < until and not (job := two.table.get(task_id, NOBODY)).finished:
            if moment == "auditing" and job.message.startswith("3 de"):
                two.kill_the_holder(task_id)
            if job.status == "input_required":
                two.call("tasks/update", {"taskId": task_id, "inputResponses": {"approve_publish_v1": YES}})
            time.sleep(0.02)
        task = two.call("tasks/get", {"taskId": task_id})
        trial.require(len(two.living) == 1, "nobody_killed", f"the task, which should have been killed while {moment}", "killed then", f"{task['status']}: {(task.get('result') or {}).get('content')}")
        trial.expect("stuck", "the task, asked for at the other instance", "completed", task["status"])
        report = task["result"].get("structuredContent", {})
        trial.expect("lost", "(checked, published) of its report", (URLS, True), (report.get("checked"), report.get("published")))
        trial.expect("twice", "the number of reports at the publisher", 1, here.publisher.counts()[0])
        repeated = sorted({path for path in Site.seen if Site.seen.count(path) > 1})
        trial.require(len(repeated) <= 1, "from_the_start", "the pages that were asked for twice", "at most the one that the kill interrupted", repeated)


def end(process: subprocess.Popen) -> None:
    """Ends an instance that may be dead already."""
    process.kill()
    process.wait()
    process.stdout.close()
