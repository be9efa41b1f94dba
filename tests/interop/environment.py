"""The environment of the interop stage: packages of PyPI and npm, in .interop/ and nowhere else."""
from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import venv

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOME = ROOT / ".interop"
PYPI = ("fastmcp[tasks]>=4,<5", "mcp>=2,<3", "jsonschema>=4")
SUITE = "@modelcontextprotocol/conformance"
SPEC = pathlib.Path(__file__).with_name("spec")    # the official schemas, as data


def run(*command: str | os.PathLike, cwd: pathlib.Path = ROOT) -> str:
    """Runs an installer quietly; raises with what it said if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=900)
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def python() -> pathlib.Path:
    """A Python with the packages of other people, made on first use."""
    home = HOME / "python"
    path = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    stamp = home / "installed.txt"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != "\n".join(PYPI):
        shutil.rmtree(home, ignore_errors=True)
        venv.create(home, with_pip=True)
        run(path, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PYPI)
        stamp.write_text("\n".join(PYPI), encoding="utf-8")
    return path


def conformance() -> list[str]:
    """The command of the official suite at its newest 0.2 pre-release, with a Node that can run it."""
    home = HOME / "node"
    if not (home / "node_modules" / SUITE / "package.json").exists():
        home.mkdir(parents=True, exist_ok=True)
        (home / "package.json").write_text('{"private": true}', encoding="utf-8")
        versions = json.loads(run("npm", "view", SUITE, "versions", "--json"))
        newest = max((version for version in versions if version.startswith("0.2.")), key=lambda version: [int(n) for n in re.findall(r"\d+", version)])
        run("npm", "install", "--no-audit", "--no-fund", "node@22", f"{SUITE}@{newest}", cwd=home)
    node = home / "node_modules" / "node" / "bin" / ("node.exe" if os.name == "nt" else "node")
    return [str(node), str(home / "node_modules" / SUITE / "dist" / "index.js")]


if __name__ == "__main__":
    print(python(), *conformance(), sep="\n")
    sys.exit(0)
