"""The checks of exercise 6: your functions guard a running server, and requests try them."""
from __future__ import annotations

import base64
import contextlib
import dataclasses
import http.client
import json
from typing import Any, Iterator

import main
from lessons.grader import Trial, check, code_of
from lessons.server_2026 import Server2026, Tool2026, solutions

NAMES = ("decode_header", "check_request", "discover")
STARTER_FAILS = "discovers/not_written"
META = "io.modelcontextprotocol/"
SCHEMA = {"type": "object", "properties": {
    "region": {"type": "string", "x-mcp-header": "Target-Region"}, "level": {"type": "integer", "x-mcp-header": "Level"},
    "dry": {"type": "boolean", "x-mcp-header": "Dry"}, "where": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}}}}


class Probe:
    """Sends requests, right ones with one thing wrong, and tells (HTTP status, code or 'result')."""

    def __init__(self, server: Server2026, trial: Trial):
        self.server, self.trial, self.reply = server, trial, {}

    def send(self, method: str, params: dict | None = None, drop: tuple = (), meta: Any = ..., **headers: str) -> tuple[int, Any]:
        """`headers` replace the right ones (mcp_method=...), `drop` leaves some out, `meta` replaces _meta."""
        right = {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {"extensions": {main.EXTENSION: {}}}}
        body = {**(params or {}), "_meta": right if meta is ... else meta}
        if meta is None:
            del body["_meta"]
        named = body.get(main.NAME_PARAM.get(method, ""))
        sent = {"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method,
                **({"Mcp-Name": main.header_text(named)} if isinstance(named, str) else {}), **{name.replace("_", "-"): value for name, value in headers.items()}}
        lower = {name.lower(): value for name, value in sent.items() if name.lower() not in drop}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.http.server_port, timeout=10)
        connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": body}), lower)
        response = connection.getresponse()
        self.reply = json.loads(response.read())
        connection.close()
        answer = self.reply["error"]["code"] if "error" in self.reply else "result"
        self.trial.note("client ->", method, f"HTTP {response.status}, {answer}")
        return response.status, answer

    def expect(self, mistake: str, tried: str, expected: tuple[int, Any], *arguments: Any, **more: Any) -> None:
        """Sends, and compares."""
        self.trial.expect(mistake, tried + ": (HTTP status, code)", expected, self.send(*arguments, **more))


@contextlib.contextmanager
def guarded(answer: Any, trial: Trial) -> Iterator[Probe]:
    """The 2026 server with the learner's piece in it."""
    tools = {name: Tool2026(name, name, name, SCHEMA, "forbidden", lambda arguments, ctx: main.text_result("ran")) for name in ("deploy", "Załącznik")}
    server = Server2026(trial.folder / "tasks.db", tools=tools, pieces=dataclasses.replace(solutions(), requests=answer), workers=1).start()
    try:
        yield Probe(server, trial)
    finally:
        server.stop()


@check(points=2)
def discovers(answer, trial):
    result = answer.discover("a-server", "1.2")
    right = isinstance(result, dict)
    trial.require(right, "no_result", "discover('a-server', '1.2')", "an object", result)
    trial.expect("no_versions", "discover(): supportedVersions", ["2026-07-28"], result.get("supportedVersions"))
    trial.expect("no_extension", "discover(): capabilities.extensions", {main.EXTENSION: {}}, result.get("capabilities", {}).get("extensions"))
    tools = result.get("capabilities", {}).get("tools")
    trial.require(isinstance(tools, dict), "no_tools", "discover(): capabilities.tools", "an object", tools)
    trial.expect("no_server_info", "discover(): serverInfo in _meta", {"name": "a-server", "version": "1.2"}, result.get("_meta", {}).get(META + "serverInfo"))
    hints = isinstance(result.get("ttlMs"), int) and result["ttlMs"] >= 0 and result.get("cacheScope") in ("public", "private")
    trial.require(hints, "not_cacheable", "discover(): ttlMs and cacheScope", "a number of milliseconds, and public or private", (result.get("ttlMs"), result.get("cacheScope")))
    trial.expect("no_result_type", "discover(): resultType", "complete", result.get("resultType"))


