"""The grader: no accident and no trick is ever a pass, and each gets a sentence."""
from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
import unittest
import unittest.mock

import lessons
import main
from lessons import commands, grader
from lessons.grader import FAILED, NOT_DECIDED, PASSED, TIMED_OUT
from tests.support import LabTest, end

FIRST = "ex01_call_now_fetch_later"
BACKGROUND = []                    # the self-check takes long, so it runs beside the tests before it
# Each Python tries its share of the wrong answers; `python main.py selfcheck` tries them all.
SHARE = f"{sys.version_info.minor % 4}/4"


def setUpModule():
    BACKGROUND.append(subprocess.Popen([sys.executable, str(lessons.FOLDER.parent / "main.py"), "selfcheck", "--share", SHARE], stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True, encoding="utf-8", stdin=subprocess.DEVNULL))


def tearDownModule():
    end(BACKGROUND.pop())


GOOD = (lessons.FOLDER / FIRST / "solution.py").read_text(encoding="utf-8")


class GraderTest(LabTest):
    def grade(self, text, exercise=FIRST, **options):
        folder = self.folder / "answer folder ż"
        folder.mkdir(exist_ok=True)
        path = folder / "answer.py"
        path.write_text(text, encoding="utf-8")
        return grader.grade(exercise, path, **options)

    def assertNeverPasses(self, text, mistake, verdict=FAILED, saying="", to_the_end=False, **options):
        report = self.grade(text, to_the_end=to_the_end, **options)
        self.assertEqual(verdict, report.verdict, [(one.name, one.verdict, one.mistake, one.saw) for one in report.results])
        first = report.first_failure
        self.assertEqual(mistake, first.mistake, first)
        self.assertIn(saying, grader.explain(FIRST, first)["says"] + first.where)
        self.assertLess(report.points, report.maximum)
        return report


class HonestAnswers(GraderTest):
    def test_a_right_answer_passes_with_full_points(self):
        report = self.grade(GOOD)
        self.assertEqual((PASSED, report.maximum), (report.verdict, report.points), report.first_failure)

    def test_half_an_answer_gets_its_part_of_the_points(self):
        report = self.grade(GOOD.replace('"search_mail": "optional"', '"search_mail": "required"'))
        self.assertEqual((FAILED, report.maximum - 2), (report.verdict, report.points))
        self.assertEqual(["other_tools"], [one.name for one in report.results if one.verdict != PASSED])

    def test_the_same_seed_tries_the_same(self):
        lazy = GOOD + "\ndef wait(client, task_id):\n    client.call('tasks/status', {'taskId': task_id})\n    client.sleep(9)\n" \
                      "    return client.call('tasks/status', {'taskId': task_id})\n"
        saw = [self.grade(lazy, seed=seed, to_the_end=False).first_failure.tried for seed in (1, 1, 2, 3, 5, 8)]
        self.assertEqual(saw[0], saw[1])
        self.assertGreater(len(set(saw)), 1)


