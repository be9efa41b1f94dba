"""The MCP 2026-07-28 server: an assembly of the exercises' solutions over main.py's transport.

Instances hold nothing.  Each request explains itself (exercise 6), a task is a row that
any instance can read (exercise 7) and that one transaction has made (exercise 8), workers
hold jobs by leases (exercise 9), questions are answered by tasks/update or by calling
again (exercise 10), and whose a task is, the token says (exercise 11).

    request -> admit: token -> guard: headers, versions, _meta -> method -> TaskTable
    worker: claim -> tool(arguments, ctx) -> finish, or park and let go
    keeper: renew what we hold, take back what others have lost, sweep what is over
"""
from __future__ import annotations

import functools
import json
import os
import queue
import secrets
import threading
import time
from dataclasses import dataclass
from typing import Any, Callable, Iterator

import main
from lessons.authorization import WELL_KNOWN, Authority, Forbidden, Unauthorized
from lessons.observing import ABOUT, Observer, call_facts, task_facts, trace_facts, traceparent_of
from lessons.pieces import Pieces, solutions
from lessons.task_table import NOBODY, Job, TaskTable, dumps
from main import INVALID_PARAMS, MISSING_CAPABILITY, Cancelled, Request, RpcError, Tool, ToolError

NAME, VERSION = "lesson-13", main.VERSION
LEASE_MS = 5_000                  # so long after its last sign of life a worker counts as lost
MAX_RUN_S = 900.0                 # so long a worker shows signs of life for a job that gets no further: one that hangs is not renewed for ever
LOOK_EVERY_S = 0.25               # how often a listener looks for what other instances changed
LISTEN = {"type": "object", "required": ["notifications"], "properties": {"notifications": {"type": "object", "properties": {
    "taskIds": {"type": "array", "maxItems": 100, "items": {"type": "string"}}}}}}


@dataclass(frozen=True)
class Tool2026(Tool):
    """A tool with what only this wire knows.

    `must_be_task(arguments)`: beyond the bounded synchronous path.  `before(arguments, ctx)`
    runs before a task exists, and may ask; its answers go with the task.  `scopes(arguments)`:
    what a token must allow.
    """
    must_be_task: Callable[[dict], bool] = lambda arguments: False
    before: Callable[[dict, main.Context], None] = lambda arguments, ctx: None
    scopes: Callable[[dict], tuple[str, ...]] = lambda arguments: ()


def modern(tool: Tool) -> Tool2026:
    """A tool written for main.py, as it is."""
    if isinstance(tool, Tool2026):
        return tool
    return Tool2026(**{name: getattr(tool, name) for name in Tool.__dataclass_fields__})


class Parked(BaseException):
    """Raised through a tool that has asked: it gives its lease up.  Not an Exception, like Cancelled."""


class NeedsInput(BaseException):
    """Raised through a tool that has asked before there is a task."""

    def __init__(self, requests: dict):
        super().__init__()
        self.requests = requests


def unanswered(pieces: Pieces, capabilities: dict, questions: dict, answers: dict) -> dict:
    """What a tool asks and nobody has answered: {key: (method, params)} -> {key: {method, params}}.

    Raises RpcError: -32602 for an answer that does not fit, -32021 for a question that the
    client did not declare it can be asked.
    """
    requests = {key: {"method": method, "params": params} for key, (method, params) in questions.items()}
    left, _ = pieces.input.take_answers(requests, {}, answers)
    for request in left.values():
        if not pieces.input.can_be_asked(capabilities, request["method"]):
            missing = pieces.input.CAPABILITY.get(request["method"], request["method"])
            raise RpcError(MISSING_CAPABILITY, f"Missing required client capability: {missing}", {"requiredCapabilities": {missing: {}}})
    return left


class DirectContext(main.Context):
    """The context of a call that somebody waits for; a question ends the call for now."""

    def __init__(self, pieces: Pieces, request: Request, answers: dict, report: Callable | None = None):
        super().__init__(request.gone)
        self.capabilities, self.answers, self._pieces, self._report = request.capabilities, answers, pieces, report

    def progress(self, fraction: float, message: str = "") -> None:
        super().progress(fraction, message)
        if self._report:
            self._report(fraction, self._pieces.owners.redact(message))

    def ask_all(self, questions: dict) -> dict:
        asked = unanswered(self._pieces, self.capabilities, questions, self.answers)
        if asked:
            raise NeedsInput(asked)
        return {key: self.answers[key] for key in questions}


