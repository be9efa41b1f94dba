"""The environment of the interop stage: packages of PyPI, npm and Debian, in .interop/ and nowhere else."""
from __future__ import annotations

import getpass
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


def chromium() -> dict[str, str]:
    """A browser and its driver, with what their processes need in the environment: {'browser', 'driver', 'LD_LIBRARY_PATH', 'XDG_DATA_HOME'}.

    Those of the machine if it has them; else Debian's packages, unpacked and not installed.
    """
    if shutil.which("chromium") and shutil.which("chromedriver"):
        return {"browser": shutil.which("chromium"), "driver": shutil.which("chromedriver")}
    home = HOME / "browser"
    root, stamp = home / "root", home / "installed.txt"
    if not stamp.exists():
        shutil.rmtree(home, ignore_errors=True)
        for part in ("lists/partial", "archives/partial", "root"):
            (home / part).mkdir(parents=True)
        options = {"Dir::State::Lists": home / "lists", "Dir::Cache": home, "Dir::Cache::Archives": home / "archives", "Debug::NoLocking": "1", "APT::Sandbox::User": getpass.getuser()}
        apt = ["apt-get", "-qq", *(word for name, value in options.items() for word in ("-o", f"{name}={value}"))]
        run(*apt, "update")
        run(*apt, "install", "-y", "--no-install-recommends", "--reinstall", "--download-only", "chromium", "chromium-common", "chromium-driver", "fonts-dejavu-core")
        for package in sorted((home / "archives").glob("*.deb")):
            run("dpkg-deb", "-x", package, root)
        for part in ("lists", "archives"):
            shutil.rmtree(home / part)
        stamp.write_text("chromium chromium-driver", encoding="utf-8")
    folders = [folder for base in (root / "usr/lib", root / "lib") for folder in base.glob("*-linux-gnu*")]
    return {"browser": str(root / "usr/lib/chromium/chromium"), "driver": str(root / "usr/bin/chromedriver"), "XDG_DATA_HOME": str(root / "usr/share"),
            "LD_LIBRARY_PATH": os.pathsep.join(map(str, [*folders, *(folder / "pulseaudio" for folder in folders)]))}


if __name__ == "__main__":
    print(python(), *conformance(), *chromium().values(), sep="\n")
    sys.exit(0)
