"""Long runs against the 2026 server: kills, races, malformed requests, addresses.  All seeded.

    python -m tests.campaigns                     everything, as long as it takes (some ten minutes)
    python -m tests.campaigns kills --count 500 --seed 13
    python -m tests.campaigns races --count 2000
    python -m tests.campaigns malformed --count 100000
    python -m tests.campaigns addresses

Each prints one line of figures, and raises AssertionError at the first promise that was
broken.  tests/test_campaigns.py runs the same with small numbers.
"""
from __future__ import annotations

import argparse
import collections
import contextlib
import json
import os
import pathlib
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from http.server import ThreadingHTTPServer
from typing import Any, Callable

import main
from lessons import auditing
from lessons.ex12_two_instances.checks import Site
from lessons.ex12_two_instances.solution import address_to_dial
from lessons.publisher import Publisher
from lessons.store_contract import in_parallel
from lessons.task_table import NOBODY, TaskTable
from tests.support import ROOT, http_post

LEASE_MS = 500
INSTANCE = ("import sys, threading; from lessons.server_2026 import Server2026; from lessons import observing; import logging; "
            "logging.getLogger().setLevel(logging.INFO); server = Server2026(sys.argv[1], workers=3, lease_ms=int(sys.argv[2])); "
            "observing.log_json(server.pieces.owners.redact); print(server.start().url, flush=True); threading.Event().wait()")


# ---- kills -------------------------------------------------------------------------