class LeaseContext(main.Context):
    """The context of a job under a lease: `ask` parks, and the tool runs again from the top later."""

    def __init__(self, table: TaskTable, job: Job, pieces: Pieces, over: threading.Event, moved: Callable[[], None] = lambda: None):
        """`over`: the instance stops.  `moved` is called whenever the tool has got further."""
        super().__init__(self._look)
        self._table, self.job, self._pieces, self._over, self._moved = table, job, pieces, over, moved
        self.saved, self.capabilities, self._looked = dict(job.checkpoint), job.capabilities, (0.0, False)

    def _look(self) -> bool:
        """Whether somebody wants it to stop: the row says so, and it is read at most every 20 ms."""
        when, seen = self._looked
        if time.monotonic() - when > 0.02:
            job = self._table.get(self.job.task_id, self.job.owner)
            seen = self._over.is_set() or job is None or job.worker is None or job.cancel_requested or job.token != self.job.token
            self._looked = (time.monotonic(), seen)
        return seen

    def _held(self, **new: Any) -> None:
        if not self._table.held(self.job, **new):
            raise Cancelled
        self._moved()

    def progress(self, fraction: float, message: str = "") -> None:
        super().progress(fraction, message)
        self._held(progress=round(100 * min(max(fraction, 0.0), 1.0)), status_message=self._pieces.owners.redact(message))

    def ask_all(self, questions: dict) -> dict:
        asked = unanswered(self._pieces, self.capabilities, questions, self.job.answers)
        if asked:
            raise Parked if self._table.park(self.job, asked, self.saved) else Cancelled
        return {key: self.job.answers[key] for key in questions}

    def save(self) -> None:
        further = {} if self.saved == self.job.checkpoint else {"attempts": 1}         # the first at this place: whoever gets further is not what kills workers
        self._held(checkpoint_json=dumps(self.saved), **further)

    def once(self, effect_key: str, function: Callable[[str], Any]) -> Any:
        job = self._table.get(self.job.task_id, self.job.owner)
        if job is None:
            raise Cancelled
        if effect_key not in job.effects:
            if job.cancel_requested or not self._table.renew([self.job]):
                raise Cancelled                # nothing leaves the house for a worker that has lost its job
            self._held(effects_json=dumps({**job.effects, effect_key: function(f"{job.job_id}:{effect_key}")}))
            job = self._table.get(self.job.task_id, self.job.owner)
        return job.effects[effect_key]


def run_tool(pieces: Pieces, tool: Tool2026, arguments: dict, ctx: main.Context) -> dict:
    """main.run_tool; what a tool says of its failure is redacted, on a task's path as on the direct one."""
    try:
        result = main.run_tool(tool, arguments, ctx)
    except main.StoreError:                    # no fault of the tool's: the job is to do again
        raise
    except RpcError as error:
        raise RpcError(error.code, pieces.owners.redact(error.message), pieces.owners.redact(error.data), error.http) from None
    return pieces.owners.redact(result) if result.get("isError") else result


