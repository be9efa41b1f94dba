"""Side-by-side measurements: the lesson server and the least that could do the same.

    python -m tests.bench              everything; takes a few minutes
    python -m tests.bench --quick      smaller numbers, for a look
    python -m tests.bench --peers      the 2026 server, beside FastMCP's tasks server
    python -m tests.bench --instances  the 2026 server alone: one instance, two, and how its database grows

Each figure is a ratio, taken in one run on one machine: the lesson server against a bare
http.server handler that answers the same bytes, or the store against the bare system
calls.  A ratio survives a slow or busy machine; an absolute time does not.
"""
from __future__ import annotations

import argparse
import json
import os
import pathlib
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import main
from lessons.store_contract import DONE, new_task
from lessons.task_table import NOBODY, TaskTable
from tests.support import ROOT, http_post, request, status_and_json

ROUNDS = 5


# ---- the bare counterparts ---------------------------------------------------------

class BareHandler(BaseHTTPRequestHandler):
    """Reads a body and answers fixed bytes: what http.server costs at the least."""
    protocol_version, wbufsize, disable_nagle_algorithm = "HTTP/1.1", -1, True
    answer = b""

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, *arguments):
        pass


def serve_bare(answer: str) -> None:
    """The child process behind `--bare`."""
    BareHandler.answer = answer.encode()
    ThreadingHTTPServer.request_queue_size = 128
    server = ThreadingHTTPServer(("127.0.0.1", 0), BareHandler)
    print(f"http://127.0.0.1:{server.server_port}/mcp", flush=True)
    server.serve_forever()


def write_bare(folder: pathlib.Path, number: int, text: str) -> None:
    """A durable file with nothing around it: write, fsync, rename, fsync the folder."""
    temp = folder / f"{number}.tmp"
    with open(temp, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temp, folder / f"{number}.json")
    main.sync_folder(folder)


# ---- load --------------------------------------------------------------------------