class Instance:
    """A real server process that may be killed."""

    def __init__(self, folder: pathlib.Path, environment: dict[str, str], lease_ms: int = LEASE_MS):
        self._log = open(folder / "instances.log", "ab")
        self.process = subprocess.Popen([sys.executable, "-c", INSTANCE, str(folder / "tasks.db"), str(lease_ms)], cwd=ROOT, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=self._log, env={**os.environ, **environment}, text=True, encoding="utf-8")
        self.url = self.process.stdout.readline().strip()

    def kill(self) -> None:
        """No last word."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self._log.close()


class Kills:
    """Clients create, answer and cancel through two instances, of which one is killed again and again."""

    def __init__(self, folder: pathlib.Path, count: int, seed: int):
        self.folder, self.count, self.random, self.lock = folder, count, random.Random(seed), threading.Lock()
        self.publisher = Publisher(folder / "publisher.db").start()
        self.site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
        threading.Thread(target=self.site.serve_forever, args=(0.02,), daemon=True).start()
        self.environment = {"AUDITORIA_PUBLISHER": self.publisher.url, "AUDITORIA_ALLOWED_NETWORKS": "127.0.0.0/8"}
        self.instances = [Instance(folder, self.environment) for _ in range(2)]
        self.over, self.created, self.ends, self.faults = threading.Event(), {}, {}, []
        self.said = collections.Counter()

    def run(self) -> dict[str, Any]:
        """Kills `count` times, waits for the rest, and looks whether all promises were kept."""
        clients = [threading.Thread(target=self.guarded, args=(self.client, number)) for number in range(4)]
        for thread in clients:
            thread.start()
        try:
            for _ in range(self.count):
                time.sleep(self.random.uniform(0.02, 0.6))
                victim = self.random.randrange(2)
                self.instances[victim].kill()
                self.instances[victim] = Instance(self.folder, self.environment)
        finally:
            self.over.set()
            for thread in clients:
                thread.join()
        assert not self.faults, self.faults[0]
        try:
            return self.verify()
        finally:
            self.stop()

    def stop(self) -> None:
        """Ends everything."""
        for instance in self.instances:
            instance.kill()
        self.site.shutdown()
        self.site.server_close()
        self.publisher.stop()

    def guarded(self, work: Callable, *arguments: Any) -> None:
        """A thread's fault must not be silent."""
        try:
            work(*arguments)
        except BaseException as error:
            self.faults.append(error)

    def call(self, method: str, params: dict) -> dict:
        """At any instance, over a new connection, again and again until one answers."""
        until = time.monotonic() + 30
        while True:
            client = main.Client(self.instances[self.random.randrange(2)].url, wire=main.MODERN, timeout_s=10)
            try:
                return client.call(method, params)
            except (OSError, main.http.client.HTTPException, ValueError):
                self.said["repeated"] += 1
                assert time.monotonic() < until, "nobody answers"
                time.sleep(0.02)
            finally:
                client.close()

    def client(self, number: int) -> None:
        """One task after another, each followed to its end."""
        luck, round_number = random.Random(self.random.random()), 0
        while not self.over.is_set():
            round_number += 1
            key = f"client-{number}-{round_number}"
            publish = luck.random() < 0.5
            if luck.random() < 0.2:
                params = {"name": "generate_report", "arguments": {"folder": str(self.folder), "pace_ms": luck.randrange(300)}}
            else:
                urls = [f"http://127.0.0.1:{self.site.server_port}/{page}" for page in range(1, luck.randrange(7, 12))]
                params = {"name": "auditar_site", "arguments": {"urls": urls, "idempotency_key": key, "publicar": publish}}
            task_id = self.call("tools/call", params)["taskId"]
            with self.lock:
                self.created[task_id] = key
            self.follow(task_id, luck)

    def follow(self, task_id: str, luck: random.Random) -> None:
        """Polls, answers, sometimes cancels, until the task has ended."""
        until, cancels = time.monotonic() + 60, luck.random() < 0.1
        while time.monotonic() < until:
            task = self.call("tasks/get", {"taskId": task_id})
            if task["status"] == "input_required":
                answer = {"action": "accept", "content": {"confirmar": True}} if luck.random() < 0.8 else {"action": "decline"}
                self.call("tasks/update", {"taskId": task_id, "inputResponses": dict.fromkeys(task["inputRequests"], answer)})
            if task["status"] in main.TERMINAL:
                with self.lock:
                    self.ends[task_id] = {name: task.get(name) for name in ("status", "result", "error", "lastUpdatedAt")}
                return
            if cancels and luck.random() < 0.2:
                self.call("tasks/cancel", {"taskId": task_id})
            time.sleep(0.03)
        raise AssertionError(f"{task_id} is stuck: {task}")

    def verify(self) -> dict[str, Any]:
        """No task stuck, no result lost, nothing published twice, nothing left over."""
        for task_id, end in self.ends.items():
            now = self.call("tasks/get", {"taskId": task_id})
            assert {name: now.get(name) for name in end} == end, f"{task_id} ended as {end} and is now {now}"
        assert self.ends.keys() == self.created.keys(), "a task did not end"
        failed = [end["error"] for end in self.ends.values() if end["status"] == "failed"]
        assert all(error.get("data") == {"reason": "WORKER_LOST"} for error in failed), failed
        table = TaskTable(self.folder / "tasks.db")
        with contextlib.closing(table), table.connections.borrow() as db:
            rows = db.execute("SELECT task_id, job_id, status, worker, fencing_token, idempotency_key, result_json FROM mcp_tasks").fetchall()
            outbox = db.execute("SELECT count(*) FROM mcp_outbox").fetchone()[0]
            sound = db.execute("PRAGMA integrity_check").fetchone()[0]
        with self.publisher.connections.borrow() as db:
            reports = dict(db.execute("SELECT idempotency_key, id FROM reports").fetchall())
        jobs = {job_id: json.loads(result)["structuredContent"] for _, job_id, _, _, _, _, result in rows if result and "report_id" in result}
        assert sound == "ok" and outbox == 0, (sound, outbox)
        unfinished = [row for row in rows if row[2] not in main.TERMINAL or row[3] is not None]
        assert not unfinished, unfinished[0]
        keyed = collections.Counter(row[5] for row in rows)
        assert max(keyed.values()) == 1, keyed.most_common(1)
        for job_id, facts in jobs.items():
            assert reports.get(job_id) == facts["report_id"], f"{job_id} says {facts}, the publisher {reports.get(job_id)}"
        statuses = collections.Counter(row[2] for row in rows)
        return {"kills": self.count, "tasks": len(rows), **statuses, "taken over": sum(row[4] > 1 for row in rows), "reports": len(reports),
                "deliveries": self.publisher.counts()[1], "published, then not completed": len(reports.keys() - jobs.keys()), "requests repeated": self.said["repeated"]}


