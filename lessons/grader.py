"""Tries an answer, check by check, in a process of its own, and says what went wrong.

In reading order:
    Checks    what a check is, and what it is given
    Child     the process in which a learner's file runs
    Parent    starts it, limits it, reads its results
    Words     turns a result into text

A child process keeps an endless loop, a crash or a full screen away from the grader.  It
protects from accidents and is no security sandbox: the learner's code can do whatever the
learner can.

There are no hidden checks: all of them stand in the exercise's checks.py.
"""
from __future__ import annotations

import collections
import configparser
import contextlib
import dataclasses
import faulthandler
import functools
import hashlib
import importlib
import json
import logging
import os
import pathlib
import random
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import traceback
import types
from dataclasses import dataclass, field
from typing import Any, Callable, Iterable, Iterator

import lessons
import main

PASSED, FAILED, TIMED_OUT, NOT_DECIDED = "passed", "failed", "timed out", "not decided"
LIMIT_S = 10.0                     # for one check
HURRIED_S = 3.0                    # for each check after one that ran out of time
OUTPUT_LIMIT = 1_000_000           # bytes that a learner's program may print
MEMORY_LIMIT = 2 << 30
SEED = 13

# ======================================================================================
# Checks
# ======================================================================================


class Mistake(BaseException):
    """A check has found a mistake.  `name` chooses the words; see texts.en.ini.

    Not an Exception: an answer that catches those must not catch this.
    """

    def __init__(self, name: str, tried: str, expected: Any, saw: Any):
        super().__init__(name)
        self.name, self.tried, self.expected, self.saw = name, tried, expected, saw


@dataclass
class Trial:
    """What a check is given besides the answer: a folder, luck with a seed, and a notebook.

    `timeline` collects (seconds, who, what, state); a True at the end marks the first wrong
    event.  `clock_s` is a time that only the check moves.
    """
    folder: pathlib.Path
    seed: int
    clock_s: float = 0.0
    timeline: list = field(default_factory=list)
    woken: Callable[[], None] = lambda: None             # called after each sleep on the check's own time

    def __post_init__(self) -> None:
        self.random, self.thread = random.Random(self.seed), threading.get_ident()

    def expect(self, mistake: str, tried: str, expected: Any, saw: Any) -> None:
        """Unless `saw` equals `expected`, that is the mistake of this name."""
        if saw != expected:
            self.fail(mistake, tried, expected, saw)

    def require(self, holds: Any, mistake: str, tried: str, expected: str, saw: Any) -> None:
        """Unless it holds, that is the mistake; `expected`, and a text in `saw`, are words."""
        if not holds:
            self.fail(mistake, tried, Words(expected), Words(saw) if isinstance(saw, str) else saw)

    def fail(self, mistake: str, tried: str, expected: Any, saw: Any) -> None:
        """Ends the check with a mistake."""
        raise Mistake(mistake, tried, expected, saw)

    @contextlib.contextmanager
    def own_time(self) -> Iterator[None]:
        """In this block time.sleep takes no time: it moves `clock_s`, which time.monotonic reads."""
        CLOCKS.append(self)
        try:
            yield
        finally:
            CLOCKS.pop()

    def trace(self, direction: str, message: Any) -> None:
        """What a Client sends and receives, for its `trace`."""
        self.note(direction, str(main.brief(message))[:120])

    def note(self, who: str, what: str, state: str = "", wrong: bool = False) -> None:
        """Writes an event into the timeline, at the check's own time."""
        self.timeline.append((round(self.clock_s, 3), who, what, state, wrong))

    def mark(self, position: int) -> None:
        """Marks an event of the timeline as the first wrong one; what came later does not matter."""
        self.timeline[position:] = [(*self.timeline[position][:4], True)]


CLOCKS: list[Trial] = []           # the trial whose time it is now, if any; in its own thread


def own_clock() -> Trial | None:
    """The trial that decides what time it is, for this thread."""
    return CLOCKS[-1] if CLOCKS and CLOCKS[-1].thread == threading.get_ident() else None


