"""The official conformance suite against the 2026 server.

    python -m tests.interop.conformance           all scenarios that concern us
    python -m tests.interop.conformance NAME ...  some of them
"""
from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile

from tests.interop.environment import ROOT, conformance

SCENARIOS = (
    "server-stateless", "http-header-validation", "http-custom-header-server-validation", "caching", "tools-list",
    "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource", "tools-call-mixed-content",
    "tools-call-error", "tools-call-with-progress", "json-schema-2020-12", "server-sse-multiple-streams", "dns-rebinding-protection",
    "tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal", "tasks-mrtr-input",
    "tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-status-notifications", "tasks-required-task-error", "tasks-mrtr-composition",
    "input-required-result-basic-elicitation", "input-required-result-basic-sampling", "input-required-result-basic-list-roots",
    "input-required-result-request-state", "input-required-result-multiple-input-requests", "input-required-result-multi-round",
    "input-required-result-missing-input-response", "input-required-result-result-type", "input-required-result-unsupported-methods",
    "input-required-result-tampered-state", "input-required-result-capability-check", "input-required-result-ignore-extra-params",
    "input-required-result-validate-input")
# What cannot apply to a server without prompts, resources and changing lists, or is skipped by the suite itself.
CANNOT_APPLY = {
    "input-required-result-non-tool-request": "asks for a prompt, and this server has none",
    "sep-2549-prompts-list-caching-hints": "this server has no prompts",
    "sep-2549-resources-list-caching-hints": "this server has no resources",
    "sep-2549-resources-templates-list-caching-hints": "this server has no resources",
    "sep-2549-resources-read-caching-hints": "this server has no resources",
    "sep-2575-server-sends-prompts-list-changed-on-subscription": "there are no prompts whose list could change",
    "sep-2575-server-sends-tools-list-changed-on-subscription": "the list of tools never changes, and listChanged is not declared",
    "tasks-status-notifications": "skipped by the suite itself, which waits for a rewrite; tests/test_server_2026.py has its own checks",
}


class Fixture:
    """The fixture server as a process, and the file in which it records what it sends."""

    def __init__(self, record: pathlib.Path | None = None):
        options = ["--record", str(record)] if record else []
        self._process = subprocess.Popen([sys.executable, "-m", "tests.interop.fixture_server", "--port", "0", *options], cwd=ROOT,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.url = self._process.stdout.readline().strip()

    def __enter__(self) -> Fixture:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.wait(20)
        self._process.stdout.close()


def run_scenario(command: list[str], url: str, name: str) -> list[dict]:
    """The suite's checks of one scenario; a scenario without any counts as one failure."""
    with tempfile.TemporaryDirectory(prefix="lesson-13-conformance-") as folder:
        done = subprocess.run([*command, "server", "--url", url, "--scenario", name, "--spec-version", "2026-07-28", "--force", "-o", folder],
                              capture_output=True, text=True, encoding="utf-8", timeout=180)
        found = [check for path in pathlib.Path(folder).rglob("checks.json") for check in json.loads(path.read_text(encoding="utf-8"))]
    return found or [{"id": name, "status": "FAILURE", "errorMessage": f"no checks ran: {done.stdout[-300:]}{done.stderr[-300:]}"}]


def judge(name: str, checks: list[dict]) -> tuple[int, int]:
    """(passed, failed) of a scenario, printed.  What did not pass must be something that cannot apply here."""
    passed = [check for check in checks if check["status"] in ("SUCCESS", "INFO")]
    waived = [check for check in checks if check not in passed and check["id"] in CANNOT_APPLY]
    failed = [check for check in checks if check not in passed and check not in waived]
    print(f"{name:<50} {len(passed):3} passed, {len(failed)} failed")
    for check in failed:
        print(f"    {check['id']}: {check['status']} {check.get('errorMessage', '')[:500]}")
    for check in waived:
        print(f"    {check['id']} cannot apply: {CANNOT_APPLY[check['id']]}")
    return len(passed), len(failed)


def run(names: tuple[str, ...] = SCENARIOS, record: pathlib.Path | None = None) -> tuple[int, int]:
    """(passed, failed) over all scenarios."""
    command = conformance()
    with Fixture(record) as fixture:
        counts = [judge(name, run_scenario(command, fixture.url, name)) for name in names]
    print(f"not run: input-required-result-non-tool-request: {CANNOT_APPLY['input-required-result-non-tool-request']}")
    return sum(passed for passed, _ in counts), sum(failed for _, failed in counts)


if __name__ == "__main__":
    total, bad = run(tuple(sys.argv[1:]) or SCENARIOS)
    print(f"{total} passed, {bad} failed")
    sys.exit(1 if bad else 0)
