"""The 2026 server with the tools that the official conformance suite asks for.

    python -m tests.interop.fixture_server --port N
"""
from __future__ import annotations

import argparse
import signal
import tempfile
import threading
import time
from pathlib import Path

import main
from lessons.server_2026 import Server2026, Tool2026
from tests.support import record_messages

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
TEXT = {"type": "text", "text": "Multiple content types test:"}
IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": WAV, "mimeType": "audio/wav"}
EMBEDDED = {"type": "resource", "resource": {"uri": "test://embedded-resource", "mimeType": "text/plain", "text": "This is an embedded resource content."}}
ANYTHING = {"type": "object", "properties": {}}


def form(message: str, field: str, kind: str = "string") -> tuple[str, dict]:
    """An elicitation of one field."""
    return "elicitation/create", {"mode": "form", "message": message, "requestedSchema": {
        "type": "object", "properties": {field: {"type": kind}}, "required": [field]}}


def model(question: str, tokens: int = 100) -> tuple[str, dict]:
    """A question to the client's model."""
    return "sampling/createMessage", {"messages": [{"role": "user", "content": {"type": "text", "text": question}}], "maxTokens": tokens}


ROOTS = ("roots/list", {})


def field(answer: dict, name: str) -> str:
    """A field of an accepted form."""
    return str(answer.get("content", {}).get(name, answer["action"]))


# ---- tools with tasks --------------------------------------------------------------

def slow_compute(arguments: dict, ctx: main.Context) -> dict:
    main.rest(ctx, arguments.get("seconds", 0))
    ctx.progress(1.0, "computed")
    return main.text_result(f"computed {arguments.get('label', '')}")


def failing_job(arguments: dict, ctx: main.Context) -> dict:
    main.rest(ctx, 0.3)
    raise main.ToolError("the job failed, as it always does")


def protocol_error_job(arguments: dict, ctx: main.Context) -> dict:
    raise main.RpcError(main.INTERNAL_ERROR, "an internal failure, on purpose")


def confirm_delete(arguments: dict, ctx: main.Context) -> dict:
    answer = ctx.ask("confirm", *form(f"Delete {arguments.get('filename', 'it')}?", "confirm", "boolean"))
    return main.text_result(f"deleted: {answer['action'] == 'accept'}")


def multi_input(arguments: dict, ctx: main.Context) -> dict:
    answers = ctx.ask_all({"first": form("First?", "name"), "second": form("Second?", "name")})
    return main.text_result(", ".join(field(answer, "name") for answer in answers.values()))


def with_task(arguments: dict, ctx: main.Context) -> dict:
    return main.text_result(f"Hello, {field(ctx.ask('user_name', *form('What is your name?', 'name')), 'name')}!")


# ---- tools of the core scenarios ---------------------------------------------------

def content(*blocks: dict):
    return lambda arguments, ctx: {"content": list(blocks), "isError": False}


def fails(arguments: dict, ctx: main.Context) -> dict:
    raise main.ToolError("This tool intentionally returns an error for testing")


def with_progress(arguments: dict, ctx: main.Context) -> dict:
    for step in (0.0, 0.5, 1.0):
        ctx.progress(step, f"step {step}")
        time.sleep(0.05)
    return main.text_result("progress reported")


def asks(key: str, question: tuple[str, dict]):
    return lambda arguments, ctx: main.text_result(f"state-ok {ctx.ask(key, *question)}")


def asks_three(arguments: dict, ctx: main.Context) -> dict:
    return main.text_result(str(ctx.ask_all({"user_name": form("What is your name?", "name"), "greeting": model("Generate a greeting", 50), "client_roots": ROOTS})))


def asks_twice(arguments: dict, ctx: main.Context) -> dict:
    name = field(ctx.ask("step1", *form("Step 1: What is your name?", "name")), "name")
    colour = field(ctx.ask("step2", *form("Step 2: What is your favorite color?", "color")), "color")
    return main.text_result(f"{name} likes {colour}")