def install_clock() -> None:
    """Lets a check decide what time it is; called before an answer is imported."""
    sleep, monotonic = time.sleep, time.monotonic

    def own_sleep(seconds: float) -> None:
        trial = own_clock()
        if trial is None:
            return sleep(seconds)
        trial.clock_s += seconds
        trial.woken()

    def own_monotonic() -> float:
        trial = own_clock()
        return monotonic() if trial is None else trial.clock_s
    time.sleep, time.monotonic = own_sleep, own_monotonic


def code_of(call: Callable[[], Any]) -> Any:
    """What a call gives, or the code of the RpcError that it raises."""
    try:
        return call()
    except main.RpcError as error:
        return error.code


class Words(str):
    """Text that is shown as it is, where other values are shown as Python writes them."""


def check(points: int, limit_s: float = LIMIT_S) -> Callable:
    """Marks a function(answer, trial) as a check.  It passes if it returns."""
    def mark(function: Callable) -> Callable:
        function.points, function.limit_s = points, limit_s
        return function
    return mark


def checks_of(exercise: str) -> dict[str, Callable]:
    """The checks of an exercise, by name, in the order in which they stand in its checks.py."""
    module = checks_module(exercise)
    return {name: thing for name, thing in vars(module).items() if hasattr(thing, "points")}


def checks_module(exercise: str) -> types.ModuleType:
    """The exercise's checks.py."""
    return importlib.import_module(f"lessons.{exercise}.checks")


# ======================================================================================
# Child
# ======================================================================================


class Notebook:
    """Where the child writes its results: a file that the learner's prints do not reach."""

    def __init__(self, path: str, nonce: str):
        self._file, self._nonce, self._pid = open(path, "a", encoding="utf-8"), nonce, os.getpid()

    def write(self, **record: Any) -> None:
        """One line of JSON.  A forked copy of this process has nothing to say."""
        if os.getpid() == self._pid:
            self._file.write(json.dumps({"nonce": self._nonce, **record}, default=repr) + "\n")
            self._file.flush()


def child(exercise: str, answer: str, results: str, nonce: str, seed: str, limit_s: str, to_the_end: str, *names: str) -> None:
    """Runs the named checks on an answer.  Called in a fresh process; see Parent.command."""
    notebook = Notebook(results, nonce)
    trace = open(results + ".trace", "w", encoding="utf-8")
    limit_memory()
    watch_forks()
    install_clock()
    logging.getLogger("lesson-13").propagate = False      # what the lab logs is not what the learner prints
    logging.getLogger("lesson-13").addHandler(logging.NullHandler())
    all_checks = checks_of(exercise)
    faulthandler.dump_traceback_later(min(LIMIT_S, float(limit_s)), exit=True, file=trace)
    try:
        module = lessons.load(pathlib.Path(answer), "answer")
    except BaseException as error:
        return notebook.write(load=describe(error, answer))
    missing = [name for name in checks_module(exercise).NAMES if not hasattr(module, name)]
    if missing:
        return notebook.write(load={"mistake": "missing_name", "saw": ", ".join(missing)})
    for name in names:
        faulthandler.dump_traceback_later(min(all_checks[name].limit_s, float(limit_s)), exit=True, file=trace)
        notebook.write(begin=name)
        print(f"\0{nonce}:{name}", flush=True)             # what is printed from here on belongs to this check
        record = run_check(all_checks[name], module, answer, int(seed))
        notebook.write(check=name, **record)
        if record["verdict"] != PASSED and not to_the_end:
            break
    faulthandler.cancel_dump_traceback_later()
    notebook.write(done=len(names))


def limit_memory() -> None:
    """An endless list must not take the machine along.  Windows and macOS have no such limit."""
    try:
        import resource
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    except (ImportError, ValueError, OSError):
        pass


FORKS: list[int] = []