class Workers:
    """Threads that claim jobs, run tools, and finish or park; and one that keeps the leases."""

    def __init__(self, table: TaskTable, tools: dict[str, Tool2026], pieces: Pieces, workers: int, lease_ms: int = LEASE_MS):
        self.table, self.tools, self.pieces, self.over, self.lease_ms = table, tools, pieces, threading.Event(), lease_ms
        self.name = f"{os.getpid()}-{secrets.token_hex(2)}"
        self._running: dict[tuple, tuple[Job, float]] = {}       # what this instance holds, and until when it shows signs of life
        self._seen: dict = {}                          # what the keeper remembers of all leases; see exercise 9
        self._threads = [threading.Thread(target=self._work, args=(f"{self.name}/{i}",), name=f"worker-{i}", daemon=True) for i in range(workers)]
        self._threads.append(threading.Thread(target=self._keep, name="lease-keeper", daemon=True))
        for thread in self._threads:
            thread.start()

    def _work(self, name: str) -> None:
        while not self.over.is_set():
            try:
                job = self.table.claim(name, self.tools)
                if job is None:
                    with self.table.changed:
                        self.table.changed.wait(LOOK_EVERY_S)
                else:
                    self._run(job)
            except Exception:                  # a full disk or a locked file: the next round may go better
                main.log.exception("a worker stumbled")
                self.over.wait(1.0)

    def _run(self, job: Job) -> None:
        """Runs a tool under a lease, and writes how it ended.  A write that is refused was too late."""
        def moved() -> None:
            self._running[job.task_id, job.token] = (job, time.monotonic() + MAX_RUN_S)
        moved()
        ABOUT.facts = task_facts(job)
        ctx = LeaseContext(self.table, job, self.pieces, self.over, moved)
        try:
            if job.cancel_requested:
                raise Cancelled
            result = run_tool(self.pieces, self.tools[job.tool], job.arguments, ctx)
            self.table.finish(job, "completed", "done", result=result)
        except Parked:
            pass
        except Cancelled:
            if self.over.is_set():
                self.table.let_go(job)
            else:
                self.table.finish(job, "cancelled", "stopped at the client's request")
        except main.StoreError:
            self._let_go(job)
            raise
        except RpcError as error:
            self.table.finish(job, "failed", error.message, error=error.body())
        except BaseException:
            main.log.exception("%s broke out of its task", job.tool)
            self.table.finish(job, "failed", "the tool broke down", error=main.failure("TOOL_CRASHED", "the server's log says why")["error"])
        finally:
            ABOUT.facts = {}
            self._running.pop((job.task_id, job.token))

    def _let_go(self, job: Job) -> None:
        """The table did not take a write.  Tries to give the job back; if it cannot, the lease runs out."""
        while not self.over.is_set():
            try:
                self.table.let_go(job)
                return
            except main.StoreError:
                self.over.wait(1.0)

    def _keep(self) -> None:
        """Shows signs of life three times a lease, and looks more often for those that have stopped."""
        renewed = time.monotonic()
        while not self.over.wait(min(LOOK_EVERY_S, self.lease_ms / 6000)):
            try:
                if time.monotonic() - renewed >= self.lease_ms / 3000:
                    renewed = time.monotonic()
                    self.renew()
                self.take_back()
            except Exception:
                main.log.exception("the leases could not be kept")

    def renew(self) -> None:
        """A sign of life for each job that has not run for too long."""
        jobs = [job for job, until in list(self._running.values()) if time.monotonic() < until]
        if jobs:
            self.table.renew(jobs)

    def take_back(self) -> None:
        """Frees the jobs of workers, here or elsewhere, that show no sign of life."""
        leases = self.table.leases()
        for task_id in self.pieces.leases.overdue(leases, self._seen, 1000 * time.monotonic(), self.lease_ms):
            self.table.take_back(task_id, leases[task_id])

    def stop(self) -> None:
        """Tells all to stop.  What they held stays to do, for whoever comes next."""
        self.over.set()
        with self.table.changed:
            self.table.changed.notify_all()
        for thread in self._threads:
            thread.join(2.0)