def asks_what_it_may(arguments: dict, ctx: main.Context) -> dict:
    questions = {"elicitation": ("user_name", form("What is your name?", "name")), "sampling": ("greeting", model("Generate a greeting"))}
    return main.text_result(str(ctx.ask_all(dict(question for name, question in questions.items() if name in ctx.capabilities))))


def needs_sampling(arguments: dict, ctx: main.Context) -> dict:
    return main.text_result(str(ctx.ask("q", *model("Success?"))))


JSON_SCHEMA = {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "$defs": {
    "address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}, "contactMethod": {"type": "string", "enum": ["phone", "email"]},
                   "phone": {"type": "string"}, "email": {"type": "string"}},
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]}, "else": {"required": ["email"]}, "additionalProperties": False}
HEADERS = {"type": "object", "properties": {
    "region": {"type": "string", "x-mcp-header": "Region"}, "priority": {"type": "integer", "x-mcp-header": "Priority"},
    "verbose": {"type": "boolean", "x-mcp-header": "Verbose"}, "query": {"type": "string"}}}


def tool(name: str, run, support: str = "forbidden", schema: dict = ANYTHING, **more) -> Tool2026:
    return Tool2026(name, name, f"Fixture {name}", schema, support, run, **more)


def always(arguments: dict) -> bool:
    return True


TOOLS = {one.name: one for one in (
    tool("greet", lambda arguments, ctx: main.text_result(f"Hello, {arguments.get('name', 'you')}!"),
         schema={"type": "object", "properties": {"name": {"type": "string"}}}),
    tool("slow_compute", slow_compute, "optional", {"type": "object", "properties": {"seconds": {"type": "number"}, "label": {"type": "string"}}}, prefers_task=always),
    tool("failing_job", failing_job, "required"),
    tool("protocol_error_job", protocol_error_job, "optional", prefers_task=always),
    tool("confirm_delete", confirm_delete, "optional", {"type": "object", "properties": {"filename": {"type": "string"}}}, prefers_task=always),
    tool("multi_input", multi_input, "optional", prefers_task=always),
    tool("test_tool_with_task", with_task, "required", before=with_task),
    tool("test_simple_text", content({"type": "text", "text": "This is a simple text response for testing."})),
    tool("test_image_content", content(IMAGE)), tool("test_audio_content", content(AUDIO)),
    tool("test_embedded_resource", content(EMBEDDED)), tool("test_multiple_content_types", content(TEXT, IMAGE, EMBEDDED)),
    tool("test_error_handling", fails), tool("test_tool_with_progress", with_progress),
    tool("test_missing_capability", needs_sampling), tool("test_streaming_elicitation", with_progress),
    tool("test_logging_tool", content({"type": "text", "text": "nothing is logged to the client"})),
    tool("test_input_required_result_elicitation", asks("user_name", form("What is your name?", "name"))),
    tool("test_input_required_result_sampling", asks("capital_question", model("What is the capital of France?"))),
    tool("test_input_required_result_list_roots", asks("client_roots", ROOTS)),
    tool("test_input_required_result_request_state", asks("confirm", form("Please confirm", "ok", "boolean"))),
    tool("test_input_required_result_tampered_state", asks("confirm", form("Please confirm", "ok", "boolean"))),
    tool("test_input_required_result_multiple_inputs", asks_three), tool("test_input_required_result_multi_round", asks_twice),
    tool("test_input_required_result_capabilities", asks_what_it_may),
    tool("json_schema_2020_12_tool", content(TEXT), schema=JSON_SCHEMA),
    tool("test_custom_headers", content(TEXT), schema=HEADERS),
)}


def run() -> None:
    """Serves until it is ended."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--port", type=int, default=0)
    options.add_argument("--record", metavar="FILE", help="write every message that is sent, one a line")
    options.add_argument("--real", action="store_true", help="with the lab's own tools instead")
    chosen = options.parse_args()
    if chosen.record:
        record_messages(chosen.record)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="lesson-13-fixture-") as folder:
        server = Server2026(Path(folder, "tasks.db"), chosen.port, tools=None if chosen.real else TOOLS)
        server.start()
        print(server.url, flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            pass
        finally:
            server.stop()


if __name__ == "__main__":
    run()