def watch_forks() -> None:
    """A fork makes a second grader; it ends at once, and the first one takes note."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lambda: FORKS.append(1), after_in_child=lambda: os._exit(70))


def run_check(function: Callable, module: types.ModuleType, answer: str, seed: int) -> dict:
    """The verdict of one check, as a dict that JSON can carry."""
    before = set(threading.enumerate())
    FORKS.clear()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        trial = Trial(pathlib.Path(folder), seed)
        try:
            function(module, trial)
        except Mistake as mistake:
            found = {"mistake": mistake.name, "tried": mistake.tried, "expected": shown(mistake.expected), "saw": shown(mistake.saw)}
        except BaseException as error:
            found = describe(error, answer)
        else:
            found = leftovers(before)
    if found is None:
        return {"verdict": PASSED}
    verdict = NOT_DECIDED if found["mistake"] == "grader_stumbled" else FAILED
    return {"verdict": verdict, "timeline": trial.timeline, **found}


def leftovers(before: set) -> dict | None:
    """A thread, a fork or a process that the answer left behind is a mistake too."""
    deadline = time.monotonic() + 1.0
    while (left := set(threading.enumerate()) - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    if left:
        return {"mistake": "thread_left", "saw": ", ".join(sorted(thread.name for thread in left))}
    if FORKS:
        return {"mistake": "forked", "saw": f"{len(FORKS)} times"}
    try:
        if os.name != "nt" and os.waitpid(-1, os.WNOHANG) == (0, 0):
            return {"mistake": "process_left", "saw": "a child process that still runs"}
    except ChildProcessError:
        pass
    return None


def describe(error: BaseException, answer: str) -> dict:
    """What an exception says about the learner's file: which line, and what was raised there."""
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == answer]
    where = f"line {lines[-1].lineno}" if lines else ""
    said = "".join(traceback.format_exception_only(type(error), error)).strip()[-400:]
    if isinstance(error, SyntaxError) and error.filename == answer:
        return {"mistake": "syntax", "where": f"line {error.lineno}", "saw": said}
    if isinstance(error, SystemExit):
        return {"mistake": "ended_program", "where": where, "saw": f"sys.exit({error.code!r})"}
    if isinstance(error, NotImplementedError) and lines:
        return {"mistake": "not_written", "where": where, "saw": str(error) or lines[-1].name}
    if isinstance(error, EOFError) and lines:
        return {"mistake": "asked_keyboard", "where": where, "saw": said}
    if error.__cause__ or error.__context__:
        said += f" (because of {error.__cause__ or error.__context__})"
    expected = isinstance(error, (TypeError, ValueError, LookupError, AttributeError, OSError, main.RpcError))
    return {"mistake": "raised" if lines else "odd_value" if expected else "grader_stumbled", "where": where, "saw": said[-600:]}


def shown(value: Any) -> str:
    """A value as a learner would write it, within reason.  Example: shown([1]) -> '[1]'"""
    text = str(value) if isinstance(value, Words) else repr(value)
    return text if len(text) <= 600 else text[:600] + " ..."


# ======================================================================================
# Parent
# ======================================================================================


@dataclass
class Result:
    """How one check went."""
    name: str
    verdict: str
    points: int
    maximum: int
    mistake: str = ""
    where: str = ""
    tried: str = ""
    expected: str = ""
    saw: str = ""
    printed: str = ""
    timeline: list = field(default_factory=list)


def overall(verdicts: Iterable[str]) -> str:
    """The worst of several verdicts.  Only a complete positive result is a pass; no results at all are none."""
    found = set(verdicts) or {NOT_DECIDED}
    return next(verdict for verdict in (FAILED, TIMED_OUT, NOT_DECIDED, PASSED) if verdict in found)


@dataclass
class Report:
    """How an exercise went."""
    exercise: str
    seed: int
    results: list[Result]

    @property
    def verdict(self) -> str:
        """Of all its checks."""
        return overall(result.verdict for result in self.results)

    @property
    def points(self) -> int:
        return sum(result.points for result in self.results)

    @property
    def maximum(self) -> int:
        return sum(result.maximum for result in self.results)

    @property
    def first_failure(self) -> Result | None:
        """The check to look at first."""
        return next((result for result in self.results if result.verdict != PASSED), None)


