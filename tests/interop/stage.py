"""The whole interop stage: the official suite, other people's clients, and the official schemas.

    python -m tests.interop.stage

Installs what it needs in .interop/.  A peer that cannot be installed is a failure.
"""
from __future__ import annotations

import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import traceback

from tests.interop import conformance
from tests.interop.environment import ROOT, SPEC, python


class Site(http.server.BaseHTTPRequestHandler):
    """A small web site to audit, and a service that reports are published to, once a key."""
    published: dict[str, str] = {}

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        key = self.headers["Idempotency-Key"]
        body = json.dumps({"id": self.published.setdefault(key, f"rep_{len(self.published) + 1}")}).encode()
        self.send_response(201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: object) -> None:
        """Silent."""


def counted(text: str) -> tuple[int, int]:
    """The last 'N passed, N failed' of a program's output; nothing said counts as a failure."""
    found = re.findall(r"^(\d+) passed, (\d+) failed$", text, re.M)
    return (int(found[-1][0]), int(found[-1][1])) if found else (0, 1)


def program(*command: object, **environment: str) -> tuple[int, int]:
    """Runs one of the stage's programs and counts."""
    done = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=600,
                          env={**os.environ, **environment})
    print(done.stdout, done.stderr[-3000:] if done.returncode else "", sep="", flush=True)
    return counted(done.stdout)


def peers(record: pathlib.Path) -> tuple[int, int]:
    """FastMCP and the official SDK against the real server, which audits a local site."""
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=site.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{site.server_port}"
    with subprocess.Popen([sys.executable, "-m", "tests.interop.fixture_server", "--real", "--record", str(record)], cwd=ROOT,
                          stdout=subprocess.PIPE, text=True, env={**os.environ, "AUDITORIA_PUBLISHER": f"{address}/reports",
                                                                 "AUDITORIA_ALLOWED_NETWORKS": "127.0.0.0/8"}) as server:
        try:
            return program(python(), "tests/interop/peers.py", server.stdout.readline().strip(), address)
        finally:
            server.terminate()
            site.shutdown()
            site.server_close()


def run() -> int:
    """Everything; prints 'N passed, N failed' last."""
    total = [0, 0]
    with tempfile.TemporaryDirectory(prefix="lesson-13-interop-") as name:
        folder = pathlib.Path(name)
        records = [folder / f"{part}.jsonl" for part in ("suite", "peers", "tests")]
        parts = (("the official suite", lambda: conformance.run(record=records[0])), ("other clients", lambda: peers(records[1])),
                 ("the page in a browser", lambda: program(sys.executable, "-m", "tests.interop.browser")), ("our tests, recorded", lambda: recorded_tests(records[2])),
                 ("the official schemas", lambda: program(python(), "tests/interop/validate.py", SPEC, *records)))
        for title, part in parts:
            print(f"== {title}", flush=True)
            try:
                passed, failed = part()
            except Exception:
                print(traceback.format_exc())
                passed, failed = 0, 1
            total[0] += passed
            total[1] += failed
    print(f"{total[0]} passed, {total[1]} failed")
    return 1 if total[1] else 0


def recorded_tests(record: pathlib.Path) -> tuple[int, int]:
    """The unit tests of the 2026 server, which record what it sends when they are told to."""
    done = subprocess.run([sys.executable, "-m", "unittest", "tests.test_server_2026"], cwd=ROOT, capture_output=True, text=True, timeout=300,
                          env={**os.environ, "LESSON_13_RECORD": str(record)})
    ran = re.findall(r"^Ran (\d+) tests?", done.stderr, re.M)
    print(done.stderr[-1500:])
    return (int(ran[-1]) if ran else 0, 0) if done.returncode == 0 else (0, 1)


if __name__ == "__main__":
    sys.exit(run())
