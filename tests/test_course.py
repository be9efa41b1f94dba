"""The course's commands in a copy of the lab, its texts, its lessons, and what the skill promises."""
from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import unittest

import lessons
import main
from lessons import commands, grader
from lessons.design_linter import PARTS, REJECTS, lint
from lessons.grader import GENERAL, section_of, texts
from tests.support import ROOT, LabTest, child_environment, end

FIRST, QUICK = "ex01_call_now_fetch_later", "ex05_read_the_roadmap"


class CourseTest(LabTest):
    def setUp(self):
        super().setUp()
        self.lab = self.folder / "the lab ż"
        shutil.copytree(ROOT, self.lab, ignore=shutil.ignore_patterns(".*", "__pycache__", "answer*", "interop"))
        self.answer = self.lab / "lessons" / FIRST / "answer.py"

    def lab_command(self, *arguments, code=0, **environment):
        done = subprocess.run([sys.executable, "main.py", *arguments], cwd=self.lab, capture_output=True, text=True, encoding="utf-8",
                              stdin=subprocess.DEVNULL, timeout=120, env={**child_environment(self.folder), **environment})
        self.assertEqual(code, done.returncode, done.stdout + done.stderr)
        self.assertNotIn("Traceback", done.stdout + done.stderr)
        self.assertNotIn("\x1b", done.stdout)
        return " ".join((done.stdout or done.stderr).split())

    def solve(self, exercise=FIRST):
        shutil.copy(self.lab / "lessons" / exercise / "solution.py", self.lab / "lessons" / exercise / "answer.py")