def grade(exercise: str, answer: pathlib.Path, seed: int = SEED, limit_s: float = 60.0, to_the_end: bool = True) -> Report:
    """Runs the checks of an exercise on a file: all, or up to the first that fails.

    If one check ends the child process, the rest are run in another.  Once the time has run
    out, it is short for what follows: a learner with an endless loop should not wait for all.
    """
    checks = checks_of(exercise)
    left, results = list(checks), []
    shadow = shadowing(answer)
    if shadow:
        found = {"verdict": NOT_DECIDED, "mistake": "shadows_module", "saw": shadow}
        return Report(exercise, seed, [result_of(checks, name, found) for name in left])
    while left:
        found = Parent(exercise, answer, seed, limit_s, to_the_end).run(left)
        if any(record["verdict"] == TIMED_OUT for record in found.values()):
            limit_s = min(limit_s, HURRIED_S)
        results += [result_of(checks, name, record) for name, record in found.items()]
        left = left[len(found):] if to_the_end or results[-1].verdict == PASSED else []
    return Report(exercise, seed, results)


def result_of(checks: dict, name: str, record: dict) -> Result:
    """A Result from what the child wrote about a check."""
    fields = {one.name for one in dataclasses.fields(Result)}
    points = checks[name].points
    return Result(name=name, points=points if record["verdict"] == PASSED else 0, maximum=points,
                  **{key: value for key, value in record.items() if key in fields})


def shadowing(answer: pathlib.Path) -> str:
    """A file beside the answer that is named like a standard module, or ''."""
    own = {"answer", "exercise", "solution", "checks"}
    names = [path.name for path in answer.parent.iterdir() if path.stem in sys.stdlib_module_names - own
             and (path.suffix == ".py" or (path / "__init__.py").exists())]
    return ", ".join(sorted(names))


class Parent:
    """One child process: its command, its limits, and what it wrote."""

    def __init__(self, exercise: str, answer: pathlib.Path, seed: int, limit_s: float, to_the_end: bool):
        self.exercise, self.answer, self.seed, self.limit_s, self.to_the_end = exercise, answer, seed, limit_s, to_the_end
        self.nonce = secrets.token_hex(8)
        self.printed, self.flooded, self.overdue = b"", False, False

    def run(self, names: list[str]) -> dict[str, dict]:
        """Name -> record for the checks that were decided, in order: at least the first one."""
        with tempfile.TemporaryDirectory(prefix="lesson-13-grade-", ignore_cleanup_errors=True) as folder:
            work = pathlib.Path(folder, "work")
            work.mkdir()
            process = subprocess.Popen(self.command(folder, names), cwd=work, env=clean_environment(folder),
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **own_group())
            reader = threading.Thread(target=self.read_output, args=(process,))
            reader.start()
            try:
                process.wait(self.whole_limit(names))
            except subprocess.TimeoutExpired:
                self.overdue = True
            end_group(process)
            process.wait()
            reader.join()
            process.stdout.close()
            return self.verdicts(names, pathlib.Path(folder, "results"), process.returncode)

    def whole_limit(self, names: list[str]) -> float:
        """When to end a child whose own alarm does not ring."""
        return 5.0 + sum(min(check.limit_s, self.limit_s) for name, check in checks_of(self.exercise).items() if name in names)

    def command(self, folder: str, names: list[str]) -> list[str]:
        """The child's command."""
        return isolated("from lessons import grader; grader.child(*sys.argv[1:]); sys.stdout.flush(); import os; os._exit(0)",
                        self.exercise, self.answer, pathlib.Path(folder, "results"), self.nonce, self.seed, self.limit_s,
                        "yes" if self.to_the_end else "", *names)

    def read_output(self, process: subprocess.Popen) -> None:
        """Reads while the child runs, keeps the beginning, and ends a flood."""
        total = 0
        while piece := process.stdout.read1(65536):
            total += len(piece)
            self.printed = (self.printed + piece)[:200_000]
            if total > OUTPUT_LIMIT:
                self.flooded = True
                end_group(process)

    def verdicts(self, names: list[str], results: pathlib.Path, code: int) -> dict[str, dict]:
        """Reads the child's notebook.  What it did not say counts against it."""
        records = [record for record in read_lines(results) if record.get("nonce") == self.nonce]
        printed = self.printed_by_check()
        load = next((record["load"] for record in records if "load" in record), None)
        if load:
            return {name: {"verdict": FAILED, "printed": printed[""], **load} for name in names}
        found = {record["check"]: {**record, "printed": printed[record["check"]]} for record in records if "check" in record}
        if any("done" in record for record in records) and (len(found) == len(names) or not self.to_the_end):
            return found
        ended = self.how_it_ended(results, code)
        if not any("begin" in record for record in records):
            return {name: {"printed": printed[""], **ended} for name in names}             # it never got as far as a check
        last = names[min(len(found), len(names) - 1)]
        return {**found, last: {"printed": printed[last], **ended}}

    def printed_by_check(self) -> dict[str, str]:
        """What was printed, by the name of the check during which it was; '' for the import."""
        printed, name = collections.defaultdict(str), ""
        for part in self.printed.decode("utf-8", errors="replace").split("\0"):
            if part.startswith(self.nonce + ":"):
                name, _, part = part[len(self.nonce) + 1:].partition("\n")
            printed[name] = (printed[name] + part.strip())[-2000:]
        return printed

    def how_it_ended(self, results: pathlib.Path, code: int) -> dict:
        """Why a child is silent: out of time, too loud, or gone."""
        trace = results.with_name("results.trace")
        trace_text = trace.read_text(encoding="utf-8", errors="replace") if trace.exists() else ""
        if self.flooded:
            return {"verdict": FAILED, "mistake": "flooded", "saw": f"more than {OUTPUT_LIMIT} bytes of output"}
        if "Timeout" in trace_text or self.overdue:
            return {"verdict": TIMED_OUT, "mistake": "timed_out", **where_it_was(trace_text, str(self.answer))}
        return {"verdict": FAILED, "mistake": "process_ended", "saw": f"exit code {code}"}


