"""A small gateway for the second tour: it checks headers, and sends each request to an instance that lives.

It trusts Mcp-Method and Mcp-Name only after it has compared them with the body, and uses
them to route, never to authorise: who may do what, the instance decides from the token.
"""
from __future__ import annotations

import contextlib
import http.client
import itertools
import json
from typing import Any, Callable, Iterator
from urllib.parse import urlsplit

import main
from lessons import server_2026
from lessons.ex06_stateless_requests.solution import check_request
from main import INVALID_REQUEST, Request, RpcError

PASSED_ON = ("authorization", "content-type", "accept", "mcp-protocol-version", "mcp-method", "mcp-name")
REPEATABLE = {"server/discover", "tools/list", "tasks/get", "tasks/update", "tasks/cancel", "subscriptions/listen"}


class Gateway(main.JsonRpcServer):
    """A JsonRpcServer whose methods are elsewhere.

    `instances`: their URLs, changed by whoever starts and stops them.  Requests go round;
    nothing has to come back to the instance that has seen a task before.
    """

    def __init__(self, port: int = 0):
        super().__init__({}, port=port)
        self.instances: list[str] = []
        self._turn = itertools.count()

    def publish_metadata(self, authority: Any) -> None:
        """Clients look for the metadata where the resource is: here."""
        self.pages = server_2026.metadata_pages(authority)

    def find_answer(self, request: Request) -> tuple[int, Any]:
        """Checked here, answered there."""
        if request.target in self.pages:
            return super().find_answer(request)
        self.check_http(request)
        request.message = main.parse_message(request.body)
        if "method" in request.message and "id" in request.message:
            check_request(request.headers, request.message, {})
        return self._forward(request)

    def _forward(self, request: Request) -> tuple[int, Any]:
        """To one instance after another, until one has answered.

        A request that may have arrived is sent to a second one only if that can do no harm.
        A tools/call is not repeated here: its caller does, with its idempotency key.
        """
        turn, instances = next(self._turn), list(self.instances)
        for url in instances[turn % max(len(instances), 1):] + instances[:turn % max(len(instances), 1)]:
            connection = http.client.HTTPConnection(urlsplit(url).hostname, urlsplit(url).port, timeout=60)
            try:
                connection.connect()
            except OSError:
                continue                       # nothing was sent
            try:
                return self._exchange(connection, request)
            except (OSError, http.client.HTTPException):
                connection.close()
                if request.message.get("method") not in REPEATABLE:
                    raise RpcError(INVALID_REQUEST, "the instance was lost before it answered; repeat the call with its idempotency key", http=502) from None
        raise RpcError(INVALID_REQUEST, "no instance answers; try again later", http=503)

    def _exchange(self, connection: http.client.HTTPConnection, request: Request) -> tuple[int, Any]:
        headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
        connection.request("POST", main.PATH, request.body, headers)
        response = connection.getresponse()
        if "text/event-stream" in response.headers.get("Content-Type", ""):
            return response.status, self._events(connection, response, request.gone)
        with contextlib.closing(connection):
            body = response.read()
        if response.headers.get("WWW-Authenticate"):
            request.reply_headers["WWW-Authenticate"] = response.headers["WWW-Authenticate"]
        return response.status, body

    @staticmethod
    def _events(connection: http.client.HTTPConnection, response: http.client.HTTPResponse, gone: Callable[[], bool]) -> Iterator[dict | None]:
        """The events as they come; None for a line that only keeps the stream alive.  Ends when the client has gone."""
        with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException):
            for line in response:
                if gone():
                    return
                yield json.loads(line[5:]) if line.startswith(b"data:") else None
