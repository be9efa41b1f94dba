"""The lab's page in a real browser, driven over the W3C WebDriver protocol with the standard library.

    python -m tests.interop.browser [--shots FOLDER]

Each case is a function `case_...(page)`; it fails by raising.  After each, the browser's
console must be free of errors.  The lab under test is a copy, since the page writes answers.
"""
from __future__ import annotations

import argparse
import base64
import contextlib
import functools
import http.client
import http.server
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from typing import Any, Callable, Iterator

import main
from tests.interop.environment import ROOT, chromium

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-default-apps", "--force-color-profile=srgb", "--lang=en-US"]
TAB, ENTER, ESCAPE, CONTROL, RIGHT = "\ue004", "\ue007", "\ue00c", "\ue009", "\ue014"
HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"


class Driver:
    """One browser session."""

    def __init__(self, port: int):
        self.port, self.base = port, ""

    def do(self, method: str, path: str, body: dict | None = None) -> Any:
        """One WebDriver command: the value of its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, self.base + path, None if method != "POST" else json.dumps(body or {}), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            value = json.loads(answer.read())["value"]
        finally:
            connection.close()
        if answer.status != 200:
            raise AssertionError(f"{method} {path}: {value['error']}: {value['message'][:300]}")
        return value

    def open(self, url: str) -> None:
        """Goes to a page."""
        self.do("POST", "/url", {"url": url})

    def script(self, source: str, *arguments: Any) -> Any:
        """Runs a script in the page, and gives what it returns."""
        return self.do("POST", "/execute/sync", {"script": source, "args": list(arguments)})

    def find(self, css: str) -> str:
        """The path of an element."""
        return "/element/" + self.do("POST", "/element", {"using": "css selector", "value": css})[ELEMENT]

    def click(self, css: str) -> None:
        """Clicks as a person does: the element must be there to be clicked."""
        self.do("POST", self.find(css) + "/click")

    def type(self, css: str, text: str) -> None:
        """Types into a field."""
        self.do("POST", self.find(css) + "/value", {"text": text})

    def keys(self, *keys: str) -> None:
        """Presses keys, wherever the focus is; a pair 'CONTROL+z' is held together."""
        actions = []
        for key in keys:
            held, _, last = key.rpartition("+") if len(key) > 1 and key[1:2] == "+" else ("", "", key)
            actions += [{"type": "keyDown", "value": one} for one in (held, last) if one] + [{"type": "keyUp", "value": one} for one in (last, held) if one]
        self.do("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def cdp(self, command: str, **parameters: Any) -> Any:
        """A command of Chromium's own protocol."""
        return self.do("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def errors(self) -> list[str]:
        """What the console has complained of since the last call."""
        time.sleep(0.1)
        return [entry["message"] for entry in self.do("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def look(self, width: int = 1280, height: int = 900, scheme: str = "light") -> None:
        """A window of this size, light or dark."""
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def shot(self, path: pathlib.Path) -> None:
        """A picture of the window."""
        path.write_bytes(base64.b64decode(self.do("GET", "/screenshot")))


@contextlib.contextmanager
def browser() -> Iterator[Driver]:
    """A headless browser with a profile of its own."""
    programs = chromium()
    environment = {**os.environ, **{name: value for name, value in programs.items() if name.isupper()}}
    with tempfile.TemporaryDirectory(prefix="lesson-13-browser-", ignore_cleanup_errors=True) as profile:
        environment.update(HOME=profile, XDG_CONFIG_HOME=profile, XDG_CACHE_HOME=profile)
        process = subprocess.Popen([programs["driver"], "--port=0"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)
        watchdog = threading.Timer(280, os.killpg, (process.pid, signal.SIGKILL))
        watchdog.daemon = True
        watchdog.start()
        try:
            port = next((found[1] for line in process.stdout if (found := re.search(r"started successfully on port (\d+)", line))), None)
            if port is None:
                raise RuntimeError("the browser's driver did not start")
            driver = Driver(int(port))
            session = driver.do("POST", "/session", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                                "goog:chromeOptions": {"binary": programs["browser"], "args": [*FLAGS, f"--user-data-dir={profile}/profile"]}}}})
            driver.base = f"/session/{session['sessionId']}"
            yield driver
            driver.do("DELETE", "")
        finally:
            watchdog.cancel()
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait(10)
            process.stdout.close()


class Lab:
    """A copy of the lab whose server is open in the browser."""

    def __init__(self, driver: Driver, folder: pathlib.Path, *options: str, **environment: str):
        self.driver, self.folder = driver, folder
        if not (folder / "lab").exists():
            shutil.copytree(ROOT, folder / "lab", ignore=shutil.ignore_patterns(".*", "__pycache__", "answer*", "tests"))
        self.process = subprocess.Popen([sys.executable, "main.py", "serve", "--port", "0", *options], cwd=folder / "lab", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, text=True, env={**os.environ, "TMPDIR": str(folder), **environment})
        self.mcp, self.url = self.process.stdout.readline().strip(), self.process.stdout.readline().strip()
        driver.open(self.url)
        self.wait("return document.querySelectorAll('#tools details').length > 0 || !document.querySelector('#bearer').hidden")
        driver.errors()                                            # what the page before this one has left

    def end(self) -> None:
        """Ends the server."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def wait(self, script: str, *arguments: Any, limit_s: float = 15.0) -> Any:
        """Until a script returns something true."""
        until = time.monotonic() + limit_s
        while not (value := self.driver.script(script, *arguments)):
            if time.monotonic() > until:
                raise AssertionError(f"this never came true: {script} {arguments}; the page says: {self.driver.script('return document.body.innerText')[:1500]}")
            time.sleep(0.05)
        return value

    def start(self, tool: str, **fields: Any) -> str:
        """Fills in a tool's form, starts it, and gives the id of the new card."""
        known = self.driver.script("return [...document.querySelectorAll('.card')].map(card => card.dataset.task)")
        self.driver.script("const panel = document.querySelector(`details[data-tool=${arguments[0]}]`); panel.open = true; panel.querySelector('form').reset()", tool)
        for name, value in fields.items():
            field = f"details[data-tool={tool}] [name={name}]"
            if value is True:
                self.driver.click(field)
            else:
                self.driver.type(field, str(value))
        self.driver.click(f"details[data-tool={tool}] button[type=submit]")
        task_id = self.wait("return ([...document.querySelectorAll('.card')].find(card => !arguments[0].includes(card.dataset.task)) || {dataset: {}}).dataset.task", known)
        return task_id

    def until(self, task_id: str, state: str) -> str:
        """Until a card is in the column of a state; what it says."""
        return self.wait("const card = document.querySelector(`#column-${arguments[1]} [data-task=${arguments[0]}]`); return card && card.innerText", task_id, state)

    def card(self, task_id: str, inside: str) -> str:
        """A selector inside a card."""
        return f"[data-task={task_id}] {inside}"


# ---- the cases: the lesson dialect -------------------------------------------------

def case_a_report_is_started_watched_and_fetched(lab: Lab) -> None:
    task_id = lab.start("generate_report", pace_ms=1500, title="Seen in a browser")
    assert lab.driver.script("return document.querySelector('#state-working').classList.contains('lit')"), "the state machine is not lit"
    lab.wait("return document.querySelector(arguments[0]).value > 0.05", lab.card(task_id, "progress"))
    lab.until(task_id, "completed")
    assert lab.driver.script("return document.querySelector('#move-working-completed').classList.contains('lit')"), "the last move is not lit"
    lab.driver.click(lab.card(task_id, ".fetch"))
    assert "Seen in a browser" in lab.wait("return document.querySelector(arguments[0]).innerText", lab.card(task_id, ".result"))
    polls = lab.driver.script("return [...document.querySelectorAll('#frames summary')].filter(one => one.innerText.includes('tasks/status')).length")
    assert polls == 0, f"{polls} polls, although there is a stream"


def case_a_quick_tool_answers_in_its_place(lab: Lab) -> None:
    lab.driver.script("document.querySelector('details[data-tool=notes_search]').open = true")
    lab.driver.type("details[data-tool=notes_search] [name=query]", "durable")
    lab.driver.click("details[data-tool=notes_search] button[type=submit]")
    assert "content" in lab.wait("const pre = document.querySelector('details[data-tool=notes_search] pre'); return pre && pre.innerText")


def case_a_task_is_cancelled(lab: Lab) -> None:
    task_id = lab.start("generate_report", pace_ms=60000)
    lab.driver.click(lab.card(task_id, ".cancel"))
    lab.until(task_id, "cancelled")


def case_the_worker_crashes_and_the_task_says_so(lab: Lab) -> None:
    task_id = lab.start("generate_report", pace_ms=60000)
    lab.driver.click("#crash")
    assert "CRASH_RECOVERY" in lab.until(task_id, "failed")
    other = lab.start("generate_report", pace_ms=300)
    lab.until(other, "completed")
    lab.wait("return document.querySelector('#live').innerText.startsWith('Live')")
    lab.driver.errors()                                            # the lost connection was meant


def case_a_question_is_answered(lab: Lab) -> None:
    task_id = lab.start("generate_report", ask_title=True, pace_ms=0)
    lab.until(task_id, "input_required")
    lab.driver.type(lab.card(task_id, "form [name=title]"), "A title from a person")
    lab.driver.click(lab.card(task_id, "form button[type=submit]"))
    lab.until(task_id, "completed")
    lab.driver.click(lab.card(task_id, ".fetch"))
    assert "A title from a person" in lab.wait("return document.querySelector(arguments[0]).innerText", lab.card(task_id, ".result"))


def case_what_a_task_says_is_text_and_never_markup(lab: Lab) -> None:
    task_id = lab.start("generate_report", title=HOSTILE[:80], pace_ms=0)
    lab.until(task_id, "completed")
    lab.driver.click(lab.card(task_id, ".fetch"))
    assert "<img src=x" in lab.wait("return document.querySelector(arguments[0]).innerText", lab.card(task_id, ".result"))
    made_up = [{"taskId": "tsk_" + "f" * 32, "tool": HOSTILE, "state": "input_required", "progress": 0, "statusMessage": HOSTILE, "error": {"message": HOSTILE},
                "inputRequests": {HOSTILE: {"method": "elicitation/create", "params": {"message": HOSTILE, "requestedSchema": {"properties": {HOSTILE: {"type": "string", "title": HOSTILE}}}}}}}]
    lab.driver.script("heard(arguments[0]); frame('stream', arguments[0]); $('lesson').replaceChildren(...markdown(arguments[1]))", made_up[0], f"# {HOSTILE}\n\n| {HOSTILE} |\n")
    assert lab.driver.script("return document.querySelectorAll('main img, main script').length") == 0
    assert lab.driver.script("return document.title") == "Call now, fetch later"


def case_the_copied_command_repeats_a_request(lab: Lab) -> None:
    lab.driver.script("frame('->', framed('tools/call', {name: 'notes_search', arguments: {query: \"it's\", limit: 1}}))")
    lab.driver.click("#frames button")
    lab.wait("const row = document.querySelector('#frames li'); return /Copied|main.py call/.test(row.innerText)")
    copied = lab.driver.script("return command(framed('tools/call', {name: 'notes_search', arguments: {query: \"it's\", limit: 1}}))")
    words = shlex.split(copied)
    done = subprocess.run([sys.executable, *words[1:]], cwd=lab.folder / "lab", capture_output=True, text=True, timeout=30)
    assert done.returncode == 0 and "matches" in done.stdout, (copied, done.stdout, done.stderr)


def case_an_exercise_is_solved_in_the_editor(lab: Lab) -> None:
    lab.driver.click("#tab-course")
    lab.wait("return document.querySelectorAll('#list button').length == 12")
    lab.driver.click("#list button[data-number='1']")
    lab.wait("return !document.querySelector('#desk').hidden")
    lab.driver.click("#grade")
    assert "failed: 0 of 17" in lab.wait("const verdict = document.querySelector('#verdict'); return verdict && verdict.innerText", limit_s=60)
    lab.driver.click("#hint")
    assert "Hint 1 of 3" in lab.wait("const hint = document.querySelector('.hint'); return hint && hint.innerText")
    solution = (lab.folder / "lab/lessons/ex01_call_now_fetch_later/solution.py").read_text(encoding="utf-8")
    lab.driver.script("$('answer').value = arguments[0]; $('answer').dispatchEvent(new Event('input'))", solution)
    lab.driver.click("#grade")
    lab.wait("const verdict = document.querySelector('#verdict'); return verdict && verdict.innerText == 'passed: 17 of 17 points'", limit_s=60)
    assert solution == (lab.folder / "lab/lessons/ex01_call_now_fetch_later/answer.py").read_text(encoding="utf-8")
    lab.wait("return document.querySelector('#list button').innerText.includes('passed, 17 of 17')")
    lines = lab.driver.script("return $('gutter').textContent.trim().split('\\n').length")
    assert lines == solution.count("\n") + 1, lines
    lab.driver.click("#tab-board")


def case_two_editors_lose_no_text(lab: Lab) -> None:
    answer = lab.folder / "lab/lessons/ex05_read_the_roadmap/answer.py"
    lab.driver.click("#tab-course")
    lab.driver.click("#list button[data-number='5']")
    lab.wait("return $('title').innerText.startsWith('Exercise 5')")
    lab.driver.script("$('answer').value += '\\n# from the page\\n'; $('answer').dispatchEvent(new Event('input'))")
    lab.driver.click("#save")
    lab.wait("return $('saved').innerText == 'Saved.'")
    theirs = answer.read_text(encoding="utf-8") + "# from elsewhere\n"
    answer.write_text(theirs, encoding="utf-8")
    lab.driver.click("#grade")                                     # nothing was typed here, so the page follows
    lab.wait("return $('answer').value.includes('# from elsewhere') && document.querySelector('#verdict')", limit_s=60)
    assert answer.read_text(encoding="utf-8") == theirs
    answer.write_text(theirs + "# and more\n", encoding="utf-8")
    lab.driver.script("$('answer').value += '# typed\\n'; $('answer').dispatchEvent(new Event('input'))")
    lab.driver.click("#grade")
    lab.wait("return $('results').innerText.includes('changed elsewhere')")
    assert answer.read_text(encoding="utf-8") == theirs + "# and more\n", "another editor's text was overwritten"
    assert "# typed" in lab.driver.script("return $('answer').value"), "the page's own text was lost"
    lab.driver.errors()                                            # the refusal was meant
    lab.driver.script("$('answer').value = onDisk")
    lab.driver.click("#tab-board")


def case_everything_can_be_done_without_a_mouse(lab: Lab) -> None:
    driver = lab.driver
    driver.script("document.activeElement.blur(); $('tab-board').focus()")
    driver.keys(RIGHT)
    lab.wait("return !$('view-course').hidden && document.activeElement.id == 'tab-course'")
    reached = focus_order(driver, 8)
    assert any(one.startswith("button 1 ") for one in reached), reached
    driver.script("document.querySelector(\"#list button[data-number='2']\").focus()")
    driver.keys(ENTER)
    lab.wait("return $('title').innerText.startsWith('Exercise 2')")
    driver.script("$('answer').focus(); $('answer').setSelectionRange(0, 0)")
    before = driver.script("return $('answer').value")
    driver.keys(TAB)
    assert driver.script("return $('answer').value") == "    " + before, "Tab does not indent"
    driver.keys(f"{CONTROL}+z")
    assert driver.script("return $('answer').value") == before, "the indent cannot be undone"
    driver.keys(ESCAPE, TAB)
    assert driver.script("return document.activeElement.id") == "save", "Escape and Tab do not leave the editor"
    driver.script("$('tab-course').focus()")
    driver.keys(RIGHT)
    lab.wait("return !$('view-board').hidden")
    driver.script("document.querySelector('details[data-tool=generate_report] summary').focus()")
    open_before = driver.script("return document.querySelector('details[data-tool=generate_report]').open")
    driver.keys(*([ENTER] * (1 if not open_before else 2)))
    cards = driver.script("return document.querySelectorAll('.card').length")
    driver.script("document.querySelector('#generate_report-pace_ms').value = '300'; document.querySelector('#generate_report-title').focus()")
    driver.keys(ENTER)
    lab.wait("return document.querySelectorAll('.card').length > arguments[0]", cards)
    names = driver.script("return [...document.querySelectorAll('button, input, select, textarea')].filter(one => !(one.textContent.trim() || one.labels && one.labels.length || one.ariaLabel)).map(one => one.id || one.name)")
    assert not names, f"without a name for a screen reader: {names}"


def focus_order(driver: Driver, steps: int) -> list[str]:
    """What Tab reaches, one after another."""
    reached = []
    for _ in range(steps):
        driver.keys(TAB)
        reached.append(driver.script("const at = document.activeElement; return at.tagName.toLowerCase() + ' ' + (at.innerText || at.id || '').slice(0, 30)"))
    return reached


def case_it_fits_a_narrow_window_in_both_schemes(lab: Lab) -> None:
    for scheme in ("light", "dark"):
        lab.driver.look(360, 740, scheme)
        for tab in ("course", "board"):
            lab.driver.script("$('tab-' + arguments[0]).click()", tab)
            wide = lab.driver.script("return [document.documentElement.scrollWidth, [...document.querySelectorAll('main *')].filter(one => one.getBoundingClientRect().right > 361 && !one.closest('svg, .editor, #lesson table, #frames')).slice(0, 3).map(one => one.outerHTML.slice(0, 90))]")
            assert wide[0] <= 360 and not wide[1], (scheme, tab, wide)
    lab.driver.look()


def case_another_page_in_the_same_browser_can_do_nothing(lab: Lab) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = lab.driver.script("return location.href")
    lab.driver.open(f"http://127.0.0.1:{server.server_port}/")
    tries = """const done = arguments[arguments.length - 1], base = arguments[0], token = arguments[1];
        const attempt = (path, options) => fetch(base + path, options).then(answer => answer.type == 'opaque' ? 'unread' : 'read ' + answer.status, () => 'failed');
        Promise.all([attempt('/lab/crash', {method: 'POST', body: '{}', headers: {'Content-Type': 'application/json', 'X-Lab-Token': token}}),
                     attempt('/lab/save', {method: 'POST', body: '{"number": 3, "text": "owned"}', headers: {'Content-Type': 'text/plain'}}),
                     attempt('/lab/save', {method: 'POST', mode: 'no-cors', body: '{"number": 3, "text": "owned"}', headers: {'Content-Type': 'text/plain'}}),
                     attempt('/', {}), attempt('/metrics', {})]).then(done)"""
    saw = lab.driver.do("POST", "/execute/async", {"script": tries, "args": [lab.mcp.removesuffix("/mcp"), lab.url.split("token=")[1]]})
    server.shutdown()
    server.server_close()
    assert saw == ["failed", "failed", "unread", "failed", "failed"], saw
    assert not (lab.folder / "lab/lessons/ex03_crash_recovery/answer.py").exists()
    lab.driver.errors()                                            # the refusals were meant
    lab.driver.open(here)
    lab.wait("return document.querySelectorAll('#tools details').length > 0")


class Elsewhere(http.server.BaseHTTPRequestHandler):
    """A page of somebody else."""

    def do_GET(self) -> None:
        """An empty page."""
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>Elsewhere</title><link rel=icon href='data:,'>")

    def log_message(self, *arguments: object) -> None:
        """Silent."""


def case_without_the_token_nothing_is_shown_but_what_to_do(lab: Lab) -> None:
    lab.driver.script("sessionStorage.clear()")
    lab.driver.open(lab.mcp.removesuffix("mcp"))
    assert "printed" in lab.wait("return !$('trouble').hidden && $('trouble').innerText")
    lab.driver.errors()                                            # the refusal was meant
    lab.driver.open(lab.url)
    lab.wait("return document.querySelectorAll('#tools details').length > 0")
    assert "token" not in lab.driver.script("return location.href"), "the token stays in the address"


# ---- the cases: the 2026 server ----------------------------------------------------

def modern_case_a_lease_a_key_and_an_approval_are_shown(lab: Lab) -> None:
    key = "<b>release-42</b>"
    task_id = lab.start("auditar_site", urls="http://127.0.0.1:1/\nhttp://127.0.0.1:1/2", idempotency_key=key, publicar=True)
    assert "Publicar" in lab.until(task_id, "input_required")
    facts = lab.wait("const facts = document.querySelector(arguments[0]); return facts && facts.innerText", lab.card(task_id, ".facts dl"))
    assert key in facts and "public / anonymous" in facts and "fencing token" in facts, facts
    lab.driver.click(lab.card(task_id, "form button[type=button]"))
    assert "completed" in lab.until(task_id, "completed")
    lab.driver.click(lab.card(task_id, ".fetch"))
    assert "publicado" in lab.wait("return document.querySelector(arguments[0]).innerText", lab.card(task_id, ".result"))


def modern_case_a_crash_is_followed_by_another_worker(lab: Lab) -> None:
    task_id = lab.start("generate_report", pace_ms=2500)
    lab.wait("const facts = document.querySelector(arguments[0]); return facts && /held by\\s+\\d+/.test(facts.innerText)", lab.card(task_id, ".facts dl"))
    lab.driver.click("#crash")
    lab.wait("const card = document.querySelector(`#column-completed [data-task=${arguments[0]}]`); return card && /fencing token\\s+2/.test(card.innerText)", task_id, limit_s=30)
    lab.driver.errors()                                            # the lost connection was meant


def modern_case_a_task_is_cancelled_and_is_there_after_a_reload(lab: Lab) -> None:
    task_id = lab.start("generate_report", pace_ms=60000)
    lab.driver.do("POST", "/refresh")
    lab.until(task_id, "working")
    lab.driver.click(lab.card(task_id, ".cancel"))
    lab.until(task_id, "cancelled")


def guarded_case_a_server_that_takes_tokens_asks_for_one(lab: Lab) -> None:
    token = subprocess.run([sys.executable, "main.py", "token", "--auth", "auth.json", "--subject", "carla"], cwd=lab.folder / "lab", capture_output=True, text=True, timeout=30).stdout.strip()
    lab.driver.type("#token", token)
    lab.driver.click("#use-token")
    lab.wait("return document.querySelectorAll('#tools details').length > 0")
    task_id = lab.start("generate_report", pace_ms=0)
    lab.until(task_id, "completed")
    lab.wait("return document.querySelector(arguments[0]).innerText.includes('classroom / carla')", lab.card(task_id, ".facts"))
    assert token not in lab.driver.script("return document.documentElement.outerHTML"), "the token stands on the page"


# ---- running them ------------------------------------------------------------------

def cases(prefix: str) -> list[Callable]:
    """The functions whose names begin so, in their order."""
    return [thing for name, thing in globals().items() if name.startswith(prefix)]


def attempt(case: Callable, lab: Lab) -> bool:
    """Runs a case; whether it passed, and the console has nothing to complain of."""
    try:
        case(lab)
        errors = lab.driver.errors()
        assert not errors, f"the console says {errors}"
    except Exception:
        print(f"FAILED  {case.__name__}\n{traceback.format_exc()}", flush=True)
        return False
    print(f"passed  {case.__name__}", flush=True)
    return True


def pictures(driver: Driver, lab: Lab, folder: pathlib.Path) -> None:
    """The page light and dark, wide and narrow."""
    driver.script("document.querySelectorAll('.card').forEach(card => { tasks.delete(card.dataset.task); card.remove(); })")
    lab.start("generate_report", title="A report", pace_ms=0)
    lab.start("generate_report", pace_ms=12_000)
    lab.start("generate_report", ask_title=True)
    driver.script("document.querySelectorAll('#tools details').forEach(one => { one.open = false; }); return choose(2).then(grade)")
    time.sleep(0.5)
    for name, width, height in (("wide", 1280, 1100), ("narrow", 360, 1400)):
        for scheme in ("light", "dark"):
            for tab in ("board", "course"):
                driver.look(width, height, scheme)
                driver.script("$('tab-' + arguments[0]).click(); scrollTo(0, 0)", tab)
                time.sleep(0.2)
                driver.shot(folder / f"{tab}-{name}-{scheme}.png")
    driver.look()
    driver.script("$('tab-board').click()")


def run() -> int:
    """All cases; prints 'N passed, N failed' last."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--shots", type=pathlib.Path, metavar="FOLDER", help="keep pictures of the page")
    chosen, results = options.parse_args(), []
    with browser() as driver, tempfile.TemporaryDirectory(prefix="lesson-13-page-") as name:
        folder = pathlib.Path(name)
        with contextlib.closing(contextlib.ExitStack()) as stack:
            driver.look()
            lab = Lab(driver, folder)
            stack.callback(lab.end)
            results += map(functools.partial(attempt, lab=lab), cases("case_"))
            if chosen.shots:
                chosen.shots.mkdir(parents=True, exist_ok=True)
                pictures(driver, lab, chosen.shots)
        lab = Lab(driver, folder, "--wire", main.MODERN, "--db", str(folder / "lab.db"))
        results += map(functools.partial(attempt, lab=lab), cases("modern_case_"))
        if chosen.shots:
            driver.shot(chosen.shots / "board-2026.png")
        lab.end()
        subprocess.run([sys.executable, "main.py", "token", "--auth", "auth.json"], cwd=folder / "lab", capture_output=True, timeout=30)
        driver.script("sessionStorage.clear()")
        lab = Lab(driver, folder, "--wire", main.MODERN, "--db", str(folder / "guarded.db"), "--auth", "auth.json")
        results += map(functools.partial(attempt, lab=lab), cases("guarded_case_"))
        lab.end()
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(run())
