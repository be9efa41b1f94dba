"""The shape of the code: what a reader and a fresh machine may rely on."""
from __future__ import annotations

import ast
import pathlib
import re
import subprocess
import sys
import unittest

import lessons
import main
from lessons import design_linter, grader, task_table
from tests.support import ROOT

PRODUCT = [ROOT / "main.py", *sorted((ROOT / "lessons").rglob("*.py"))]
SOURCES = PRODUCT + sorted(path for path in (ROOT / "tests").rglob("*.py") if "interop" not in path.parts)


def tracked():
    """Every file that belongs to the lab, by git if it is there."""
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    return [pathlib.PurePosixPath(name) for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


class Layout(unittest.TestCase):
    def test_the_top_level_holds_five_things(self):
        names = {path.parts[0] for path in tracked() if not path.parts[0].startswith(".")}
        if names:                                   # a copy without git has nothing to list
            self.assertLessEqual(names, {"main.py", "lessons", "outputs", "tests", "README.md"})

    def test_only_the_standard_library_is_imported(self):
        own = {"main", "lessons", "tests"}
        for path in SOURCES:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
                    [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
                for name in names:
                    self.assertIn(name.split(".")[0], set(sys.stdlib_module_names) | own, f"{path}:{node.lineno}")

    def test_nothing_is_imported_in_vain(self):
        for path in (path for path in SOURCES if "wrong_answers" not in path.parts and path.name != "exercise.py"):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            imported = {(alias.asname or alias.name).split(".")[0] for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))
                        and getattr(node, "module", "") != "__future__" for alias in node.names}
            used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            self.assertEqual(set(), imported - used - {"*"}, path)

    def test_sources_end_lines_alike_and_name_no_home_of_one_machine(self):
        for path in SOURCES:
            text = path.read_bytes()
            self.assertNotIn(b"\r", text, path)
            self.assertNotIn(b"\t", text, path)
            self.assertNotRegex(text, rb"/(home|Users)/[a-z]", path)


class Reading(unittest.TestCase):
    def functions(self, path):
        return [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef)]

    def test_functions_in_the_product_are_short(self):
        for path in PRODUCT:
            for function in self.functions(path):
                self.assertLess(function.end_lineno - function.lineno + 1, 40, f"{path.name}: {function.name}")

    def test_everything_public_in_main_says_what_it_is_for(self):
        tree = ast.parse((ROOT / "main.py").read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                self.assertTrue(ast.get_docstring(node), node.name)
        for function in [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
            self.assertTrue(ast.get_docstring(function), function.name)

    def test_examples_in_docstrings_are_true(self):
        checked = 0
        for module in (main, lessons, design_linter, grader, task_table):
            for name, thing in vars(module).items():
                for call, result in re.findall(r"Example: (\w+\(.*\)\S*) -> (.+)", getattr(thing, "__doc__", None) or ""):
                    self.assertEqual(eval(result, vars(module)), eval(call, vars(module)), f"{name}: {call}")
                    checked += 1
        self.assertGreaterEqual(checked, 10)


if __name__ == "__main__":
    unittest.main()