class Methods2026:
    """The methods of the 2026-07-28 wire.  Nothing is kept between two requests."""

    def __init__(self, table: TaskTable, tools: dict[str, Tool2026], pieces: Pieces, authority: Authority | None = None):
        self.table, self.tools, self.pieces, self.authority = table, tools, pieces, authority
        self._schemas = {tool.name: tool.schema for tool in tools.values()}
        self.over = threading.Event()

    def table_of_methods(self) -> dict[str, Callable]:
        """Method name -> function(params, request) -> result."""
        plain = {"server/discover": self.discover, "tools/list": self.tools_list, "tools/call": self.tools_call,
                 "tasks/get": self.tasks_get, "tasks/update": self.tasks_update, "tasks/cancel": self.tasks_cancel}
        return {**{name: signed(method) for name, method in plain.items()}, "subscriptions/listen": self.listen}

    def admit(self, request: Request) -> None:
        """Who asks, before anything else is looked at.  Without an authority everybody is nobody."""
        request.owner, request.claims = NOBODY, {}
        ABOUT.facts = request.facts
        if self.authority is None:
            return
        owners = self.pieces.owners
        try:
            request.claims = owners.verify(owners.bearer(request.headers), self.authority, self.table.now_ms() / 1000)
            request.owner = owners.owner_of(request.claims)
        except Unauthorized as error:
            described = error.message if error.error else ""
            request.reply_headers["WWW-Authenticate"] = owners.challenge(self.authority, error.error, description=described)
            raise

    def _require_scopes(self, request: Request, needed: tuple[str, ...]) -> None:
        """A token must allow what is asked for; nobody has all rights where there are no tokens."""
        if self.authority is None:
            return
        try:
            self.pieces.owners.require_scopes(request.claims, needed)
        except Forbidden as error:
            request.reply_headers["WWW-Authenticate"] = self.pieces.owners.challenge(self.authority, error.error, error.scopes, error.message)
            raise

    def guard(self, request: Request) -> None:
        """Exercise 6 on every request; notifications carry nothing that is checked."""
        if "method" in request.message and "id" in request.message:
            request.capabilities = self.pieces.requests.check_request(request.headers, request.message, self._schemas)
            params = request.message.get("params")
            request.traceparent = traceparent_of(params.get("_meta") if isinstance(params, dict) else None)
            request.facts |= trace_facts(request.traceparent)

    def discover(self, params: dict, request: Request) -> dict:
        return self.pieces.requests.discover(NAME, VERSION)

    def tools_list(self, params: dict, request: Request) -> dict:
        """Cacheable, and always in the same order."""
        if params.get("cursor") is not None:
            raise RpcError(INVALID_PARAMS, "params.cursor: the list has one page; leave the cursor out")
        return {"resultType": "complete", "ttlMs": 300_000, "cacheScope": "public", "tools": [
            {"name": tool.name, "title": tool.title, "description": tool.description, "inputSchema": tool.schema}
            for tool in sorted(self.tools.values(), key=lambda tool: tool.name)]}

    # ---- tools/call ----------------------------------------------------------------

    def tools_call(self, params: dict, request: Request) -> dict | Iterator[dict]:
        """A result, a task, or a question: the server's choice.  A refused call leaves no row."""
        main.check({"type": "string"}, params.get("name"), "params.name")
        tool = self.tools.get(params["name"])
        if tool is None:
            raise RpcError(INVALID_PARAMS, f"params.name: there is no tool {params['name']!r}; see tools/list")
        arguments = params.get("arguments", {})
        main.check(tool.schema, arguments, "params.arguments")
        request.facts |= call_facts(tool.name, arguments)
        self._require_scopes(request, tool.scopes(arguments))
        as_task = self.pieces.handles.becomes_task(tool, arguments, request.capabilities)
        token = params["_meta"].get("progressToken")
        if token is not None and not isinstance(token, str) and type(token) is not int:
            raise RpcError(INVALID_PARAMS, "params._meta.progressToken must be a string or an integer")
        if token is not None and not as_task:
            return self._streamed(tool, arguments, params, request, token)
        return self._answer(tool, arguments, params, request, as_task)

    def _answer(self, tool: Tool2026, arguments: dict, params: dict, request: Request, as_task: bool, report: Callable | None = None) -> dict:
        try:
            answers = self._answers(params, request)
            ctx = DirectContext(self.pieces, request, answers, report)
            tool.before(arguments, ctx)
            if as_task:
                asked_before = params.get("requestState") is not None
                known = answers if asked_before else {}        # a task takes answers to its own questions only
                askable = {name: request.capabilities[name] for name in self.pieces.input.CAPABILITY.values() if name in request.capabilities}
                job = self.table.create(request.owner, tool.name, arguments, askable, known, request.traceparent)
                request.facts |= task_facts(job)
                return self.pieces.handles.create_task_result(job)
            return {"resultType": "complete", **run_tool(self.pieces, tool, arguments, ctx)}
        except NeedsInput as needs:
            state = self.pieces.input.seal(self.table.secret, request.owner, "tools/call", params, {"asked": needs.requests, "given": answers},
                                           self.table.now_ms())
            return self.pieces.input.input_required(needs.requests, state)
        except ToolError as error:
            return {"resultType": "complete", **self.pieces.owners.redact(main.text_result(str(error), is_error=True))}

    def _answers(self, params: dict, request: Request) -> dict:
        """What earlier rounds have given, and what this one brings.  RpcError -32602 for a response that does not fit."""
        responses = params.get("inputResponses", {})
        main.check({"type": "object"}, responses, "params.inputResponses")
        kept = self.pieces.input.unseal(self.table.secret, request.owner, "tools/call", params, self.table.now_ms())
        for key, response in responses.items():
            main.check({"type": "object"}, response, f"params.inputResponses.{key}")
        asked, given = kept.get("asked"), kept.get("given", {})
        if asked is None:
            return dict(responses)             # checked as soon as the tool asks
        return self.pieces.input.take_answers(asked, given, responses)[1]

    def _streamed(self, tool: Tool2026, arguments: dict, params: dict, request: Request, token: Any) -> Iterator[dict]:
        """Progress while somebody waits, then the answer, on the response's own stream."""
        messages: queue.Queue[dict | None] = queue.Queue()
        closed, left = threading.Event(), request.gone
        request.gone = lambda: closed.is_set() or left()

        def run() -> None:
            call = functools.partial(self._answer, tool, arguments, params, request, False, RisingProgress(token, messages.put))
            messages.put({"jsonrpc": "2.0", "id": request.message["id"], **outcome(call)})
            messages.put(None)
        threading.Thread(target=run, daemon=True).start()
        try:
            yield from iter(messages.get, None)
        finally:
            closed.set()                       # a client that closes the stream cancels the call

    # ---- tasks/* -------------------------------------------------------------------

    def _job(self, params: dict, request: Request) -> Job:
        """The caller's own task.  Unknown, expired and somebody else's look alike."""
        self.pieces.handles.require_tasks(request.capabilities)
        main.check({"type": "string"}, params.get("taskId"), "params.taskId")
        job = self.table.get(params["taskId"], request.owner)
        if job is None:
            raise RpcError(INVALID_PARAMS, "params.taskId: there is no such task, or its ttl is over")
        other_trace = request.traceparent and request.traceparent != job.traceparent and job.traceparent
        request.facts |= {**task_facts(job), **({"caller_traceparent": request.traceparent} if other_trace else {})}
        return job

    def tasks_get(self, params: dict, request: Request) -> dict:
        return self.pieces.handles.get_task_result(self._job(params, request))

    def tasks_update(self, params: dict, request: Request) -> dict:
        """Answers of the client.  A finished task is acknowledged like any other."""
        job = self._job(params, request)
        responses = params.get("inputResponses")
        main.check({"type": "object"}, responses, "params.inputResponses")
        self.table.answer(job.task_id, request.owner, lambda requests, answers: self.pieces.input.take_answers(requests, answers, responses))
        return self.pieces.handles.acknowledgement()

    def tasks_cancel(self, params: dict, request: Request) -> dict:
        job = self._job(params, request)
        if not job.finished:
            self.table.request_cancel(job.task_id, request.owner)
        return self.pieces.handles.acknowledgement()

    # ---- subscriptions/listen ------------------------------------------------------

    def listen(self, params: dict, request: Request) -> Iterator[dict | None]:
        """Acknowledges what it will tell, tells how each task is, and then each change, until all are finished."""
        main.check(LISTEN, params, "params")
        wanted = params["notifications"].get("taskIds")
        if wanted is not None:
            self.pieces.handles.require_tasks(request.capabilities)
        mine = [task_id for task_id in dict.fromkeys(wanted or ()) if self.table.get(task_id, request.owner)]
        return self._tell(request.message["id"], request, mine, wanted is not None)

    def _tell(self, subscription: Any, request: Request, mine: list[str], wanted: bool) -> Iterator[dict | None]:
        tag = {"_meta": {"io.modelcontextprotocol/subscriptionId": subscription}}
        agreed = {"taskIds": mine} if wanted else {}
        yield {"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged", "params": {**tag, "notifications": agreed}}
        seen, spoke = dict.fromkeys(mine, 0), time.monotonic()
        ends_s = request.claims.get("exp", float("inf"))       # a stream lives no longer than the token that opened it
        while seen and not self.over.is_set() and not request.gone() and self.table.now_ms() < 1000 * ends_s:
            for task_id in list(seen):
                job = self.table.get(task_id, request.owner)
                if job and job.revision > seen[task_id]:
                    seen[task_id], spoke = job.revision, time.monotonic()
                    yield {"jsonrpc": "2.0", "method": "notifications/tasks", "params": {**tag, **self.pieces.handles.detailed_task(job)}}
                if job is None or job.finished:
                    del seen[task_id]
            if time.monotonic() - spoke > main.KEEP_ALIVE_S:
                spoke = time.monotonic()
                yield None
            with self.table.changed:
                self.table.changed.wait(LOOK_EVERY_S if seen else 0)
        yield {"jsonrpc": "2.0", "id": subscription, "result": with_server_info({"resultType": "complete", **tag})}


