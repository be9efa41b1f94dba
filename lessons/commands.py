"""The commands of the course: lessons, start, grade, hint, solution, reset, undo, selfcheck.

Everything they say stands in texts.en.ini.  What they remember stands in .progress.json
beside the answers; whoever loses it loses hints and reveals, while `grade` makes the
verdicts anew.
"""
from __future__ import annotations

import argparse
import concurrent.futures
import difflib
import inspect
import json
import os
import pathlib
import shutil
import sys
import time
import types
from typing import Any, Callable

import lessons
import main
from lessons import grader, pieces
from lessons.grader import FAILED, GENERAL, PASSED, Page, Report, word

PROGRESS = lessons.FOLDER / ".progress.json"
CANNOT_LOAD = ("syntax", "missing_name", "shadows_module")      # mistakes of the file, not of a check
WRONG_ANSWERS = lessons.FOLDER.parent / "tests" / "wrong_answers"


# ---- files and progress ------------------------------------------------------------

def folder_of(exercise: str) -> pathlib.Path:
    """The folder of an exercise."""
    return lessons.FOLDER / exercise


def answer_of(exercise: str) -> pathlib.Path:
    """The learner's own file."""
    return folder_of(exercise) / "answer.py"


def exercise_named(number: int) -> str:
    """The folder name of an exercise by its number.  Raises UsageError if there is none."""
    known = lessons.exercises()
    if number not in known:
        raise main.UsageError(word(GENERAL, "no_such_exercise", number=number, first=min(known), last=max(known)))
    return known[number]