@check(points=3)
def checks_meta_and_version(answer, trial):
    with guarded(answer, trial) as probe:
        probe.expect("refuses_the_right", "tools/list, all as it should be", (200, "result"), "tools/list")
        tell = lambda **more: {META + "protocolVersion": "2026-07-28", META + "clientCapabilities": {}, **more}
        probe.expect("refuses_the_right", "without clientInfo, which is not required", (200, "result"), "tools/list", meta=tell())
        probe.expect("no_meta", "without _meta", (400, -32602), "tools/list", meta=None)
        probe.expect("no_meta", "_meta is a list", (400, -32602), "tools/list", meta=[])
        probe.expect("no_capabilities", "_meta without clientCapabilities", (400, -32602), "tools/list", meta={META + "protocolVersion": "2026-07-28"})
        probe.expect("no_capabilities", "clientCapabilities is null", (400, -32602), "tools/list", meta=tell(**{META + "clientCapabilities": None}))
        probe.expect("no_capabilities", "clientCapabilities is a list", (400, -32602), "tools/list", meta=tell(**{META + "clientCapabilities": []}))
        probe.expect("version_header", "without the header MCP-Protocol-Version", (400, -32020), "tools/list", drop=("mcp-protocol-version",))
        probe.expect("version_header", "without the version in header and _meta", (400, -32020), "tools/list", meta={}, drop=("mcp-protocol-version",))
        old = tell(**{META + "protocolVersion": "1900-01-01"})
        probe.expect("version_differs", "header 2026-07-28, _meta 1900-01-01", (400, -32020), "tools/list", meta=old)
        probe.expect("version_differs", "header 1900-01-01, _meta 2026-07-28", (400, -32020), "tools/list", mcp_protocol_version="1900-01-01")
        probe.expect("version_unknown", "header and _meta 1900-01-01", (400, -32022), "tools/list", meta=old, mcp_protocol_version="1900-01-01")
        trial.expect("version_data", "the data of that error", {"supported": ["2026-07-28"], "requested": "1900-01-01"}, probe.reply["error"].get("data"))
        probe.expect("no_meta", "_meta without protocolVersion", (400, -32602), "tools/list", meta={META + "clientCapabilities": {}})
        alone = {META + "protocolVersion": "1900-01-01"}
        probe.expect("order", "version 1900-01-01, and no capabilities", (400, -32022), "tools/list", meta=alone, mcp_protocol_version="1900-01-01")
        probe.expect("order", "version 1900-01-01, and a wrong Mcp-Method", (400, -32022), "tools/list", meta=old, mcp_protocol_version="1900-01-01", mcp_method="x")
        declared = {"elicitation": {}, "extensions": {main.EXTENSION: {}}}
        message = {"method": "tools/list", "params": {"_meta": tell(**{META + "clientCapabilities": declared})}}
        saw = answer.check_request({"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}, message, {})
        trial.expect("not_returned", "what check_request returns", declared, saw)


@check(points=3)
def compares_method_and_name(answer, trial):
    with guarded(answer, trial) as probe:
        call = {"name": "deploy", "arguments": {}}
        probe.expect("refuses_the_right", "tools/call, all as it should be", (200, "result"), "tools/call", call)
        probe.expect("refuses_the_right", "the name between blanks, which do not count", (200, "result"), "tools/call", call, mcp_name="  deploy\t")
        probe.expect("method_header", "without Mcp-Method", (400, -32020), "tools/list", drop=("mcp-method",))
        probe.expect("method_header", "Mcp-Method: tools/call, body tools/list", (400, -32020), "tools/list", mcp_method="tools/call")
        probe.expect("method_case", "Mcp-Method: TOOLS/LIST", (400, -32020), "tools/list", mcp_method="TOOLS/LIST")
        probe.expect("name_header", "tools/call without Mcp-Name", (400, -32020), "tools/call", call, drop=("mcp-name",))
        probe.expect("name_header", "Mcp-Name: other", (400, -32020), "tools/call", call, mcp_name="other")
        for close in ("DEPLOY", "dep", "deploys", ""):
            probe.expect("name_close", f"body deploy, Mcp-Name: {close}", (400, -32020), "tools/call", call, mcp_name=close)
        probe.expect("task_name", "tasks/update with the Mcp-Name of another task", (400, -32020), "tasks/update",
                     {"taskId": "task_1", "inputResponses": {}}, mcp_name="task_2")
        probe.expect("task_name", "tasks/get with the Mcp-Name of another task", (400, -32020), "tasks/get", {"taskId": "task_1"}, mcp_name="task_2")
        probe.expect("task_name", "tasks/cancel without Mcp-Name", (400, -32020), "tasks/cancel", {"taskId": "task_1"}, drop=("mcp-name",))


@check(points=2)
def decodes_names(answer, trial):
    with guarded(answer, trial) as probe:
        call = {"name": "Załącznik", "arguments": {}}
        probe.expect("not_decoded", "a name in =?base64?...?=", (200, "result"), "tools/call", call)
        probe.expect("not_decoded", "deploy, encoded without need", (200, "result"), "tools/call", {"name": "deploy"}, mcp_name="=?base64?ZGVwbG95?=")
        trial.expect("not_decoded", "decode_header of a text whose base64 has + and /", "ż>>>???", answer.decode_header("=?base64?xbw+Pj4/Pz8=?="))
        literal = {"name": "=?base64?literal?=", "arguments": {}}
        probe.expect("not_decoded", "a name that itself looks encoded, encoded: an unknown tool", (200, -32602), "tools/call", literal)
        wrong = base64.b64encode("Zalacznik".encode()).decode()
        probe.expect("not_compared", "another name in =?base64?...?=", (400, -32020), "tools/call", call, mcp_name=f"=?base64?{wrong}?=")
        blank = base64.b64encode(b" deploy").decode()
        probe.expect("not_compared", "' deploy', encoded, for deploy", (400, -32020), "tools/call", {"name": "deploy"}, mcp_name=f"=?base64?{blank}?=")
        for bad in ("=?base64?%%%?=", "=?base64?WmHFgs?=", "=?base64?/w==?=", "=?BASE64?ZGVwbG95?="):
            probe.expect("lenient", f"Mcp-Name: {bad}", (400, -32020), "tools/call", {"name": "deploy", "arguments": {}}, mcp_name=bad)
        saw = code_of(lambda: answer.decode_header("de\x01ploy"))
        trial.expect("lenient", "decode_header of a text with a control character", -32020, saw)
        probe.expect("raw_letters", "letters outside ASCII, sent as they are", (400, -32020), "tools/call", call, mcp_name="Załącznik".encode().decode("latin-1"))


@check(points=3)
def compares_parameters(answer, trial):
    with guarded(answer, trial) as probe:
        def call(mistake: str, tried: str, expected: Any, arguments: Any, **headers: str) -> None:
            probe.expect(mistake, tried, (200, "result") if expected == "result" else (400, expected), "tools/call",
                         {"name": "deploy", "arguments": arguments}, **headers)
        call("refuses_the_right", "region, repeated in Mcp-Param-Target-Region", "result", {"region": "eu"}, mcp_param_target_region="eu")
        call("refuses_the_right", "neither argument nor header", "result", {})
        probe.expect("null", "region null, without its header: the method refuses that", (200, -32602), "tools/call", {"name": "deploy", "arguments": {"region": None}})
        call("param_missing", "region, without its header", -32020, {"region": "eu"})
        call("param_differs", "region eu, header us", -32020, {"region": "eu"}, mcp_param_target_region="us")
        call("without_argument", "no region, but its header", -32020, {}, mcp_param_target_region="eu")
        call("numbers", "level 42, header 42.0: the same number", "result", {"level": 42}, mcp_param_level="42.0")
        call("numbers", "level 42, header 43", -32020, {"level": 42}, mcp_param_level="43")
        for odd in ("42.9", "abc", ""):
            call("numbers", f"level 42, header {odd}", -32020, {"level": 42}, mcp_param_level=odd)
        call("numbers", "level 2**53, header one more", -32020, {"level": 2**53}, mcp_param_level=str(2**53 + 1))
        call("booleans", "dry true, header true", "result", {"dry": True}, mcp_param_dry="true")
        call("booleans", "dry true, header True", -32020, {"dry": True}, mcp_param_dry="True")
        call("booleans", "dry false, without its header", -32020, {"dry": False})
        call("nested", "where.zone, without its header", -32020, {"where": {"zone": "a"}})
        call("nested", "where.zone, with its header", "result", {"where": {"zone": "a"}}, mcp_param_zone="a")
        probe.expect("nested", "where is a text: the method refuses that", (200, -32602), "tools/call", {"name": "deploy", "arguments": {"where": "x"}})
        call("params_decoded", "region in letters outside ASCII, encoded", "result", {"region": "ż"}, mcp_param_target_region=main.header_text("ż"))


@check(points=2)
def remembers_nothing(answer, trial):
    with guarded(answer, trial) as probe:
        probe.expect("refuses_the_right", "server/discover", (200, "result"), "server/discover")
        probe.expect("remembers", "the next request without _meta, on the same server", (400, -32602), "tools/list", meta=None)
        for method in ("ping", "tasks/list", "tasks/result", "logging/setLevel", "foo/bar"):
            probe.expect("removed_methods", f"{method}, which is not there", (404, -32601), method)
        probe.expect("initialize", "initialize, as a client of 2025 sends it", (404, -32601), "initialize", meta=None, drop=("mcp-protocol-version", "mcp-method"))
        trial.require("2026-07-28" in json.dumps(probe.reply), "initialize", "the error of initialize", "one that names the supported version", probe.reply["error"])
        trial.expect("initialize_data", "the data of that error", {"supported": ["2026-07-28"]}, probe.reply["error"].get("data"))
        probe.expect("initialize", "initialize, with everything that a request of today has", (404, -32601), "initialize")