def kills(folder: pathlib.Path, count: int, seed: int) -> dict[str, Any]:
    """Seeded kills of one of two instances at random moments."""
    return Kills(folder, count, seed).run()


# ---- races -------------------------------------------------------------------------

def races(folder: pathlib.Path, count: int, seed: int) -> dict[str, Any]:
    """Cancel, update, complete, fail, lease loss and expiry, all at the same moment: one of them wins, and stays."""
    clock, luck, wins = [1_000_000.0], random.Random(seed), collections.Counter()
    table = TaskTable(folder / "races.db", clock=lambda: clock[0])
    said: list[tuple[str, str]] = []
    with contextlib.closing(table):
        for _ in range(count):
            task_id = table.create(NOBODY, "tool", {}, {}, {}).task_id
            job = table.claim("w", ["tool"])
            if luck.random() < 0.3:
                table.park(job, {"q": {"method": "x", "params": {}}}, {})
            table.observe = lambda job, what: said.append((job.status, what))
            said.clear()
            take = lambda requests, answers: ({}, {**answers, "q": {}})
            moves: list[Callable] = [lambda: table.finish(job, "completed", "", {"content": []}), lambda: table.finish(job, "failed", "", error={"code": 1, "message": ""}),
                                     lambda: table.request_cancel(task_id, NOBODY), lambda: table.answer(task_id, NOBODY, take), lambda: table.answer(task_id, NOBODY, take),
                                     lambda: [table.take_back(*lease) for lease in table.leases().items()], lambda: table.finish(job, "cancelled", ""),
                                     lambda: table.claim("v", ["tool"])]
            if luck.random() < 0.3:
                moves.append(lambda: (clock.__setitem__(0, clock[0] + 24 * 3600 + 1), table.sweep()))
            luck.shuffle(moves)
            in_parallel(moves)
            now = table.get(task_id, NOBODY)
            ended = {status for status, _ in said if status in main.TERMINAL}
            assert len(ended) <= 1, f"ended several times: {said}"
            assert now is None or (now.result is not None) == (now.status == "completed"), now
            assert now is None or not ended or now.status in ended, (now, said)
            with table.connections.borrow() as db:
                status, worker, waits = db.execute("SELECT status, worker, (SELECT count(*) FROM mcp_outbox WHERE task_id = ?) FROM mcp_tasks WHERE task_id = ?",
                                                   (task_id, task_id)).fetchone() or ("gone", None, 0)
            if status == "working":
                assert (worker is None) == (waits == 1), f"held by {worker} and {waits} times in the outbox"
            elif status != "input_required":
                assert worker is None and not waits, (status, worker, waits)
            wins[status] += 1
            with table.transaction() as db:
                db.execute("DELETE FROM mcp_tasks")
                db.execute("DELETE FROM mcp_outbox")
    return {"rounds": count, **wins}


# ---- malformed requests ------------------------------------------------------------

BODY = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "auditar_site", "arguments": {"urls": ["http://127.0.0.1/"], "idempotency_key": "k"},
        "_meta": {"io.modelcontextprotocol/protocolVersion": main.MODERN, "io.modelcontextprotocol/clientCapabilities": {}}}}
ODD = [None, True, 0, -1, 1.5, 1e308, 2 ** 63, "", "x", "\x00", "\u200b", "ż" * 50, "../../etc", "=?base64?AA==?=", [], {}, [[]], {"": {}}, "9" * 400, [None] * 20]
HEADERS = {"MCP-Protocol-Version": main.MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "auditar_site", "Accept": "application/json, text/event-stream"}


def spoilt(value: Any, luck: random.Random) -> Any:
    """A copy of a JSON value with one thing in it that does not belong there."""
    if isinstance(value, dict) and value and luck.random() < 0.85:
        key = luck.choice(sorted(value))
        change = luck.random()
        if change < 0.15:
            return {name: item for name, item in value.items() if name != key}
        if change < 0.25:
            return {**value, luck.choice(("extra", "_meta", "task", key + "x", "")): luck.choice(ODD)}
        return {**value, key: spoilt(value[key], luck)}
    return luck.choice(ODD)