class Accidents(GraderTest):
    def test_ending_the_program_is_not_a_pass(self):
        self.assertNeverPasses("import sys\nsys.exit(0)\n" + GOOD, "ended_program", saying="line 2")
        self.assertNeverPasses(GOOD + "\nimport sys\ndef start(client, tool, arguments):\n    sys.exit(0)\n", "ended_program")
        self.assertNeverPasses("import os\nos._exit(0)\n" + GOOD, "process_ended", saying="not a result")
        report = self.assertNeverPasses(GOOD + "\nimport os\ndef start(*a):\n    os._exit(0)\n", "process_ended", to_the_end=True)
        self.assertEqual("asks_for_a_task", report.first_failure.name)
        self.assertEqual(PASSED, next(one for one in report.results if one.name == "polls_politely").verdict)

    def test_a_crash_at_import_and_a_syntax_error_are_shown_with_their_line(self):
        self.assertNeverPasses(GOOD + "\nboom = 1 / 0\n", "raised", saying="ZeroDivisionError")
        report = self.assertNeverPasses("def start(:\n    pass\n", "syntax", saying="line 1")
        self.assertTrue(all(one.verdict == FAILED for one in report.results))

    def test_an_empty_file_lacks_its_names(self):
        self.assertNeverPasses("", "missing_name", saying="SUPPORT, start, wait, fetch")

    def test_an_endless_loop_is_timed_out_and_its_line_is_named(self):
        loop = "\ndef start(client, tool, arguments):\n    number = 0\n    while True:\n        number += 1\n"
        started = time.monotonic()
        report = self.assertNeverPasses(GOOD + loop, "timed_out", verdict=TIMED_OUT, limit_s=1.0, to_the_end=True)
        self.assertLess(time.monotonic() - started, 30)
        lines = (GOOD + loop).splitlines()
        number = int(re.match(r"line (\d+)", report.first_failure.saw)[1])
        self.assertIn(lines[number - 1].strip(), ("while True:", "number += 1"))
        self.assertEqual(PASSED, next(one for one in report.results if one.name == "polls_politely").verdict)

    def test_an_endless_loop_at_import_is_timed_out_once(self):
        started = time.monotonic()
        self.assertNeverPasses(GOOD + "\nwhile True: pass\n", "timed_out", verdict=TIMED_OUT, saying="line", limit_s=1.0, to_the_end=True)
        self.assertLess(time.monotonic() - started, 10)

    def test_a_wait_that_nobody_ends_is_timed_out(self):
        self.assertNeverPasses("import threading\n" + GOOD + "\ndef start(*a):\n    threading.Event().wait()\n", "timed_out", verdict=TIMED_OUT, limit_s=1.0)

    def test_endless_printing_is_ended(self):
        report = self.assertNeverPasses(GOOD + "\ndef start(*a):\n    while True:\n        print('x' * 1000)\n", "flooded", saying="without end")
        self.assertLess(len(report.first_failure.printed), 5000)

    def test_endless_memory_is_ended(self):
        if sys.platform != "linux":
            self.skipTest("no limit on memory here")
        self.assertNeverPasses(GOOD + "\ndef start(*a):\n    hoard = []\n    while True:\n        hoard.append(bytearray(1 << 31))\n",
                               "raised", saying="MemoryError", limit_s=60.0)

    def test_the_keyboard_is_not_there(self):
        self.assertNeverPasses(GOOD + "\ndef start(*a):\n    return input('id? ')\n", "asked_keyboard", saying="keyboard")

    def test_a_thread_that_stays_is_noticed(self):
        self.assertNeverPasses("import threading\n" + GOOD + "\ngood = start\ndef start(*a):\n"
                               "    threading.Thread(target=threading.Event().wait, daemon=True, name='mine').start()\n    return good(*a)\n", "thread_left", saying="mine")

    @unittest.skipIf(os.name == "nt", "Windows has no fork")
    def test_a_fork_is_noticed(self):
        self.assertNeverPasses("import os\n" + GOOD + "\ngood = start\ndef start(*a):\n    if os.fork() == 0:\n        os._exit(0)\n    os.wait()\n    return good(*a)\n", "forked")

    @unittest.skipIf(os.name == "nt", "Windows has no process groups to look into")
    def test_a_process_that_stays_is_noticed_and_ended(self):
        marker = self.folder / "alive"
        code = f"import time, pathlib\nwhile True:\n    pathlib.Path({str(marker)!r}).write_text(str(time.time()))\n    time.sleep(0.05)\n"
        self.assertNeverPasses("import os, subprocess, sys, time\n" + GOOD + f"\ngood = start\ndef start(*a):\n    subprocess.Popen([sys.executable, '-c', {code!r}])\n"
                               f"    while not os.path.exists({str(marker)!r}):\n        time.sleep(0.01)\n"
                               "    return good(*a)\n", "process_left")
        before = marker.read_text()
        time.sleep(0.3)
        self.assertEqual(before, marker.read_text())

    def test_a_file_named_like_a_standard_module_is_pointed_out(self):
        (self.folder / "answer folder ż").mkdir()
        for name in ("json.py", "random.py"):
            (self.folder / "answer folder ż" / name).write_text("x = 1\n", encoding="utf-8")
        self.assertNeverPasses(GOOD, "shadows_module", verdict=NOT_DECIDED, saying="json.py, random.py")

    def test_printing_what_looks_like_a_result_is_printing(self):
        forged = json.dumps({"nonce": "0" * 16, "check": "quick_tool", "verdict": "passed"}) + "\n" + json.dumps({"done": 9})
        report = self.assertNeverPasses(f"print({forged!r})\nimport os\nos.write(1, {forged!r}.encode())\nos._exit(0)\n", "process_ended")
        self.assertIn("passed", report.first_failure.printed)

    def test_catching_everything_does_not_hide_a_mistake(self):
        self.assertNeverPasses(GOOD + "\ndef wait(client, task_id):\n    while True:\n        try:\n"
                               "            status = client.call('tasks/status', {'taskId': task_id})\n"
                               "            if status['state'] == 'never':\n                return status\n        except Exception:\n            pass\n", "too_fast")

    def test_a_value_of_another_kind_is_never_a_pass(self):
        for value in ("None", "7", "{}"):
            report = self.grade(GOOD + f"\ndef wait(client, task_id):\n    return {value}\ndef fetch(client, task_id):\n    return {value}\n", limit_s=3.0, to_the_end=False)
            self.assertNotEqual(PASSED, report.verdict)

    def test_what_the_answer_writes_stays_out_of_the_lab(self):
        before = sorted(path.name for path in (lessons.FOLDER / FIRST).iterdir())
        self.grade("open('left.txt', 'w', encoding='utf-8').close()\n" + GOOD)
        self.assertEqual(before, sorted(path.name for path in (lessons.FOLDER / FIRST).iterdir()))
        self.assertEqual(["answer.py"], os.listdir(self.folder / "answer folder ż"))

    def test_no_checks_at_all_are_not_a_pass(self):
        self.assertEqual(NOT_DECIDED, grader.Report(FIRST, 1, []).verdict)


