"""README.md keeps its word: every command in it is run, every quoted line compared."""
from __future__ import annotations

import re
import shlex
import subprocess
import sys
import unittest

import main
from tests.support import ROOT, LabTest, child_environment, eventually

README = (ROOT / "README.md").read_text(encoding="utf-8")


def sessions(text):
    """[(command, [expected output lines])] of all console blocks, in order."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", text, re.M | re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output.splitlines()))
    return found


def matches(expected, printed):
    """Whether the printed text is as quoted: '...' alone stands for any lines, inside a line for anything."""
    pattern = "".join(r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + r"\n" for line in expected)
    return re.fullmatch(pattern + (r"(?:.*\n)*" if expected[-1:] == ["..."] else ""), printed)


class ReadmeCommands(LabTest):
    # The whole suite inside itself would never end; its last line is what the README quotes.
    NOT_HERE = {"python -m unittest"}

    def test_every_command_prints_what_is_quoted(self):
        tour = self.spawn()                        # runs beside the others, to save time
        server, url = self.spawn_server()
        modern = self.spawn("serve", "--port", "0", "--wire", main.MODERN, "--db", str(self.folder / "lab.db"))
        modern_url = modern.stdout.readline().strip()
        ids = {"tsk_": "none yet", "task_": "none yet"}
        ran = set()
        for command, expected in sorted(sessions(README), key=lambda session: session[0] == "python main.py"):
            if command in self.NOT_HERE:
                continue
            with self.subTest(command):
                ran.add(command.split(" '")[0])
                if command.startswith("python main.py serve"):
                    self.assertEqual(["http://127.0.0.1:8013/mcp", "http://127.0.0.1:8013/?token=..."], expected)
                    self.assertEqual(8013, main.PORT)
                    continue
                for start, task_id in ids.items():
                    command = command.replace(f"{start}...", task_id)
                if "tasks/get" in command:
                    self.assertTrue(eventually(lambda: '"completed"' in self.run_command(command, modern_url)))
                printed = tour.communicate(timeout=60)[0] if command == "python main.py" else \
                    self.run_command(command, modern_url if main.MODERN in command else url)
                self.assertTrue(matches(expected, printed), f"quoted:\n{chr(10).join(expected)}\nprinted:\n{printed}")
                created = re.search(r'"(?:id|taskId)": "((tsk_|task_)[0-9a-f]{32})"', printed)
                if created:
                    ids[created[2]] = created[1]
                if "tasks/cancel" in command:
                    self.client(url).wait(ids["tsk_"])
        self.assertLessEqual({"python main.py", "python main.py doctor", "python main.py call tools/call",
                              "python main.py call tasks/status", "python main.py call tasks/cancel",
                              f"python main.py call --wire {main.MODERN} tasks/get"}, ran)

    def run_command(self, command, url):
        words = shlex.split(command)
        self.assertEqual("python", words[0])
        if words[1:3] == ["main.py", "call"]:
            words += ["--url", url]
        words = [str(self.folder / word) if word == "auth.json" else word for word in words]
        done = subprocess.run([sys.executable, *words[1:]], cwd=ROOT, env=child_environment(self.folder), timeout=120,
                              stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, encoding="utf-8")
        self.assertNotIn("Traceback", done.stderr)
        return done.stdout or done.stderr          # unittest speaks on stderr alone

    def test_the_comparison_can_fail(self):
        self.assertTrue(matches(["a", "...", "c ... e"], "a\nb\nb\nc d e\n"))
        self.assertFalse(matches(["a", "c"], "a\nb\nc\n"))
        self.assertFalse(matches(["a"], "a\nb\n"))
        self.assertTrue(matches(["a", "..."], "a\nb\n"))


class ReadmeFacts(unittest.TestCase):
    def test_the_drawn_states_are_those_of_the_program(self):
        drawn = set(re.findall(r"^    (\w+) --> (\w+):", README, re.M))
        real = {(before, after) for before, following in main.NEXT_STATES.items() for after in following if after != before}
        self.assertEqual(real, drawn)

    def test_the_table_of_parts_has_the_banners_of_main(self):
        source = (ROOT / "main.py").read_text(encoding="utf-8")
        banners = re.findall(r"^# =+\n# ([A-Z][a-z ]+?)(?::.*)?\n#", source, re.M)
        self.assertEqual(["Task", "Store", "Executor", "Tools", "Methods", "Server", "Client", "Tour", "Command line"], banners)
        self.assertEqual(banners, re.findall(r"^\| ([A-Z][a-z ]+) \|", README, re.M))
        docstring_list = re.findall(r"^    ([A-Z][a-z]+(?: line)?) ", main.__doc__, re.M)
        self.assertEqual(banners, docstring_list)

    def test_the_commands_named_are_the_commands_there_are(self):
        named = re.search(r"^\| Command line \| (.*) \|", README, re.M).group(1)
        actions = next(action for action in main.parser()._actions if action.choices)
        self.assertEqual(set(actions.choices), set(re.findall(r"`([\w-]+)`", named)))


if __name__ == "__main__":
    unittest.main()
