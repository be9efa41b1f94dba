"""What the tests share: a folder that goes away, servers that end, sockets, and no luck."""
from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import main

ROOT = pathlib.Path(main.__file__).resolve().parent
AS_TASK = {"_meta": {"task": {"required": True}}}


class LabTest(unittest.TestCase):
    """A test with a folder of its own, which must end without a thread left over."""

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lesson-13-test-"))
        self._threads = set(threading.enumerate())
        self.addCleanup(self._nothing_is_left)

    def _nothing_is_left(self):
        shutil.rmtree(self.folder)
        left = eventually(lambda: not (set(threading.enumerate()) - self._threads))
        self.assertTrue(left, f"threads left running: {set(threading.enumerate()) - self._threads}")

    def serve(self, folder=None, **options):
        """A lesson server in this process, stopped when the test ends."""
        server = main.LessonServer(main.FileStore(folder or self.folder / "tasks"), **options).start()
        self.addCleanup(server.stop)
        return server

    def client(self, server, session="", **options):
        """A client of a server or a URL, closed when the test ends."""
        client = main.Client(getattr(server, "url", server), session, **options)
        self.addCleanup(client.close)
        return client

    def spawn(self, *arguments, **options):
        """`python main.py ...` as a real process, ended when the test ends."""
        process = subprocess.Popen([sys.executable, str(ROOT / "main.py"), *arguments], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8",
                                   env=child_environment(self.folder), **options)
        self.addCleanup(end, process)
        return process

    def spawn_server(self, *options):
        """A serving process and its URL."""
        process = self.spawn("serve", "--port", "0", "--store", str(self.folder / "tasks"), *options)
        url = process.stdout.readline().strip()
        self.assertTrue(url.startswith("http://127.0.0.1:"), url or process.stderr.read())
        return process, url

    def run_main(self, *arguments, timeout=60, **options):
        """`python main.py ...` to its end: a CompletedProcess with text."""
        return subprocess.run([sys.executable, str(ROOT / "main.py"), *arguments], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, encoding="utf-8", timeout=timeout,
                              env=child_environment(self.folder), **options)

    @contextlib.contextmanager
    def refused(self, code=None, http=None, saying=""):
        """The block must raise an RpcError like this."""
        with self.assertRaises(main.RpcError) as caught:
            yield caught
        error = caught.exception
        if code is not None:
            self.assertEqual(code, error.code, error.message)
        if http is not None:
            self.assertEqual(http, error.http, error.message)
        self.assertIn(saying, error.message)


def child_environment(folder):
    """A child's environment: plain output, and a temp folder that the test removes."""
    kept = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "PYTHONSTARTUP")}
    return {**kept, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder), "PYTHON_COLORS": "0"}


def end(process):
    """Ends a child process, however it is."""
    if process.poll() is None:
        process.kill()
    process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe and not pipe.closed:
            pipe.close()


def eventually(condition, within_s=10.0):
    """Waits until `condition()` is true; whether it became so.  The limit is for a broken build."""
    deadline = time.monotonic() + within_s
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(0.005)
    return value


def port_of(server):
    """The port in a server's URL."""
    return int(getattr(server, "url", server).split(":")[2].split("/")[0])


def talk(server, data, within_s=10.0):
    """Sends raw bytes on a new connection, says that no more will come, and returns all answers."""
    with socket.create_connection(("127.0.0.1", port_of(server)), timeout=within_s) as sock:
        with contextlib.suppress(OSError):                 # the server may have refused and gone already
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
        return read_all(sock, within_s)


def read_all(sock, idle_s=0.3):
    """Everything until the other side closes, or is silent for `idle_s` after an answer began."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while True:
            try:
                piece = sock.recv(65536)
            except TimeoutError:
                return received
            if not piece:
                return received
            received += piece
            sock.settimeout(idle_s)
    return received


def http_post(body, *headers, path="/mcp", length=None, host="127.0.0.1"):
    """The bytes of a POST.  Extra header lines go in as they are."""
    body = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.1", *([f"Host: {host}"] if host else []),
             f"Content-Length: {len(body) if length is None else length}"]
    if not any(line.lower().startswith("content-type") for line in headers):
        lines.append("Content-Type: application/json")
    return "\r\n".join([*lines, *headers, "", ""]).encode("utf-8") + body


def request(method, params=None, message_id=1):
    """A JSON-RPC request object."""
    return {"jsonrpc": "2.0", "id": message_id, "method": method, "params": params or {}}


def status_and_json(reply):
    """(status, JSON body or None) of the first HTTP response in some bytes."""
    head, _, rest = reply.partition(b"\r\n\r\n")
    status = int(head.split(b" ", 2)[1])
    length = next((int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length")), 0)
    return status, json.loads(rest[:length]) if rest[:length] else None


def record_messages(path):
    """From now on every message that a server in this process sends is written to a file, one a line."""
    encode, file, lock = main.encode, open(path, "a", encoding="utf-8"), threading.Lock()

    def recorded(reply):
        body = encode(reply)
        if body and "jsonrpc" in reply and main.sys._getframe(1).f_code.co_name not in ("post",):
            with lock:
                file.write(body.decode("utf-8") + "\n")
                file.flush()
        return body
    main.encode = recorded


def interrupt(process):
    """Ctrl-C for a child process."""
    process.send_signal(signal.SIGINT)