class Showing(GraderTest):
    def shown(self, report, width, tty=False, **environment):
        stream = io.StringIO()
        stream.isatty = lambda: tty
        with unittest.mock.patch.dict(os.environ, {"COLUMNS": str(width), **environment}):
            grader.show_report(report, grader.Page(stream))
        return stream.getvalue()

    def test_a_failure_has_one_shape_with_the_learners_own_values(self):
        report = self.grade(GOOD + "\ndef wait(client, task_id):\n    while True:\n        status = client.call('tasks/status', {'taskId': task_id})\n"
                            "        if status['state'] != 'working':\n            return status\n        client.sleep(0.1)\n")
        text = self.shown(report, 80)
        position = 0
        for part in ("FAILED      wait() asks again when the server says so (0 of 3)", "You asked again after 100 ms", "  You did", "  Expected   at least",
                     "  Saw        100 ms", "  Rule", "  Next", "  Again      python main.py grade 1 --seed 13", "What happened:",
                     "client -> tasks/status working", "Score: 12 of 17"):
            self.assertIn(part, text[position:], text)
            position = text.index(part, position)

    def test_it_fits_narrow_windows_and_pipes_without_an_escape(self):
        report = self.grade(GOOD.replace('"forbidden"', '"optional"'))
        for width in (40, 80, 200):
            text = self.shown(report, width)
            self.assertNotIn("\x1b", text)
            self.assertEqual([], [line for line in text.splitlines() if len(line) > width])
        for environment in ({"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}):
            self.assertNotIn("\x1b", self.shown(report, 80, tty=True, **environment))

    def test_colour_decorates_a_terminal_and_words_carry_the_verdict(self):
        report = self.grade(GOOD)
        with unittest.mock.patch.dict(os.environ, {"TERM": "xterm"}):
            os.environ.pop("NO_COLOR", None)
            text = self.shown(report, 80, tty=True)
        self.assertIn("\x1b[32mPASSED", text)


class SelfCheck(unittest.TestCase):
    def test_every_starter_fails_every_solution_passes_and_each_wrong_answer_of_this_share_is_caught(self):
        said, complaints = BACKGROUND[0].communicate(timeout=300)
        self.assertEqual(0, BACKGROUND[0].returncode, "\n".join(line for line in said.splitlines() if "PASSED" not in line) + complaints)
        tried = int(re.search(r"(\d+) tried, 0 not", said)[1])
        mistakes = sum(len(commands.wrong_answers(exercise)) for exercise in lessons.exercises().values())
        self.assertIn(tried - 2 * len(lessons.exercises()), (mistakes // 4, mistakes // 4 + 1))

    def test_the_shares_are_all_of_it_and_have_nothing_in_common_but_starters_and_solutions(self):
        chosen = [commands.chosen_cases(main.parser().parse_args(["selfcheck", *more])) for more in ([], *(["--share", f"{part}/4"] for part in range(4)))]
        wrong = [{case for case in cases if case[1] not in ("starter", "solution")} for cases in chosen]
        self.assertEqual(wrong[0], set().union(*wrong[1:]))
        self.assertEqual(len(wrong[0]), sum(map(len, wrong[1:])))
        self.assertEqual({2 * len(lessons.exercises())}, {len(cases) - len(mistakes) for cases, mistakes in zip(chosen, wrong)})

    def test_it_can_fail(self):
        with unittest.mock.patch.object(commands, "wrong_answers", lambda exercise: [
                (lessons.FOLDER / exercise / "solution.py", "quick_tool/required")]), unittest.mock.patch("builtins.print") as printed:
            code = commands.command_selfcheck(main.parser().parse_args(["selfcheck", "1"]))
        self.assertEqual(1, code)
        self.assertTrue(any("FAILED" in str(call) for call in printed.call_args_list))

    def test_each_exercise_has_its_files_and_at_least_six_wrong_answers(self):
        for exercise in lessons.exercises().values():
            for name in ("README.md", "exercise.py", "checks.py", "solution.py"):
                self.assertTrue((lessons.FOLDER / exercise / name).exists(), (exercise, name))
            caught = {expected.split("/")[0] for _, expected in commands.wrong_answers(exercise)}
            self.assertGreaterEqual(len(commands.wrong_answers(exercise)), 6)
            self.assertLessEqual(caught, set(grader.checks_of(exercise)))


if __name__ == "__main__":
    unittest.main()