class AtTheDesk(CourseTest):
    def test_first_success_is_one_line_away(self):
        self.assertIn("start 1", self.lab_command("lessons"))
        self.assertIn("answer.py", self.lab_command("start", "1"))
        self.assertIn("PASSED A quick tool", self.graded_after('"convert_currency": "required"', '"convert_currency": "forbidden"'))
        self.assertIn("1 of 17 points", self.lab_command("lessons"))
        self.assertIn("Next: python main.py grade 1", self.lab_command("lessons"))

    def graded_after(self, old, new):
        self.answer.write_text(self.answer.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
        return self.lab_command("grade", "1", code=1)

    def test_every_kind_of_mistake_is_explained_wherever_it_is_met(self):
        self.answer.parent.mkdir(exist_ok=True)
        solution = (self.lab / "lessons" / FIRST / "solution.py").read_text(encoding="utf-8")
        self.answer.write_text(solution + "\n\ndef fetch(client, task_id):\n    while True:\n        wait(client, task_id)\n", encoding="utf-8")
        self.assertIn("for ever", self.lab_command("grade", "1", code=1))

    def test_watching_and_json_do_not_go_together(self):
        self.assertIn("not allowed with", self.lab_command("grade", "1", "--watch", "--json", code=2))

    def test_a_pass_stops_names_the_next_command_and_says_what_was_not_checked(self):
        self.solve()
        said = self.lab_command("grade", "1")
        for part in ("17 of 17 points", "Why it works", "Not checked here", "python main.py solution 1", "Next: python main.py start 2"):
            self.assertIn(part, said)
        self.assertNotIn("FAILED", said)
        self.assertIn("passed, 17 of 17", self.lab_command("lessons"))
        self.assertIn("From your answer to the solution", self.lab_command("solution", "1"))

    def test_a_verdict_is_stale_when_the_answer_or_the_checks_change(self):
        quick = self.lab / "lessons" / QUICK / "answer.py"
        self.solve(QUICK)
        self.lab_command("grade", "5")
        for path in (quick, self.lab / "lessons" / QUICK / "checks.py"):
            before = path.read_text(encoding="utf-8")
            path.write_text(before + "\n# changed\n", encoding="utf-8")
            self.assertIn("stale", self.lab_command("lessons"))
            path.write_text(before, encoding="utf-8")
            self.assertIn("passed, 22", self.lab_command("lessons"))

    def test_losing_the_progress_loses_no_answer_and_no_points(self):
        self.solve(QUICK)
        self.lab_command("grade", "5")
        progress = self.lab / "lessons" / ".progress.json"
        for damage in (progress.unlink, lambda: progress.write_text("{half"), lambda: progress.write_text("[]")):
            damage()
            self.assertIn("begun", self.lab_command("lessons"))
        self.assertIn("22 of 22", self.lab_command("grade", "5"))

    def test_hints_come_one_by_one_for_the_check_that_failed(self):
        self.assertIn("grade first", self.lab_command("hint", "1", code=2))
        self.lab_command("grade", "1", code=1)
        said = [self.lab_command("hint", "1") for _ in range(4)]
        for level in (1, 2, 3):
            self.assertIn(f"Hint {level} of 3", said[level - 1])
            self.assertIn(" ".join(grader.word("ex01.quick_tool", f"hint{level}").split()), said[level - 1])
        self.assertEqual(said[2], said[3])

    def test_the_solution_is_shown_after_a_pass_or_on_an_explicit_wish_that_the_score_remembers(self):
        self.lab_command("start", "1")
        self.assertIn("--reveal", self.lab_command("solution", "1", code=2))
        said = self.lab_command("solution", "1", "--reveal")
        for part in ("start, wait, fetch = Client.start", "def wait(self, task_id", "in main.py from line", "raise NotImplementedError(\"wait\")"):
            self.assertIn(" ".join(part.split()), said)
        self.assertIn("solution revealed", self.lab_command("lessons"))
        self.solve()
        self.assertIn("was revealed", self.lab_command("grade", "1"))

    def test_reset_keeps_the_answer_and_undo_brings_it_back(self):
        self.assertIn("no earlier answer", self.lab_command("undo", "1", code=2))
        self.solve()
        mine = self.answer.read_text(encoding="utf-8")
        self.lab_command("reset", "1")
        starter = self.answer.read_text(encoding="utf-8")
        self.assertIn("NotImplementedError", starter)
        self.lab_command("undo", "1")
        self.assertEqual(mine, self.answer.read_text(encoding="utf-8"))
        self.lab_command("undo", "1")
        self.assertEqual(starter, self.answer.read_text(encoding="utf-8"))

    def test_starting_again_keeps_what_is_there(self):
        quick = self.lab / "lessons" / QUICK / "answer.py"
        self.solve(QUICK)
        mine = quick.read_text(encoding="utf-8")
        self.assertIn("was there already", self.lab_command("start", "5"))
        self.lab_command("grade", "5")
        self.assertEqual(mine, quick.read_text(encoding="utf-8"))

    def test_all_that_has_been_begun_is_graded_and_nothing_begun_is_no_pass(self):
        self.assertIn("nothing was graded", self.lab_command("grade", code=3))
        self.solve()
        self.assertIn("PASSED 1 Call now, fetch later: 17 of 17", self.lab_command("grade"))
        self.lab_command("start", "5")
        said = self.lab_command("grade", code=1)
        self.assertIn("FAILED 5", said)
        self.assertIn("Score: 17 of 39", said)

    def test_wrong_usage_is_one_line(self):
        for arguments in (["start"], ["start", "99"], ["start", "x"], ["grade", "0"], ["grade", "1", "--seed", "x"], ["hint"], ["grade", "--watch"]):
            done = subprocess.run([sys.executable, "main.py", *arguments], cwd=self.lab, capture_output=True, text=True, timeout=60,
                                  stdin=subprocess.DEVNULL, env=child_environment(self.folder))
            self.assertEqual((2, 1), (done.returncode, len(done.stderr.splitlines())), (arguments, done.stderr))

    def test_a_narrow_window_is_respected(self):
        self.lab_command("start", "1")
        for arguments, code in ((["lessons"], 0), (["start", "1"], 0), (["grade", "1"], 1), (["hint", "1"], 0)):
            done = subprocess.run([sys.executable, "main.py", *arguments], cwd=self.lab, capture_output=True, text=True, timeout=60, encoding="utf-8",
                                  stdin=subprocess.DEVNULL, env={**child_environment(self.folder), "COLUMNS": "40"})
            long = [line for line in done.stdout.splitlines() if len(line) > 40 and " " in line.strip()]
            self.assertEqual((code, []), (done.returncode, long))

    def test_watching_grades_again_when_the_file_is_saved(self):
        self.lab_command("start", "5")
        process = subprocess.Popen([sys.executable, "-u", "main.py", "grade", "5", "--watch"], cwd=self.lab, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=child_environment(self.folder))
        self.addCleanup(end, process)
        self.until(process, "Score: 0 of 22")
        self.solve("ex05_read_the_roadmap")
        self.until(process, "Score: 22 of 22")
        process.terminate()

    def until(self, process, part):
        seen = ""
        while part not in seen:
            line = process.stdout.readline()
            self.assertTrue(line, seen)
            seen += line

    def test_teachers_get_one_json_object(self):
        self.solve()
        self.lab_command("start", "5")
        whole = json.loads(self.lab_command("grade", "--json", code=1))
        self.assertEqual({"lab", "verdict", "points", "maximum", "exercises"}, whole.keys())
        self.assertEqual(("failed", 17, 39), (whole["verdict"], whole["points"], whole["maximum"]))
        first, fifth = whole["exercises"]
        self.assertEqual((1, "passed", 17, False), (first["number"], first["verdict"], first["points"], first["revealed"]))
        failed = next(check for check in fifth["checks"] if check["verdict"] == "failed")
        for key in ("name", "title", "points", "maximum", "mistake", "tried", "expected", "saw", "says", "rule", "next", "timeline"):
            self.assertIn(key, failed)
        single = json.loads(self.lab_command("grade", "1", "--json"))
        self.assertEqual(["call_now_fetch_later"], [one["name"] for one in single["exercises"]])

    def test_the_server_runs_on_the_learners_store_once_it_has_passed(self):
        name = "ex04_sqlite_store"
        mark = "\nprint('this is my own store', file=__import__('sys').stderr)\n"
        mine = self.lab / "lessons" / name / "answer.py"
        for passed in (False, True):
            self.solve(name) if passed else self.lab_command("start", "4")
            mine.write_text(mine.read_text(encoding="utf-8") + mark, encoding="utf-8")
            if passed:
                self.lab_command("grade", "4")
            process = subprocess.Popen([sys.executable, "main.py", "serve", "--port", "0", "--store", str(self.folder / "lab.db")], cwd=self.lab,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=child_environment(self.folder))
            self.addCleanup(end, process)
            client = self.client(process.stdout.readline().strip())
            self.assertEqual([], client.call("tasks/list")["tasks"])
            process.terminate()
            self.assertEqual(passed, "this is my own store" in process.communicate(timeout=20)[1])


class MyOwnServer(CourseTest):
    def serve_mine(self):
        """(what it says on stderr, the answer to a call) of a server of one's own."""
        process = subprocess.Popen([sys.executable, "main.py", "serve", "--port", "0", "--mine"], cwd=self.lab,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8", env=child_environment(self.folder))
        self.addCleanup(end, process)
        client = self.client(process.stdout.readline().strip(), wire=main.MODERN)
        result = client.call("tools/call", {"name": "generate_report", "arguments": {"folder": str(self.folder)}})
        process.terminate()
        return process.communicate(timeout=20)[1], result

    def test_it_is_made_of_the_answers_that_have_passed_as_they_stand(self):
        name = "ex07_task_handles"
        mine = self.lab / "lessons" / name / "answer.py"
        self.solve(name)
        mine.write_text(mine.read_text(encoding="utf-8").replace("POLL_MS = 2_000", "POLL_MS = 1_000 + 1_000\nprint('mine', file=__import__('sys').stderr)"), encoding="utf-8")
        said, _ = self.serve_mine()
        self.assertIn("7  task_handles: the lab's", said)
        self.lab_command("grade", "7")
        said, result = self.serve_mine()
        self.assertIn("7  task_handles: yours", said)
        self.assertIn("8  create_once: the lab's", said)
        self.assertIn("mine", said.split())
        self.assertEqual("task", result["resultType"])
        mine.write_text(mine.read_text(encoding="utf-8") + "\n# edited since\n", encoding="utf-8")
        said, _ = self.serve_mine()
        self.assertIn("7  task_handles: the lab's", said)

    def test_the_course_ends_with_it(self):
        progress = {}
        for exercise in lessons.exercises().values():
            self.solve(exercise)
            folder = self.lab / "lessons" / exercise
            progress[exercise] = {"verdict": "passed", "points": 1, "answer": grader.fingerprint(folder / "answer.py"),
                                  "checks": grader.fingerprint(folder / "checks.py"), "lab": main.VERSION}
        (self.lab / "lessons" / ".progress.json").write_text(json.dumps(progress), encoding="utf-8")
        self.assertIn("python main.py serve --mine", self.lab_command("lessons"))


class Texts(unittest.TestCase):
    def sections(self):
        for exercise in lessons.exercises().values():
            for name in grader.checks_of(exercise):
                yield exercise, name, section_of(exercise, name)

    def mistakes(self, exercise):
        """The mistake names that stand in an exercise's checks."""
        source = (lessons.FOLDER / exercise / "checks.py").read_text(encoding="utf-8")
        found = set()
        for node in ast.walk(ast.parse(source)):
            called = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
            if called in ("expect", "require", "fail", "call", "Mistake"):
                position = 1 if called == "require" else 0
                if len(node.args) > position and isinstance(node.args[position], ast.Constant):
                    found.add(node.args[position].value)
        return {mistake for mistake in found if isinstance(mistake, str) and re.fullmatch("[a-z_]+", mistake)}       # `call` also calls methods like tasks/get

    def texts_within(self, exercise, name):
        """Every text in the code that a check can reach in its own file."""
        tree = ast.parse((lessons.FOLDER / exercise / "checks.py").read_text(encoding="utf-8"))
        parts = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        reached, to_do, found = {name}, [name], set()
        while to_do:
            for node in ast.walk(parts[to_do.pop()]):
                if isinstance(node, ast.Name) and node.id in parts.keys() - reached:
                    reached.add(node.id)
                    to_do.append(node.id)
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.add(node.value)
        return found

    def test_nothing_is_missing(self):
        for exercise, name, section in self.sections():
            keys = texts()[section]
            for key in ("title", "rule", "next", "hint1", "hint2", "hint3"):
                self.assertTrue(keys.get(key, "").strip(), (section, key))
            self.assertTrue(any(key.startswith("says.") for key in keys), section)
        for exercise in lessons.exercises().values():
            for key in ("title", "minutes", "summary", "why", "not_checked"):
                self.assertTrue(texts()[exercise[:4]].get(key), (exercise, key))

    def test_every_mistake_of_every_check_has_words_and_every_word_a_mistake(self):
        for exercise in lessons.exercises().values():
            said, possible = {key[5:] for key in texts()[exercise[:4]] if key.startswith("says.")}, self.mistakes(exercise)
            for name in grader.checks_of(exercise):
                within, mine = self.texts_within(exercise, name), {key[5:] for key in texts()[section_of(exercise, name)] if key.startswith("says.")}
                for mistake in possible & within:
                    grader.explain(exercise, grader.Result(name, grader.FAILED, 0, 1, mistake=mistake))
                if exercise[:4] not in ("ex04", "ex05"):       # their mistakes have the names of promises and rules; see below
                    self.assertEqual(set(), mine - within, (exercise, name))
                said -= within
            self.assertEqual(set(), said, exercise)
            for path, expected in commands.wrong_answers(exercise):
                name, mistake = expected.split("/")
                with self.subTest(path):
                    grader.explain(exercise, grader.Result(name, grader.FAILED, 0, 1, mistake=mistake))

    def test_every_contract_promise_and_every_linter_rule_has_words(self):
        from lessons.store_contract import CONTRACT
        said = {key[5:] for key in sum((list(texts()[section]) for _, _, section in self.sections()), []) if key.startswith("says.")}
        self.assertLessEqual({promise.__name__ for promise in CONTRACT} | set(REJECTS) | {"missing"}, said)
        questions = {f"{question}_{letter}" for question, right in grader.checks_module("ex05_read_the_roadmap").RIGHT.items() for letter in "abc" if letter != right}
        self.assertLessEqual(questions, said)

    def test_what_the_commands_say_is_there_and_nothing_is_left_over(self):
        used = set()
        for path in (lessons.FOLDER / "commands.py", lessons.FOLDER / "grader.py"):
            for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "word" and getattr(call.args[0], "id", "") == "GENERAL":
                    used |= {node.value for node in ast.walk(call.args[1]) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
        families = ("help.", "state.", "label.", "says.", "next.", "rule.")
        known = set(texts()[GENERAL])
        self.assertEqual(set(), {key for key in used if not key.endswith(".")} - known - {"state", "mistake"})
        self.assertEqual(set(), {key for key in known if not key.startswith(families)} - used)
        for mistake in {key[5:] for key in known if key.startswith("says.")}:
            self.assertIn(f"next.{mistake}", known)

    def test_the_code_of_the_grader_holds_no_text_of_its_own(self):
        for path in (lessons.FOLDER / "commands.py", lessons.FOLDER / "grader.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for call in ast.walk(tree):
                if isinstance(call, ast.Call) and (getattr(call.func, "attr", "") in ("say", "verdict") or getattr(call.func, "id", "") == "print"):
                    for argument in call.args:
                        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                            self.assertNotRegex(argument.value, r"[a-z]{3,} [a-z]{2,}", f"{path.name}:{call.lineno}")

    def test_no_hint_quotes_the_solution(self):
        for exercise, name, section in self.sections():
            solution = commands.solution_text(exercise)
            lines = {" ".join(line.split()) for line in solution.splitlines() if len(line.strip()) > 24}
            for level in (1, 2, 3):
                hint = " ".join(texts()[section][f"hint{level}"].split())
                self.assertEqual([], [line for line in lines if line in hint], (section, level))

    def test_the_tone_is_neutral(self):
        for section in texts().sections():
            for key, text in texts()[section].items():
                self.assertNotRegex(text.lower(), r"\b(just|simply|obviously|of course)\b", (section, key))

    def test_files_hold_letters_that_every_console_has(self):
        for section in texts().sections():
            for key, text in texts()[section].items():
                self.assertTrue(text.isascii(), (section, key))


class Lessons(unittest.TestCase):
    def test_each_lesson_has_its_parts_in_order_and_at_most_three_screens(self):
        for exercise in lessons.exercises().values():
            text = (lessons.FOLDER / exercise / "README.md").read_text(encoding="utf-8")
            parts = re.findall(r"^## (.+)$", text, re.M)
            for part in ("What hurts", "Done when", "What to look at afterwards", "What production systems do instead"):
                self.assertIn(part, parts, exercise)
            self.assertEqual("What hurts", parts[0])
            self.assertRegex(text, rf"\*{grader.word(exercise[:4], 'minutes')} minutes\.")
            self.assertLess(len(text.splitlines()), 120, exercise)
            self.assertNotRegex(text.lower(), r"\b(just|simply|obviously)\b", exercise)

    def test_the_points_promised_are_the_points_there_are(self):
        for exercise in lessons.exercises().values():
            text = (lessons.FOLDER / exercise / "README.md").read_text(encoding="utf-8")
            maximum = sum(check.points for check in grader.checks_of(exercise).values())
            self.assertIn(f"says {maximum} of {maximum} points", text, exercise)

    def test_the_course_map_names_every_exercise_with_its_minutes(self):
        text = (lessons.FOLDER / "README.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| (\d+) \| \[(\w+)\]\((\S+)\) \|.*\| (\d+) \|", text, re.M)
        self.assertEqual([(str(number), name[5:], f"{name}/README.md", grader.word(name[:4], "minutes")) for number, name in lessons.exercises().items()], rows)

    def test_every_link_leads_somewhere(self):
        for path in (ROOT / "README.md", *lessons.FOLDER.glob("*.md"), *lessons.FOLDER.glob("ex*/README.md")):
            for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
                self.assertTrue((path.parent / target).exists(), (path, target))

    def test_solutions_are_not_written_twice(self):
        for exercise, names in (("ex01_call_now_fetch_later", ("wait", "fetch")), ("ex02_cancel_midway", ("cancel",)), ("ex03_crash_recovery", ("reload",))):
            solution = commands.folder_of(exercise) / "solution.py"
            for name in names:
                self.assertNotIn(f"def {name}", solution.read_text(encoding="utf-8"))
                self.assertIn(f"def {commands.inspect.unwrap(getattr(lessons.load(solution, 'solved'), name)).__name__}", commands.solution_text(exercise))


class TheSkill(unittest.TestCase):
    SKILL = (ROOT / "outputs" / "skill-task-store-designer.md").read_text(encoding="utf-8")
    GOOD = (ROOT / "outputs" / "design-auditar-site.md").read_text(encoding="utf-8")

    def test_its_front_matter_is_complete(self):
        front = dict(line.split(": ", 1) for line in self.SKILL.split("---")[1].strip().splitlines())
        self.assertEqual({"name", "description", "version", "phase", "lesson", "tags"}, front.keys())
        self.assertEqual(("task-store-designer", "13", "13"), (front["name"], front["phase"], front["lesson"]))

    def test_the_worked_designs_stand_up_to_it(self):
        for path in sorted((ROOT / "outputs").glob("design-*.md")):
            self.assertEqual([], lint(path.read_text(encoding="utf-8")), path.name)
        self.assertEqual(2, len(list((ROOT / "outputs").glob("design-*.md"))))

    def test_its_template_has_the_parts_that_the_linter_wants_and_says_nothing_yet(self):
        template = re.search(r"```markdown\n(.*?)```", self.SKILL, re.S)[1]
        problems = lint(template)
        expected = {("missing", f"{part}: {name}") for part, names in PARTS.items() for name in names} - {("missing", "State: states")}
        self.assertEqual(expected, {problem for problem in problems if problem[0] == "missing"})

    def changed(self, name, value):
        text, count = re.subn(rf"(?m)^- {re.escape(name)}:.*$", f"- {name}: {value}", self.GOOD)
        self.assertEqual(1, count, name)
        return text

    BAD = {
        "unknown_support": ("taskSupport", ["sometimes", "yes", "mandatory"]),
        "too_short": ("duration", ["50 ms to 2 seconds", "a while", "quick"]),
        "no_fallback": ("without Tasks", ["nothing happens", "an error"]),
        "guessable_id": ("task id", ["a counter", "64 random bits", "a timestamp and 128 bits"]),
        "leaves_terminal": ("states", ["working -> failed -> working", "completed -> archived", "working -> cancelled; cancelled -> working"]),
        "large_inline": ("result size", ["up to 2 GB of video", "large", "100 MB inside the task"]),
        "no_ttl": ("ttl", ["for ever", "unlimited", "never ends", "10 minutes", "long"]),
        "polls_like_mad": ("poll interval", ["10 ms", "as often as possible", "0 seconds"]),
        "not_durable": ("store", ["an in-memory dict", "in memory, for speed"]),
        "kills_threads": ("how", ["kill the thread", "terminate the thread"]),
        "no_recovery": ("policy", ["we shall see", "restart the server"]),
        "claims_exactly_once": ("external effects", ["publishing happens exactly once", "it sends one mail"]),
        "resumes_without_lease": ("fencing", ["none", "no, workers are fast"]),
        "nobodys_task": ("bound to", ["nobody", "whoever has the task id"]),
        "no_gate": ("gate", ["none, the scope is enough", "no"]),
    }

    def test_every_bad_design_is_rejected_by_its_rule(self):
        self.assertEqual(set(REJECTS), set(self.BAD))
        for rule, (name, values) in self.BAD.items():
            for value in values:
                self.assertIn(rule, [found for found, _ in lint(self.changed(name, value))], (name, value))

    def test_more_that_contradicts_itself(self):
        for name, value, rule in (("before the answer", "the id is told first", "not_durable"), ("finished tasks", "become cancelled", "kills_threads"),
                                  ("attempts", "as many as it takes", "no_recovery"), ("length", "none", "resumes_without_lease"), ("checked", "at creation", "nobodys_task")):
            self.assertIn(rule, [found for found, _ in lint(self.changed(name, value))], (name, value))

    def test_a_missing_line_is_named(self):
        for part, names in PARTS.items():
            for name in names:
                without = re.sub(rf"(?m)^- {re.escape(name)}:.*\n", "", self.GOOD)
                self.assertIn(("missing", f"{part}: {name}"), lint(without))

    def test_refusals_have_a_reason_and_a_way_out_and_no_design(self):
        for reason in ("too short", "too large", "nowhere to persist"):
            self.assertEqual([], lint(f"Refused: {reason}. Instead: a plain call."))
        for text, rule in (("Refused: boring. Instead: nothing.", "refusal_reason"), ("Refused: too short.", "refusal_instead"),
                           ("Refused: too short. Instead: a call.\n\n" + self.GOOD, "refusal_and_design")):
            self.assertEqual([rule], [found for found, _ in lint(text)])

    def test_the_linter_is_a_command(self):
        run = lambda name: subprocess.run([sys.executable, "-m", "lessons.design_linter", name], cwd=ROOT, capture_output=True, text=True, timeout=60)
        self.assertEqual((0, "nothing to say\n"), (lambda done: (done.returncode, done.stdout))(run("outputs/design-auditar-site.md")))
        self.assertEqual(1, run("README.md").returncode)


if __name__ == "__main__":
    unittest.main()
