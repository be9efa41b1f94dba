"""Every message that a server sent, against the official schemas.  Runs in the interop environment's Python.

    .interop/python/bin/python tests/interop/validate.py SPEC_FOLDER RECORD.jsonl ...
"""
from __future__ import annotations

import collections
import json
import pathlib
import sys

import jsonschema

CORE, TASKS = "mcp-2026-07-28.schema.json", "ext-tasks.schema.json"


def load(folder: str) -> dict:
    """File name -> schema."""
    return {name: json.loads(pathlib.Path(folder, name).read_text(encoding="utf-8")) for name in (CORE, TASKS)}


def validator(schemas: dict, file: str, name: str) -> jsonschema.Draft202012Validator:
    """A validator of one definition."""
    return jsonschema.Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": schemas[file]["$defs"]})


def kinds(message: dict) -> list[tuple[str, str, object]]:
    """[(schema file, definition, the part that must fit it)] for a message, by its shape."""
    if "method" in message:
        named = {"notifications/tasks": (TASKS, "TaskStatusNotification"), "notifications/progress": (CORE, "ProgressNotification"),
                 "notifications/subscriptions/acknowledged": (CORE, "SubscriptionsAcknowledgedNotification")}[message["method"]]
        detail = [(TASKS, "DetailedTask", message["params"])] if message["method"] == "notifications/tasks" else []
        return [(CORE, "JSONRPCNotification", message), (*named, message), *detail]
    if "error" in message:
        special = {-32020: "HeaderMismatchError", -32021: "MissingRequiredClientCapabilityError", -32022: "UnsupportedProtocolVersionError"}
        named = special.get(message["error"]["code"])
        without_id = {key: value for key, value in message.items() if key != "id" or value is not None}
        return [(CORE, "JSONRPCErrorResponse", without_id)] + ([(CORE, named, message)] if named else [])
    result = message["result"]
    if result["resultType"] == "task":
        shape = (TASKS, "CreateTaskResult")
    elif "taskId" in result:
        shape = (TASKS, "GetTaskResult")
    else:
        shape = next(((CORE, name) for key, name in (("tools", "ListToolsResult"), ("supportedVersions", "DiscoverResult"), ("inputRequests", "InputRequiredResult"),
                                                     ("content", "CallToolResult"), ("prompts", "ListPromptsResult"), ("resources", "ListResourcesResult"),
                                                     ("resourceTemplates", "ListResourceTemplatesResult")) if key in result), (CORE, "EmptyResult"))
    return [(CORE, "JSONRPCResultResponse", message), (*shape, result)]


def run(folder: str, *records: str) -> int:
    """Validates all; how many messages do not fit."""
    schemas, cache, seen, bad = load(folder), {}, collections.Counter(), 0
    for line in (line for record in records for line in pathlib.Path(record).read_text(encoding="utf-8").splitlines()):
        message = json.loads(line)
        for file, name, part in kinds(message):
            if (file, name) not in cache:
                cache[file, name] = validator(schemas, file, name)
            error = next(iter(cache[file, name].iter_errors(part)), None)
            seen[name] += 1
            if error:
                bad += 1
                print(f"{name}: {error.message[:300]} in {line[:300]}")
    print(", ".join(f"{name} {count}" for name, count in sorted(seen.items())))
    print(f"{sum(seen.values()) - bad} passed, {bad} failed")
    return bad


if __name__ == "__main__":
    sys.exit(1 if run(*sys.argv[1:]) else 0)
