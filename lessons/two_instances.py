"""The second tour: two servers on one database, of which one is killed while it works.

    client -> gateway -> instance 1 or 2 -> one SQLite file -> worker -> publisher

The seed decides when the instance that holds the job is killed: after some of the URLs,
while a person thinks, or between the report's arrival at the publisher and its answer.
"""
from __future__ import annotations

import contextlib
import pathlib
import random
import socket
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable
from urllib.parse import urlsplit

import main
from lessons import authorization
from lessons.gateway import Gateway
from lessons.publisher import Publisher
from lessons.task_table import Job, TaskTable
from main import Client, ServerProcess, say

URLS = 8
PAGE_TAKES_S = 0.25
ANA, BOB = ("acme", "ana"), ("acme", "bob")
PATIENCE_S = 60.0


class Site(BaseHTTPRequestHandler):
    """A slow web site to audit."""

    def do_HEAD(self) -> None:
        """Any page, after a while; one of them is not there."""
        time.sleep(PAGE_TAKES_S)
        with contextlib.suppress(ConnectionError):
            self.send_response(404 if self.path == "/3" else 200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()

    def log_message(self, *args: Any) -> None:
        """Silent."""


class SecondTour:
    """One task's life, told as a timeline."""

    def __init__(self, seed: int, log: Callable[[str], None] = say):
        self.seed, self.random, self.log, self.began = seed, random.Random(seed), log, time.monotonic()
        self.when = self.random.choice(("auditing", "waiting", "publishing"))
        self.after = self.random.randrange(1, URLS)
        self.instances: dict[str, ServerProcess] = {}
        self.killed, self.said, self.lock = "", "", threading.Lock()

    def run(self) -> dict:
        """The whole story; what came of it: {'status', 'reports', 'deliveries', 'tasks', 'killed'}."""
        with tempfile.TemporaryDirectory(prefix="lesson-13-two-") as folder, contextlib.ExitStack() as stack:
            self.set_up(pathlib.Path(folder), stack)
            task_id = self.create()
            self.strangers(task_id)
            job = self.follow(task_id)
            return self.sum_up(job)

    def set_up(self, folder: pathlib.Path, stack: contextlib.ExitStack) -> None:
        """Publisher, site, gateway, database, and two processes."""
        self.publisher = Publisher(folder / "publisher.db").start()
        stack.callback(self.publisher.stop)
        self.publisher.before_answer = lambda: self.kill_when("publishing")
        site = ThreadingHTTPServer(("127.0.0.1", 0), Site)
        threading.Thread(target=site.serve_forever, args=(0.05,), daemon=True).start()
        stack.callback(site.server_close)
        stack.callback(site.shutdown)
        self.urls = [f"http://127.0.0.1:{site.server_port}/{number}" for number in range(1, URLS + 1)]
        self.gateway = Gateway().start()
        stack.callback(self.gateway.stop)
        self.authority = authorization.make_authority(folder / "auth.json", self.gateway.url)
        self.gateway.publish_metadata(self.authority)
        environment = {"AUDITORIA_PUBLISHER": self.publisher.url, "AUDITORIA_ALLOWED_NETWORKS": "127.0.0.0/8"}
        for name in ("instance 1", "instance 2"):
            log_file = stack.enter_context(open(folder / f"{name}.log", "w", encoding="utf-8"))
            self.instances[name] = ServerProcess("--wire", main.MODERN, "--db", str(folder / "lab.db"), "--auth", str(folder / "auth.json"),
                                                 "--workers", "2", log_file=log_file, environment=environment)
            stack.callback(self.instances[name].stop)
        self.gateway.instances = [server.url for server in self.instances.values()]
        self.table = TaskTable(folder / "lab.db")
        stack.callback(self.table.close)
        self.log("TWO INSTANCES, OF WHICH ONE MAY DIE")
        where = {"auditing": f"after {self.after} of {URLS} URLs", "waiting": "while the person thinks", "publishing": "while it hands the report over"}
        self.log(f"Seed {self.seed}: the instance that works is killed {where[self.when]}.")
        self.log("")
        self.began = time.monotonic()
        for name, server in self.instances.items():
            self.tell(name, f"process {server.pid} listens, on the same database")

    def tell(self, who: str, what: str) -> None:
        """One line of the timeline."""
        self.log(f"  {time.monotonic() - self.began:6.2f} s  {who:<11} {what}")

    def client(self, owner: tuple[str, str] = ANA) -> Client:
        """Somebody with a token, on a connection of its own."""
        token = authorization.issue(self.authority, time.time(), owner[1], owner[0])
        return Client(self.gateway.url, wire=main.MODERN, token=token)

    # ---- the story -----------------------------------------------------------------

    def create(self) -> str:
        """A call whose answer is lost, and the same call again: one task."""
        arguments = {"urls": self.urls, "idempotency_key": "audit:release-42", "publicar": True}
        call = {"jsonrpc": "2.0", "id": "call-1", "method": "tools/call", "params": {"name": "auditar_site", "arguments": arguments}}
        first = self.client()
        self.send_and_hang_up(first, call)
        self.tell("client", f"tools/call auditar_site, {URLS} URLs, publicar; hangs up before the answer comes")
        self.wait_for(lambda: self.count_tasks() == 1)
        with contextlib.closing(self.client()) as client:
            result = client.call("tools/call", call["params"])
        self.tell("client", f"the same call with a new id and the same key -> {result['taskId'][:13]}...")
        self.tell("database", f"holds {self.count_tasks()} task")
        return result["taskId"]

    @staticmethod
    def send_and_hang_up(client: Client, message: dict) -> None:
        """A request whose answer nobody waits for."""
        message = client.frame(message)
        body = main.encode(message)
        address = urlsplit(client.url)
        with socket.create_connection((address.hostname, address.port)) as sock:
            headers = {"Host": address.netloc, **client.headers(message), "Content-Length": str(len(body))}
            sock.sendall(b"POST /mcp HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items()).encode() + b"\r\n" + body)

    def count_tasks(self) -> int:
        """How many tasks there are."""
        with self.table.connections.borrow() as db:
            return db.execute("SELECT count(*) FROM mcp_tasks").fetchone()[0]

    def strangers(self, task_id: str) -> None:
        """Somebody else's token, and none."""
        with contextlib.closing(self.client(BOB)) as bob:
            try:
                bob.call("tasks/get", {"taskId": task_id})
            except main.RpcError as error:
                self.tell("bob", f"tasks/get with the same id: {error.code}, as if there were no such task")

    def follow(self, task_id: str) -> Job:
        """Polls as a client does, answers for the person, and kills when it is time."""
        client, next_poll, status = self.client(), 0.0, ""
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            job = self.table.get(task_id, ANA)
            self.show(job)
            if job.message.startswith(f"{self.after} de "):
                self.kill_when("auditing")
            if time.monotonic() >= next_poll:
                task = client.call("tasks/get", {"taskId": task_id})
                next_poll = time.monotonic() + task["pollIntervalMs"] / 1000
                if task["status"] != status:
                    status = task["status"]
                    self.tell("client", f"tasks/get -> {status}")
                if status == "input_required":
                    self.decide(client, task_id)
                    client.close()
                    client, next_poll = self.client(), 0.0
                if status in main.TERMINAL:
                    client.close()
                    return job
            time.sleep(0.01)
        raise TimeoutError("the task did not end")

    def decide(self, client: Client, task_id: str) -> None:
        """The person thinks, and says yes."""
        time.sleep(0.3)
        self.kill_when("waiting")
        yes = {"approve_publish_v1": {"action": "accept", "content": {"confirmar": True}}}
        client.call("tasks/update", {"taskId": task_id, "inputResponses": yes})
        self.tell("person", "yes, publish it")

    def show(self, job: Job) -> None:
        """A line for each thing that has changed in the row."""
        holder = self.instance_of(job.worker)
        now = f"{job.status}, {job.message}" + (f"  [{holder}, token {job.token}]" if holder else "")
        if now != self.said:
            self.said = now
            self.tell("database", now)

    def instance_of(self, worker: str | None) -> str:
        """The instance that a worker's name belongs to; '' for nobody."""
        pid = (worker or "").partition("-")[0]
        return next((name for name, server in self.instances.items() if str(server.pid) == pid), "")

    def kill_when(self, moment: str) -> None:
        """Kills the instance that holds the job; if nobody does, one that the seed chooses.  Once."""
        with self.lock:
            if moment != self.when or self.killed:
                return
            with self.table.connections.borrow() as db:
                row = db.execute("SELECT worker FROM mcp_tasks").fetchone()
            self.killed = self.instance_of(row[0]) or self.random.choice(sorted(self.instances))
            self.instances[self.killed].kill()
            self.tell(self.killed, "KILLED")

    def wait_for(self, condition: Callable[[], bool]) -> None:
        """Looks until it is so."""
        until = time.monotonic() + PATIENCE_S
        while not condition() and time.monotonic() < until:
            time.sleep(0.01)

    def sum_up(self, job: Job) -> dict:
        """What came of it."""
        reports, deliveries = self.publisher.counts()
        text = job.result["content"][0]["text"] if job.result else str(job.error)
        self.tell("client", f"has the result: {text}")
        self.tell("publisher", f"holds {reports} report; it was handed over {deliveries} time{'s' * (deliveries != 1)}")
        tasks = self.count_tasks()
        self.log("")
        self.log(f"One instance died, and nobody had to know: {tasks} task, {job.status}, {reports} report. "
                 "Other moments: --seed 5, --seed 7.")
        return {"status": job.status, "reports": reports, "deliveries": deliveries, "tasks": tasks, "killed": self.killed}