class RisingProgress:
    """Sends a tool's progress as notifications; the number has to rise with each."""

    def __init__(self, token: str | int, send: Callable[[dict], None]):
        self._token, self._send, self._said = token, send, -1.0

    def __call__(self, fraction: float, message: str) -> None:
        progress = round(100 * fraction, 1)
        if progress > self._said:
            self._said = progress
            self._send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                "progressToken": self._token, "progress": progress, "total": 100, "message": message}})


def outcome(call: Callable[[], dict]) -> dict:
    """{'result': ...} or {'error': ...}: whatever a tool raises, the caller gets an answer."""
    try:
        return {"result": with_server_info(call())}
    except RpcError as error:
        return {"error": error.body()}
    except BaseException as error:
        if not isinstance(error, Cancelled):
            main.log.exception("a streamed call broke down")
        return {"error": RpcError(main.INTERNAL_ERROR, "internal error; the server's log says more").body()}


def with_server_info(result: dict) -> dict:
    """Each result says who answered, since no connection remembers it."""
    meta = {"io.modelcontextprotocol/serverInfo": {"name": NAME, "version": VERSION}, **result.get("_meta", {})}
    return {**result, "_meta": meta}


def signed(method: Callable) -> Callable:
    """A method whose plain results carry serverInfo."""
    def call(params: dict, request: Request) -> Any:
        result = method(params, request)
        return with_server_info(result) if isinstance(result, dict) else result
    return call