def where_it_was(trace: str, answer: str) -> dict:
    """The learner's line that was running, from faulthandler's dump."""
    name = re.escape(pathlib.Path(answer).name)           # faulthandler writes a path in ASCII, so only its end is sure
    running = re.search(rf'File ".*{name}", line (\d+) in (\S+)', trace)
    if not running:
        return {"saw": Words("the time was over")}
    return {"where": f"line {running[1]}", "saw": Words(f"line {running[1]}, in {running[2]}, was running when the time was over")}


def read_lines(path: pathlib.Path) -> list[dict]:
    """The child's records; a last line that was cut off is not one."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")[:-1]
    return [json.loads(line) for line in lines]


def isolated(code: str, *arguments: Any) -> list[str]:
    """The command of a Python that sees neither environment nor working folder: only the lab is importable."""
    code = f"import sys; sys.path.insert(0, {str(lessons.FOLDER.parent)!r}); {code}"
    return [sys.executable, "-I", "-B", "-X", "utf8", "-c", code, *map(str, arguments)]


def clean_environment(folder: str) -> dict[str, str]:
    """What a child needs from the environment and no more."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "WINDIR", "LANG", "LC_ALL") if name in os.environ}
    return {**kept, "HOME": folder, "TMPDIR": folder, "TEMP": folder, "TMP": folder, "NO_COLOR": "1"}


def own_group() -> dict:
    """Popen options that let us end a child together with its children."""
    if os.name == "nt":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def end_group(process: subprocess.Popen) -> None:
    """Ends a child and all that it started."""
    if os.name == "nt":
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True)
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


# ======================================================================================
# Words
# ======================================================================================

GENERAL = "general"                # the section for mistakes that any exercise can meet


@functools.lru_cache(maxsize=None)
def texts() -> configparser.RawConfigParser:
    """All learner-facing text, one file a language.  Missing entries are an error, not a blank."""
    parser = configparser.RawConfigParser(delimiters=("=",), comment_prefixes=(";",), interpolation=None, strict=True)
    parser.optionxform = str
    with open(lessons.FOLDER / "texts.en.ini", encoding="utf-8") as file:
        parser.read_file(file)
    return parser


def word(section: str, key: str, **values: Any) -> str:
    """One text, with the learner's own values in place of {name}.  Raises KeyError if there is none."""
    text = texts()[section][key].strip()
    return re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], found[0])), text)


def first_word(places: list[tuple[str, str]], **values: Any) -> str:
    """The first of several texts that there is."""
    section, key = next((section, key) for section, key in places if key in texts()[section])
    return word(section, key, **values)


def short(exercise: str) -> str:
    """The name of an exercise's section.  Example: short('ex04_sqlite_store') -> 'ex04'"""
    return exercise[:4]