def malformed_request(luck: random.Random) -> bytes:
    """The bytes of a request with something wrong with it: its body, its headers, or its HTTP."""
    kind = luck.random()
    method = luck.choice(("tools/call", "tasks/get", "tasks/update", "tasks/cancel", "server/discover", "tools/list", "subscriptions/listen", "nonsense"))
    body: Any = spoilt({**BODY, "method": method, "params": {**BODY["params"], "taskId": "task_" + "0" * 32, "inputResponses": {}, "notifications": {"taskIds": []}}}, luck)
    headers = {**HEADERS, "Mcp-Method": method, "Mcp-Name": "task_" + "0" * 32 if method.startswith("tasks/") else "auditar_site"}
    if kind < 0.2:
        name = luck.choice(sorted(headers))
        headers[name] = luck.choice(("", "x", "=?base64?!!?=", "=?base64?w6k=?=", "\xff", "2025-11-25", " ", "a" * 3000))
    text = json.dumps(body, ensure_ascii=luck.random() < 0.5).encode("utf-8", "surrogatepass")
    if kind > 0.8:
        place = luck.randrange(len(text))
        text = luck.choice((text[:place], text[:place] + bytes([luck.randrange(256)]) + text[place + 1:], text + text, b"\xff" + text, b"[" * 500, b'{"a": NaN}', text.replace(b"1", b"1e999")))
    data = http_post(text, *(f"{name}: {value}" for name, value in headers.items()))
    if kind > 0.95:
        place = luck.randrange(min(len(data), 200))
        data = data[:place] + luck.choice((b"\x00", b"\r", b"\n", b" ", b":", b"\xff")) + data[place + 1:]
    return data


def one_answer(sock: socket.socket) -> tuple[int, bool]:
    """(HTTP status, whether the connection goes on); 0 if it was closed without an answer."""
    reply = b""
    while b"\r\n\r\n" not in reply:
        piece = sock.recv(65536)
        if not piece:
            return 0, False
        reply += piece
    head, _, body = reply.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: (\d+)", head)
    while length is not None and len(body) < int(length[1]):
        piece = sock.recv(65536)
        if not piece:
            return 0, False
        body += piece
    return int(head[9:12]), length is not None and b"onnection: close" not in head


def malformed(folder: pathlib.Path, count: int, seed: int) -> dict[str, Any]:
    """Each is answered or hung up on: no 500, no traceback, no hang, memory flat, no task, and the next good one is served."""
    instance = Instance(folder, {}, lease_ms=5_000)
    luck, statuses, sock = random.Random(seed), collections.Counter(), None
    try:
        memory: list[int] = []
        for number in range(count):
            if sock is None:
                sock = socket.create_connection(("127.0.0.1", main.urlsplit(instance.url).port), timeout=10)
            data = malformed_request(luck)
            try:
                sock.sendall(data)
                status, goes_on = one_answer(sock)
            except ConnectionError:
                status, goes_on = 0, False
            except TimeoutError:               # a spoilt head may have promised more bytes than came
                status, goes_on = 1, False
                assert any(byte in data[:200] for byte in (b"\x00", b"\r\r", b"\n\n", b"\xff")), f"no answer to {data!r}"
            statuses[status] += 1
            assert status < 500 or status in (501, 505), f"HTTP {status} to {data!r}"         # 501: a verb that does not exist
            if not goes_on:
                sock.close()
                sock = None
            if number in (count // 4, count - 1):
                memory.append(resident_kb(instance.process.pid))
        client = main.Client(instance.url, wire=main.MODERN)
        assert client.call("tools/list")["tools"]
        client.close()
    finally:
        instance.kill()
        if sock:
            sock.close()
    log = (folder / "instances.log").read_text(encoding="utf-8")
    assert "traceback" not in log.lower(), re.search("(?i).{200}traceback.{600}", log, re.S)
    growth = memory[-1] / memory[0] if memory and memory[0] else 1.0
    assert growth < 1.25, f"memory grew {growth:.2f} times"
    return {"requests": count, **{("hung up" if status == 0 else "waited for more" if status == 1 else f"HTTP {status}"): number for status, number in sorted(statuses.items())},
            "memory in the end to a quarter": f"{growth:.2f}"}


def resident_kb(pid: int) -> int:
    """A process's memory; 0 where nobody tells."""
    with contextlib.suppress(OSError):
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1])
    return 0