class Server2026:
    """One instance: table, workers, methods and transport, put together."""

    def __init__(self, file: str | os.PathLike, port: int = 0, workers: int = main.WORKERS, tools: dict[str, Tool] | None = None,
                 pieces: Pieces | None = None, authority: Authority | None = None, lease_ms: int = LEASE_MS):
        """Opens the database, and listens.  Raises main.StoreError or OSError if it cannot."""
        from lessons.tools_2026 import tools_of
        self.pieces = pieces or solutions()
        self.tools = {name: modern(tool) for name, tool in (tools_of(self.pieces) if tools is None else tools).items()}
        self.table = TaskTable(file, pieces=self.pieces)
        self.methods = Methods2026(self.table, self.tools, self.pieces, authority)
        methods = self.methods.table_of_methods()
        self.observer = Observer(set(methods))
        self.table.observe = self.observer.task
        try:
            self.http = main.JsonRpcServer(methods, self.methods.guard, port=port, admit=self.methods.admit, pages=self._pages(authority),
                                           observe=self.observer.request, clean=self.pieces.owners.redact)
        except OSError:
            self.table.close()
            raise
        self.workers = Workers(self.table, self.tools, self.pieces, workers, lease_ms)
        self._keeper = main.Keeper(self.table.sweep)

    def _pages(self, authority: Authority | None) -> dict[str, Callable[[Request], tuple[str, bytes]]]:
        """What GET shows besides the endpoint."""
        pages = {"GET /metrics": self.observer.page}
        return pages if authority is None else {**pages, **metadata_pages(authority)}

    @property
    def url(self) -> str:
        """Where it listens."""
        return self.http.url

    def start(self) -> Server2026:
        """Serves in threads of its own until stop()."""
        self._keeper.start()
        self.http.start()
        return self

    def stop(self) -> None:
        """Streams end with a last word, workers let go, the table closes."""
        self.methods.over.set()
        with self.table.changed:
            self.table.changed.notify_all()
        self.http.stop()
        self.workers.stop()
        self._keeper.stop()
        self.table.close()


def metadata_pages(authority: Authority) -> dict[str, Callable[[Request], tuple[str, bytes]]]:
    """Protected Resource Metadata at both its well-known places (RFC 9728, section 3.1): anybody may read it."""
    document = json.dumps(authority.metadata()).encode()
    return dict.fromkeys((f"GET {WELL_KNOWN}", f"GET {WELL_KNOWN}{main.PATH}"), lambda request: ("application/json", document))