def section_of(exercise: str, name: str) -> str:
    """The section of a check.  Example: section_of('ex04_sqlite_store', 'order') -> 'ex04.order'"""
    return f"{short(exercise)}.{name}"


def explain(exercise: str, result: Result) -> dict[str, str]:
    """The words for a failed check: what it means, the rule and its source, and one next step."""
    section, mistake = section_of(exercise, result.name), result.mistake
    values = {"saw": result.saw, "expected": result.expected, "where": result.where, "number": int(exercise[2:4])}
    return {what: first_word([(place, f"{what}.{mistake}") for place in (section, short(exercise), GENERAL)] + [(section, what)], **values)
            for what in ("says", "rule", "next")}


def fingerprint(path: pathlib.Path) -> str:
    """A hash of a file, to tell whether a verdict is still about it."""
    return hashlib.sha256(path.read_bytes() if path.exists() else b"").hexdigest()[:16]


class Page:
    """Text for a terminal, a pipe or a reader: as wide as there is room, colour only on a terminal."""
    COLOURS = {PASSED: "32", FAILED: "31", TIMED_OUT: "33", NOT_DECIDED: "33"}

    def __init__(self, stream: Any = None):
        self._stream = stream or sys.stdout
        self.width = max(24, min(shutil.get_terminal_size((80, 24)).columns, 100) - 1)
        self._colour = self._stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"

    def say(self, text: str = "", first: str = "") -> None:
        """Prints a text, wrapped, behind what its first line begins with; further lines go under the text."""
        rest = " " * min(len(first), 13)
        for position, line in enumerate(text.split("\n")):
            start = first if position == 0 else rest
            wrapped = textwrap.wrap(line, self.width, initial_indent=start, subsequent_indent=rest,
                                    break_on_hyphens=False) or [start.rstrip()]
            print("\n".join(wrapped), file=self._stream)

    def verdict(self, verdict: str, text: str) -> None:
        """A line that begins with a verdict."""
        start = verdict.upper().ljust(12)
        lines = textwrap.wrap(text, max(10, self.width - 12)) or [""]
        shown_start = f"\x1b[{self.COLOURS[verdict]}m{start}\x1b[0m" if self._colour else start
        print(shown_start + ("\n" + " " * 12).join(lines), file=self._stream)

    def timeline(self, events: list) -> None:
        """Time, who, what, state; the first wrong event is marked."""
        first = next((position for position, event in enumerate(events) if event[4]), len(events))
        for seconds, who, what, state, wrong in events[max(0, first - 12):first + 4]:
            self.say(f"{seconds:8.3f}  {who} {what} {state}".rstrip() + ("   <== here" if wrong else ""), "  ")


def show_report(report: Report, page: Page) -> None:
    """An exercise's results, and in full the first thing that went wrong."""
    exercise = report.exercise
    page.say(word(GENERAL, "graded", number=int(exercise[2:4]), title=word(short(exercise), "title"), seed=report.seed))
    for result in report.results:
        title = word(section_of(exercise, result.name), "title")
        page.verdict(result.verdict, word(GENERAL, "check_line", title=title, points=result.points, maximum=result.maximum))
    if report.first_failure:
        page.say()
        show_failure(report, report.first_failure, page)
    page.say()
    page.say(word(GENERAL, "score", points=report.points, maximum=report.maximum))


def show_failure(report: Report, result: Result, page: Page) -> None:
    """One shape for every failure: what was tried, expected, saw, why, and one next step."""
    said = explain(report.exercise, result)
    page.verdict(result.verdict, word(section_of(report.exercise, result.name), "title"))
    page.say(said["says"], "  ")
    number = int(report.exercise[2:4])
    again = f"python main.py grade {number} --seed {report.seed}"
    rows = (("tried", result.tried), ("expected", result.expected), ("saw", result.saw), ("where", result.where),
            ("rule", said["rule"]), ("next", said["next"]), ("printed", result.printed[-400:]), ("again", again))
    for name, text in rows:
        if text:
            page.say(text, "  " + word(GENERAL, f"label.{name}").ljust(11))
    if result.timeline:
        page.say(word(GENERAL, "label.timeline"), "  ")
        page.timeline(result.timeline)