# ---- addresses ---------------------------------------------------------------------

INSIDE = ["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "localhost", "LOCALHOST", "localhost.", "0.0.0.0", "0", "[::1]", "[::]", "[::ffff:127.0.0.1]",
          "[::ffff:7f00:1]", "[::127.0.0.1]", "[0:0:0:0:0:ffff:7f00:1]", "127.0.0.1.", "127.0.0.2", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[2001::1]", "[fec0::1]", "[ff02::1]",
          "[fe80::1%25eth0]", "[fe80::1]", "[fd00::1]", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "192.0.0.8", "198.18.0.1", "224.0.0.1", "240.0.0.1",
          "255.255.255.255", "[::ffff:100.64.0.1]", "[::ffff:a9fe:a9fe]", "user@127.0.0.1", "example.com@127.0.0.1", "127.0.0.1#@example.com", "127.0.0.1%00.example.com", "1１27.0.0.1"]
SCHEMES = ["http://{host}:{port}/", "HTTP://{host}:{port}/", "http:\\\\{host}:{port}/", "http:///{host}:{port}/", "//{host}:{port}/", "http://{host}:{port}\\@example.com/"]
OTHER = ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "data:text/plain,x", "javascript:1", "http://", "http://:80/", "http://[", "http://x:99999/", "", " ", "http://a b/",
         "http://127.0.0.1\r\nHost: x/", "http://\u2100/", "http://.../", "http://[::1%2525]/", "dict://127.0.0.1:11211/", "http://-/", "ｈttp://127.0.0.1/"]


def addresses(folder: pathlib.Path, count: int, seed: int) -> dict[str, Any]:
    """Whatever way an address is written, nothing inside is reached: a real server there must see nobody."""
    visited: list[Any] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0.2)
        port = listening.getsockname()[1]
        urls = [scheme.format(host=host, port=port) for host in INSIDE for scheme in SCHEMES] + OTHER
        before, auditing.ALLOWED_NETWORKS = auditing.ALLOWED_NETWORKS, ""
        try:
            found = in_parallel([lambda url=url: auditing.audit(url, address_to_dial) for url in urls])
        finally:
            auditing.ALLOWED_NETWORKS = before
        with contextlib.suppress(TimeoutError):
            sock, visitor = listening.accept()
            sock.close()
            visited.append(visitor)
    assert not visited, "somebody came inside"
    reached = [one for one in found if one["ok"]]
    assert not reached, reached[0]
    return {"URLs": len(urls), "reached": len(reached)}


CAMPAIGNS = {"kills": (kills, 500), "races": (races, 2_000), "malformed": (malformed, 100_000), "addresses": (addresses, 1)}


def run() -> None:
    """The campaigns that were asked for, one line of figures each."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("name", nargs="?", choices=sorted(CAMPAIGNS))
    options.add_argument("--count", type=int)
    options.add_argument("--seed", type=int, default=13)
    chosen = options.parse_args()
    for name in [chosen.name] if chosen.name else CAMPAIGNS:
        campaign, usual = CAMPAIGNS[name]
        with tempfile.TemporaryDirectory(prefix="lesson-13-campaign-") as folder:
            began = time.monotonic()
            figures = campaign(pathlib.Path(folder), chosen.count or usual, chosen.seed)
        print(f"{name}, seed {chosen.seed}, {time.monotonic() - began:.0f} s: " + ", ".join(f"{what} {number}" for what, number in figures.items()), flush=True)


if __name__ == "__main__":
    run()