class Process:
    """A child server, its port, and what it has used."""

    def __init__(self, *command: str, python: str = sys.executable):
        self._before = resource.getrusage(resource.RUSAGE_CHILDREN)
        self._process = subprocess.Popen([python, *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                         text=True, cwd=ROOT)
        self.url = self._process.stdout.readline().strip()
        self.port = int(self.url.split(":")[2].split("/")[0])

    def memory_mb(self) -> float:
        """Resident memory now."""
        shown = subprocess.run(["ps", "-o", "rss=", "-p", str(self._process.pid)], capture_output=True, text=True)
        return int(shown.stdout) / 1024

    def end(self) -> float:
        """Kills it; the seconds of CPU that it has used."""
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - self._before.ru_utime - self._before.ru_stime


def exchange(sock: socket.socket, data: bytes) -> bytes:
    """One request and its whole answer over a kept connection."""
    sock.sendall(data)
    reply = sock.recv(65536)
    while b"\r\n\r\n" not in reply:
        reply += sock.recv(65536)
    head, _, body = reply.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
    while len(body) < length:
        body += sock.recv(65536)
    return head + b"\r\n\r\n" + body


def drive(port: int, data: bytes, clients: int, requests: int) -> tuple[float, float]:
    """(requests a second, 99th percentile in ms) of `clients` kept connections."""
    times: list[float] = []
    gate = threading.Barrier(clients + 1)

    def client() -> None:
        with socket.create_connection(("127.0.0.1", port)) as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            exchange(sock, data)
            gate.wait()
            mine = []
            for _ in range(requests // clients):
                before = time.perf_counter()
                exchange(sock, data)
                mine.append(time.perf_counter() - before)
            times.extend(mine)
    threads = [threading.Thread(target=client) for _ in range(clients)]
    for thread in threads:
        thread.start()
    gate.wait()
    started = time.perf_counter()
    for thread in threads:
        thread.join()
    return len(times) / (time.perf_counter() - started), statistics.quantiles(times, n=100)[98] * 1000


def report(what: str, ratio: float, target: str, detail: str) -> None:
    """One line of the table."""
    print(f"{what:<44} {ratio:6.2f}   {target:<14} {detail}", flush=True)


# ---- the measurements --------------------------------------------------------------

def measure_polls(folder: pathlib.Path, requests: int) -> None:
    """tasks/status against the bare handler, in turn, at 1 and 16 clients."""
    lab = Process("main.py", "serve", "--port", "0", "--store", str(folder / "polls"))
    client = main.Client(lab.url)
    (folder / "empty").mkdir()
    finished = client.start("generate_report", {"folder": str(folder / "empty")})
    client.wait(finished)
    live = client.start("generate_report", {"pace_ms": 600_000})
    for name, task_id in (("live", live), ("finished", finished)):
        data = http_post(request("tasks/status", {"taskId": task_id}))
        with socket.create_connection(("127.0.0.1", lab.port)) as sock:
            answer = status_and_json(exchange(sock, data))[1]
        bare = Process("-m", "tests.bench", "--bare", json.dumps(answer))
        for clients in (1, 16):
            pairs = [(drive(lab.port, data, clients, requests), drive(bare.port, data, clients, requests)) for _ in range(ROUNDS)]
            rates = [ours[0] / theirs[0] for ours, theirs in pairs]
            tails = [ours[1] / theirs[1] for ours, theirs in pairs]
            rate = statistics.median(ours[0] for ours, _ in pairs)
            tail = statistics.median(ours[1] for ours, _ in pairs)
            report(f"tasks/status, {name} task, {clients} clients: rate", statistics.median(rates), ">= 0.80", f"{rate:.0f}/s")
            report(f"tasks/status, {name} task, {clients} clients: p99", statistics.median(tails), "<= 1.50", f"{tail:.2f} ms")
        bare.end()
    lab.end()


def measure_creation(folder: pathlib.Path, count: int) -> None:
    """Durable creation over HTTP against bare fsync and rename."""
    ratios, rates = [], []
    for round_number in range(ROUNDS):
        lab = Process("main.py", "serve", "--port", "0", "--store", str(folder / f"create{round_number}"))
        params = {"name": "generate_report", "arguments": {"pace_ms": 600_000}, "_meta": {"task": {"required": True}}}
        rate, _ = drive(lab.port, http_post(request("tools/call", params)), 1, count)
        lab.end()
        text = next((folder / f"create{round_number}").glob("tsk_*.json")).read_text(encoding="utf-8")
        started = time.perf_counter()
        (folder / f"bare{round_number}").mkdir()
        for number in range(count):
            write_bare(folder / f"bare{round_number}", number, text)
        rates.append(rate)
        ratios.append(rate / (count / (time.perf_counter() - started)))
    report("durable creation, against fsync and rename", statistics.median(ratios), "", f"{statistics.median(rates):.0f}/s")


def fill(folder: pathlib.Path, count: int) -> None:
    """Puts so many finished tasks into a folder."""
    store = main.FileStore(folder)
    for number in range(count):
        task = main.replace(new_task(store, number, ttl_ms=10 ** 9), **DONE)
        (store.folder / f"{task.id}.json").write_text(task.to_json(), encoding="utf-8")
    store.close()


def measure_reload(folder: pathlib.Path, count: int) -> None:
    """reload() of many finished tasks against a bare loop of json.load."""
    fill(folder / "many", count)

    def bare() -> None:
        for path in (folder / "many").glob("tsk_*.json"):
            with open(path, encoding="utf-8") as file:
                json.load(file)

    def ours() -> None:
        store = main.FileStore(folder / "many")
        assert store.reload().tasks == count
        store.close()

    ratios, seconds = [], []
    for _ in range(3):
        started = time.perf_counter()
        bare()
        middle = time.perf_counter()
        ours()
        seconds.append(time.perf_counter() - middle)
        ratios.append(seconds[-1] / (middle - started))
    report(f"reload of {count} files, against json.load", statistics.median(ratios), "<= 2.00", f"{statistics.median(seconds):.1f} s")
    measure_full_store(folder)


def measure_full_store(folder: pathlib.Path) -> None:
    """A poll must not get dearer with the number of stored tasks."""
    (folder / "few").mkdir(mode=0o700)
    paths = sorted((folder / "many").glob("tsk_*.json"))[:10]
    for path in paths:
        shutil.copy(path, folder / "few")
    rates = {}
    for name in ("few", "many"):
        lab = Process("main.py", "serve", "--port", "0", "--store", str(folder / name))
        data = http_post(request("tasks/status", {"taskId": paths[3].stem}), "Mcp-Session-Id: s")
        rates[name] = statistics.median(drive(lab.port, data, 1, 2000)[0] for _ in range(ROUNDS))
        lab.end()
    report("a poll in a full store, against an almost empty one", rates["many"] / rates["few"], "about 1", f"{rates['many']:.0f}/s")


def modern_post(method: str, params: dict) -> bytes:
    """The bytes of a request of 2026-07-28 that declares tasks."""
    client = main.Client("http://127.0.0.1:1/mcp", wire=main.MODERN)
    message = client.frame(request(method, params))
    return http_post(message, *(f"{name}: {value}" for name, value in client.headers(message).items() if name != "Content-Type"))


def task_id_of(port: int, data: bytes, within_s: float = 30.0) -> tuple[str, dict]:
    """(task id, the whole answer) of a call that becomes a task; waits for a server that is still starting."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port)) as sock:
                answer = status_and_json(exchange(sock, data))[1]
            return answer["result"]["taskId"], answer
        except (OSError, KeyError, IndexError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def measure_modern(folder: pathlib.Path, count: int) -> None:
    """The 2026 server beside a bare handler, and beside FastMCP's tasks server: creation, tasks/get, memory, first answer."""
    from tests.interop.environment import python
    started = time.perf_counter()
    ours = Process("main.py", "serve", "--port", "0", "--wire", main.MODERN, "--db", str(folder / "modern.db"))
    call = modern_post("tools/call", {"name": "generate_report", "arguments": {"pace_ms": 600_000}})
    task_id, _ = task_id_of(ours.port, call)
    first = time.perf_counter() - started
    started = time.perf_counter()
    peer = Process("tests/interop/fastmcp_server.py", python=str(python()))
    peer_call = modern_post("tools/call", {"name": "wait", "arguments": {"seconds": 600}})
    peer_id, _ = task_id_of(peer.port, peer_call)
    peer_first = time.perf_counter() - started
    get, peer_get = (modern_post("tasks/get", {"taskId": one}) for one in (task_id, peer_id))
    with socket.create_connection(("127.0.0.1", ours.port)) as sock:
        bare = Process("-m", "tests.bench", "--bare", json.dumps(status_and_json(exchange(sock, get))[1]))
    for clients in (1, 16):
        rows = [(drive(ours.port, get, clients, count), drive(bare.port, get, clients, count), drive(peer.port, peer_get, clients, count // 4)) for _ in range(ROUNDS)]
        rate = statistics.median(own[0] for own, _, _ in rows)
        report(f"tasks/get, {clients} clients, against bare: rate", statistics.median(own[0] / least[0] for own, least, _ in rows), ">= 0.80", f"{rate:.0f}/s")
        report(f"tasks/get, {clients} clients, against bare: p99", statistics.median(own[1] / least[1] for own, least, _ in rows), "<= 1.50", "")
        report(f"tasks/get, {clients} clients, against FastMCP: rate", statistics.median(own[0] / other[0] for own, _, other in rows), ">= 7", "")
    pairs = [(drive(ours.port, call, 1, count // 20)[0], drive(peer.port, peer_call, 1, count // 20)[0]) for _ in range(ROUNDS)]
    report("durable creation, against FastMCP's in memory", statistics.median(own / other for own, other in pairs), ">= 8", f"{statistics.median(own for own, _ in pairs):.0f}/s")
    report("memory, against FastMCP", ours.memory_mb() / peer.memory_mb(), "", f"{ours.memory_mb():.1f} MB against {peer.memory_mb():.1f} MB")
    report("time to the first task, against FastMCP", first / peer_first, "", f"{first:.2f} s against {peer_first:.2f} s")
    for process in (ours, peer, bare):
        process.end()


def measure_instances(folder: pathlib.Path, count: int) -> None:
    """What one instance of the 2026 server does, what two do on one database, and what a task weighs."""
    command = ("main.py", "serve", "--port", "0", "--wire", main.MODERN, "--db", str(folder / "instances.db"))
    both = [Process(*command), Process(*command)]
    call = modern_post("tools/call", {"name": "generate_report", "arguments": {"pace_ms": 600_000}})
    task_id, _ = task_id_of(both[0].port, call)
    for name, data, requests in (("tasks/get", modern_post("tasks/get", {"taskId": task_id}), count), ("creation", call, count // 20)):
        alone, together = [], []
        for _ in range(ROUNDS):
            alone.append(drive(both[0].port, data, 4, requests)[0])
            rates: list[float] = []
            threads = [threading.Thread(target=lambda port=one.port: rates.append(drive(port, data, 4, requests)[0])) for one in both]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            together.append(sum(rates))
        one, two = statistics.median(alone), statistics.median(together)
        report(f"{name}, two instances, against one", two / one, "", f"{one:.0f}/s and {two:.0f}/s")
    for process in both:
        process.end()
    report("a finished task in the database, against its result", *weight_of_a_task(folder / "weight.db", count))


def weight_of_a_task(file: pathlib.Path, count: int) -> tuple[float, str, str]:
    """(ratio, target, words) for the bytes that a finished task takes in the file."""
    table = TaskTable(file)
    result = main.text_result("6 URLs auditadas; 1 com problemas.", {"sites": [{"url": f"https://example.com/{n}", "ok": True, "status": 200} for n in range(6)]})
    for number in range(count):
        table.create(NOBODY, "tool", {"idempotency_key": f"key-{number}", "urls": ["https://example.com/"] * 6}, {}, {})
        table.finish(table.claim("w", ["tool"]), "completed", "done", result)
    table.close()
    each = file.stat().st_size / count
    return each / len(json.dumps(result)), "", f"{each:.0f} bytes a task, its result {len(json.dumps(result))}"


def measure_start(folder: pathlib.Path) -> None:
    """CPU until the first answer, and memory with 10,000 finished tasks."""
    seconds = {}
    bare_command = ("-m", "tests.bench", "--bare", "{}")
    for name, command in (("lab", ("main.py", "serve", "--port", "0", "--store", str(folder / "start"))), ("bare", bare_command)):
        seconds[name] = []
        for _ in range(ROUNDS):
            process = Process(*command)
            with socket.create_connection(("127.0.0.1", process.port)) as sock:
                exchange(sock, http_post(request("ping")))
            seconds[name].append(process.end())
    lab, bare = (statistics.median(seconds[name]) for name in ("lab", "bare"))
    report("CPU until the first answer", lab / bare, "", f"{lab:.2f} s (target < 0.3 s)")
    fill(folder / "memory", 10_000)
    process, bare_process = Process("main.py", "serve", "--port", "0", "--store", str(folder / "memory")), Process(*bare_command)
    client = main.Client(process.url, "s")
    for number in range(10_000):
        client.call("tasks/status", {"taskId": f"tsk_{number:032x}"})
    report("memory with 10,000 finished tasks, all polled", process.memory_mb() / bare_process.memory_mb(), "",
           f"{process.memory_mb():.1f} MB (target < 40 MB)")
    process.end()
    bare_process.end()


def run() -> None:
    """All measurements, in a temporary folder."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--quick", action="store_true", help="smaller numbers")
    options.add_argument("--peers", action="store_true", help="only the 2026 server, beside FastMCP's (installs it in .interop/)")
    options.add_argument("--instances", action="store_true", help="only the 2026 server: one instance, two, and the growth of the database")
    options.add_argument("--bare", metavar="JSON", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.bare:
        return serve_bare(chosen.bare)
    small = 10 if chosen.quick else 1
    print(f"{'measured':<44} {'ratio':>6}   {'target':<14} this machine")
    with tempfile.TemporaryDirectory(prefix="lesson-13-bench-") as folder:
        if chosen.peers:
            return measure_modern(pathlib.Path(folder), 4000 // small)
        if chosen.instances:
            return measure_instances(pathlib.Path(folder), 4000 // small)
        measure_polls(pathlib.Path(folder), 8000 // small)
        measure_creation(pathlib.Path(folder), 800 // small)
        measure_start(pathlib.Path(folder))
        measure_reload(pathlib.Path(folder), 100_000 // small)


if __name__ == "__main__":
    run()