def read_progress() -> dict:
    """What is remembered, by exercise; an unreadable file counts as none."""
    try:
        progress = json.loads(PROGRESS.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return progress if isinstance(progress, dict) else {}


def remember(exercise: str, **facts: Any) -> None:
    """Adds facts about an exercise to the progress file."""
    progress = read_progress()
    progress[exercise] = {**progress.get(exercise, {}), **facts}
    main.write_file(PROGRESS, json.dumps(progress, indent=1), durable=False)


def fingerprints(exercise: str) -> dict:
    """What a verdict is about: this answer, these checks, this version of the lab."""
    return {"answer": grader.fingerprint(answer_of(exercise)), "lab": main.VERSION,
            "checks": grader.fingerprint(folder_of(exercise) / "checks.py")}


def standing(exercise: str) -> dict:
    """Where the learner is with an exercise: {state, points, maximum, revealed}."""
    known = read_progress().get(exercise, {})
    maximum = sum(check.points for check in grader.checks_of(exercise).values())
    where = {"points": 0, "maximum": maximum, "revealed": bool(known.get("revealed"))}
    if not answer_of(exercise).exists():
        return {**where, "state": "not_begun"}
    if "verdict" not in known:
        return {**where, "state": "begun"}
    where["points"] = known.get("points", 0)
    if {name: known.get(name) for name in ("answer", "lab", "checks")} != fingerprints(exercise):
        return {**where, "state": "stale"}
    return {**where, "state": "passed" if known["verdict"] == PASSED else "graded"}


def passed_piece(exercise: str) -> types.ModuleType:
    """The learner's answer if it has passed as it stands, else the solution."""
    name = "answer" if standing(exercise)["state"] == "passed" else "solution"
    return lessons.load(folder_of(exercise) / f"{name}.py", f"lessons.{exercise}.{name}")


def show_pieces() -> None:
    """Says, on stderr, which parts of a server are the learner's own."""
    page = Page(sys.stderr)
    for exercise in pieces.EXERCISES.values():
        passed = standing(exercise)["state"] == "passed"
        page.say(word(GENERAL, "piece_yours" if passed else "piece_the_labs", number=f"{int(exercise[2:4]):2}", name=exercise[5:]))


def make_answer(exercise: str) -> bool:
    """Makes answer.py from the starter, unless it is there; whether it was made."""
    if answer_of(exercise).exists():
        return False
    shutil.copy(folder_of(exercise) / "exercise.py", answer_of(exercise))
    return True


# ---- lessons and start -------------------------------------------------------------

def command_lessons(options: argparse.Namespace) -> int:
    page, following = Page(), None
    page.say(word(GENERAL, "course"))
    for number, exercise in lessons.exercises().items():
        where = standing(exercise)
        state = word(GENERAL, f"state.{where['state']}", **where) + (" " + word(GENERAL, "revealed") if where["revealed"] else "")
        page.say(word(GENERAL, "course_line", number=f"{number:2}", name=exercise[5:], minutes=word(exercise[:4], "minutes"), state=state))
        if following is None and where["state"] != "passed":
            following = word(GENERAL, "next_command", command="start" if where["state"] == "not_begun" else "grade", number=number)
    page.say()
    page.say(following or word(GENERAL, "course_done"))
    return main.FINE


def command_start(options: argparse.Namespace) -> int:
    exercise, page = exercise_named(options.number), Page()
    made = make_answer(exercise)
    page.say(word(GENERAL, "start_title", number=options.number, title=word(exercise[:4], "title"), minutes=word(exercise[:4], "minutes")))
    page.say(word(exercise[:4], "summary"))
    page.say()
    page.say(word(GENERAL, "start_read"), "  ")
    page.say(shown_path(folder_of(exercise) / "README.md"), "    ")
    page.say(word(GENERAL, "start_edit" if made else "start_kept"), "  ")
    page.say(shown_path(answer_of(exercise)), "    ")
    page.say(word(GENERAL, "start_then"), "  ")
    page.say(f"python main.py grade {options.number}", "    ")
    return main.FINE


def shown_path(path: pathlib.Path) -> str:
    """A path as short as it can be from where the learner stands."""
    try:
        return os.path.relpath(path)
    except ValueError:                       # another drive
        return str(path)


# ---- grade -------------------------------------------------------------------------

def command_grade(options: argparse.Namespace) -> int:
    if options.watch:
        return watch(options)
    if options.number is None:
        return grade_all(options)
    exercise = exercise_named(options.number)
    made = make_answer(exercise)
    report = grade_and_remember(exercise, options.seed)
    if made and not options.json:
        Page().say(word(GENERAL, "answer_made", path=shown_path(answer_of(exercise))))
    if options.json:
        print(json.dumps(as_json([report]), indent=1))
    else:
        show(report, Page())
    return exit_code([report])


def grade_and_remember(exercise: str, seed: int) -> Report:
    """Grades the learner's answer and notes the verdict together with what it is about."""
    about = fingerprints(exercise)
    report = grader.grade(exercise, answer_of(exercise), seed)
    first = report.first_failure
    remember(exercise, **about, verdict=report.verdict, points=report.points, maximum=report.maximum,
             first=first.name if first else None, mistake=first.mistake if first else None, seed=seed,
             passed_once=report.verdict == PASSED or read_progress().get(exercise, {}).get("passed_once", False))
    return report


def grade_all(options: argparse.Namespace) -> int:
    """Every exercise that has been begun."""
    begun = [exercise for exercise in lessons.exercises().values() if answer_of(exercise).exists()]
    reports = [grade_and_remember(exercise, options.seed) for exercise in begun]
    if options.json:
        print(json.dumps(as_json(reports), indent=1))
        return exit_code(reports)
    page = Page()
    for report in reports:
        page.verdict(report.verdict, word(GENERAL, "summary_line", number=int(report.exercise[2:4]), points=report.points,
                                          title=word(report.exercise[:4], "title"), maximum=report.maximum))
    for report in [report for report in reports if report.verdict != PASSED][:1]:
        page.say(word(GENERAL, "next_command", command="grade", number=int(report.exercise[2:4])))
    page.say(word(GENERAL, "nothing_begun") if not reports else
             word(GENERAL, "score", points=sum(one.points for one in reports), maximum=sum(one.maximum for one in reports)))
    return exit_code(reports)


def show(report: Report, page: Page) -> None:
    """A report, and what to do next: never the next exercise's errors."""
    grader.show_report(report, page)
    exercise, number = report.exercise, int(report.exercise[2:4])
    if read_progress().get(exercise, {}).get("revealed"):
        page.say(word(GENERAL, "was_revealed"))
    if report.verdict != PASSED:
        return page.say(word(GENERAL, "try_hint", number=number))
    page.say(word(exercise[:4], "why"))
    page.say(word(GENERAL, "not_checked", text=word(exercise[:4], "not_checked")))
    following = min((other for other in lessons.exercises() if other > number), default=None)
    page.say(word(GENERAL, "see_solution", number=number))
    page.say(word(GENERAL, "next_command", command="start", number=following) if following else word(GENERAL, "course_done"))


def as_json(reports: list[Report]) -> dict:
    """The object that `grade --json` prints; README.md describes it."""
    return {"lab": main.VERSION, "verdict": grader.overall(report.verdict for report in reports),
            "points": sum(report.points for report in reports), "maximum": sum(report.maximum for report in reports),
            "exercises": [exercise_json(report) for report in reports]}


def exercise_json(report: Report) -> dict:
    """One exercise of that object."""
    exercise = report.exercise
    return {"number": int(exercise[2:4]), "name": exercise[5:], "title": word(exercise[:4], "title"), "verdict": report.verdict,
            "points": report.points, "maximum": report.maximum, "seed": report.seed,
            "revealed": bool(read_progress().get(exercise, {}).get("revealed")),
            "not_checked": word(exercise[:4], "not_checked"),
            "checks": [{"name": one.name, "title": word(grader.section_of(exercise, one.name), "title"), "verdict": one.verdict,
                        "points": one.points, "maximum": one.maximum, "mistake": one.mistake, "where": one.where,
                        "tried": one.tried, "expected": one.expected, "saw": one.saw, "timeline": one.timeline,
                        **({} if one.verdict == PASSED else grader.explain(exercise, one))} for one in report.results]}


def exit_code(reports: list[Report]) -> int:
    """0 if all passed, 1 if a check failed, 3 if time ran out or nothing was decided."""
    return {PASSED: main.FINE, FAILED: main.CHECK_FAILED}.get(grader.overall(report.verdict for report in reports), main.UNDECIDED)


def watch(options: argparse.Namespace) -> int:
    """Grades again whenever the file's time stamp changes, until Ctrl-C."""
    if options.number is None:
        raise main.UsageError(word(GENERAL, "watch_one"))
    exercise, seen, page = exercise_named(options.number), None, Page()
    make_answer(exercise)
    page.say(word(GENERAL, "watching", path=shown_path(answer_of(exercise))))
    while True:
        stamp = answer_of(exercise).stat().st_mtime_ns if answer_of(exercise).exists() else None
        if stamp not in (None, seen):
            seen = stamp
            page.say()
            show(grade_and_remember(exercise, options.seed), page)
            sys.stdout.flush()
        time.sleep(0.3)


# ---- hint, solution, reset, undo ---------------------------------------------------

def command_hint(options: argparse.Namespace) -> int:
    say_hint(options.number, Page())
    return main.FINE


def say_hint(number: int, page: Page) -> None:
    """The next hint for the first check that failed.  Raises UsageError if there is none to give."""
    exercise = exercise_named(number)
    known = read_progress().get(exercise, {})
    name = known.get("first")
    if known.get("verdict") == PASSED:
        raise main.UsageError(word(GENERAL, "hint_passed", number=number))
    if known.get("mistake") in CANNOT_LOAD:
        page.say(word(GENERAL, "hint_load"))
        return page.say(word(GENERAL, f"next.{known['mistake']}", number=number, where=word(GENERAL, "hint_where")), "  ")
    if name not in grader.checks_of(exercise):
        raise main.UsageError(word(GENERAL, "grade_first", number=number))
    level = min(known.get("hints", {}).get(name, 0) + 1, 3)
    remember(exercise, hints={**known.get("hints", {}), name: level})
    section = grader.section_of(exercise, name)
    page.say(word(GENERAL, "hint_title", level=level, title=word(section, "title")))
    page.say(word(section, f"hint{level}"), "  ")
    page.say(word(GENERAL, "more_hints" if level < 3 else "no_more_hints", number=number))


def command_solution(options: argparse.Namespace) -> int:
    exercise = exercise_named(options.number)
    if not read_progress().get(exercise, {}).get("passed_once"):
        if not options.reveal:
            raise main.UsageError(word(GENERAL, "solution_locked", number=options.number))
        remember(exercise, revealed=True)
    solution = solution_text(exercise)
    print(solution)
    if answer_of(exercise).exists():
        Page().say(word(GENERAL, "difference"))
        answer = answer_of(exercise).read_text(encoding="utf-8", errors="replace")
        print("".join(difflib.unified_diff(answer.splitlines(keepends=True), solution.splitlines(keepends=True), "answer.py", "solution.py")))
    return main.FINE


def solution_text(exercise: str) -> str:
    """The source of solution.py; where that refers to the lab's own code, the source of that too."""
    path = folder_of(exercise) / "solution.py"
    solution = lessons.load(path, f"lessons.{exercise}.solution")
    parts = [path.read_text(encoding="utf-8")]
    for name in getattr(solution, "FROM_THE_LAB", ()):
        thing = inspect.unwrap(getattr(solution, name))
        first = inspect.getsourcelines(thing)[1]
        parts.append(word(GENERAL, "from_the_lab", name=name, line=first) + "\n" + inspect.cleandoc("\n" + inspect.getsource(thing)) + "\n")
    return "\n\n".join(parts)


def backups(exercise: str) -> list[pathlib.Path]:
    """Earlier answers that `reset` and `undo` have kept, oldest first."""
    return sorted(folder_of(exercise).glob("answer.*.bak"))


def keep_answer(exercise: str) -> None:
    """Moves the answer to a backup, whose name sorts behind all others."""
    if answer_of(exercise).exists():
        answer_of(exercise).rename(folder_of(exercise) / f"answer.{time.time_ns():020d}.bak")


def command_reset(options: argparse.Namespace) -> int:
    exercise = exercise_named(options.number)
    keep_answer(exercise)
    make_answer(exercise)
    Page().say(word(GENERAL, "reset_done", number=options.number))
    return main.FINE


def command_undo(options: argparse.Namespace) -> int:
    exercise = exercise_named(options.number)
    kept = backups(exercise)
    if not kept:
        raise main.UsageError(word(GENERAL, "nothing_to_undo", number=options.number))
    keep_answer(exercise)
    kept[-1].rename(answer_of(exercise))
    Page().say(word(GENERAL, "undo_done", number=options.number))
    return main.FINE


# ---- selfcheck ---------------------------------------------------------------------

def wrong_answers(exercise: str) -> list[tuple[pathlib.Path, str]]:
    """(file, 'check/mistake' that must catch it) of each plausible mistake; the first line names it."""
    found = []
    for path in sorted((WRONG_ANSWERS / exercise).glob("*.py")):
        first = path.read_text(encoding="utf-8").split("\n", 1)[0]
        found.append((path, first.removeprefix("# caught by: ").strip()))
    return found


def cases(exercise: str) -> list[tuple[str, pathlib.Path, str]]:
    """(label, file, what must happen) for an exercise: starter, solution, every wrong answer."""
    folder = folder_of(exercise)
    return [("starter", folder / "exercise.py", grader.checks_module(exercise).STARTER_FAILS), ("solution", folder / "solution.py", PASSED),
            *((path.stem, path, expected) for path, expected in wrong_answers(exercise))]


def chosen_cases(options: argparse.Namespace) -> list[tuple[str, str, pathlib.Path, str]]:
    """(exercise, label, file, what must happen) of all that selfcheck is to try: of the wrong answers only its share."""
    wanted = [exercise_named(options.number)] if options.number else lessons.exercises().values()
    every = [(exercise, *case) for exercise in wanted for case in cases(exercise)]
    part, of = options.share
    mistakes = [case for case in every if case[1] not in ("starter", "solution")]
    left_out = {case for position, case in enumerate(mistakes) if position % of != part % of}
    return [case for case in every if case not in left_out]


def outcome(report: Report) -> str:
    """'passed', or 'check/mistake' of the first check that did not pass."""
    first = report.first_failure
    return f"{first.name}/{first.mistake}" if first else PASSED


def command_selfcheck(options: argparse.Namespace) -> int:
    page, bad = Page(), 0
    every = chosen_cases(options)
    with concurrent.futures.ThreadPoolExecutor(2 * (os.cpu_count() or 2)) as pool:
        reports = pool.map(lambda case: grader.grade(case[0], case[2], to_the_end=case[3] == PASSED), every)
        for (exercise, label, path, expected), report in zip(every, reports):
            saw = outcome(report)
            good = saw == expected and (saw != PASSED or report.points == report.maximum)
            bad += not good
            text = word(GENERAL, "selfcheck_good" if good else "selfcheck_bad", exercise=exercise[:4], label=label, saw=saw, expected=expected)
            page.verdict(PASSED if good else FAILED, text)
    page.say(word(GENERAL, "selfcheck_sum", count=len(every), bad=bad))
    return main.CHECK_FAILED if bad else main.FINE


# ---- the command line --------------------------------------------------------------

def exercise_number(text: str) -> int:
    """An exercise by number, for argparse."""
    if not text.isascii() or not text.isdigit() or len(text) > 2:
        raise argparse.ArgumentTypeError(word(GENERAL, "not_a_number", text=text))
    return int(text)


def share(text: str) -> tuple[int, int]:
    """'2/4' -> (2, 4), for argparse."""
    part, slash, of = text.partition("/")
    if not slash or not part.isascii() or not part.isdigit() or of not in ("1", "2", "3", "4", "5", "6", "7", "8"):
        raise argparse.ArgumentTypeError(word(GENERAL, "not_a_share", text=text))
    return int(part), int(of)


def add_to(commands: Any) -> None:
    """Adds the course's commands to main.py's parser."""
    def add(name: str, run: Callable, number: str | None = None) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=word(GENERAL, f"help.{name}"), description=word(GENERAL, f"help.{name}"))
        command.set_defaults(run=run)
        if number is not None:
            command.add_argument("number", metavar="N", type=exercise_number, nargs=number or None, help=word(GENERAL, "help.number"))
        return command
    add("lessons", command_lessons)
    add("start", command_start, "")
    grade = add("grade", command_grade, "?")
    how = grade.add_mutually_exclusive_group()
    how.add_argument("--watch", action="store_true", help=word(GENERAL, "help.watch"))
    how.add_argument("--json", action="store_true", help=word(GENERAL, "help.json"))
    grade.add_argument("--seed", type=int, default=grader.SEED, help=word(GENERAL, "help.seed"))
    add("hint", command_hint, "")
    add("solution", command_solution, "").add_argument("--reveal", action="store_true", help=word(GENERAL, "help.reveal"))
    add("reset", command_reset, "")
    add("undo", command_undo, "")
    add("selfcheck", command_selfcheck, "?").add_argument("--share", type=share, default=(0, 1), metavar="K/N", help=word(GENERAL, "help.share"))
