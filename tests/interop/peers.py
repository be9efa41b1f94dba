"""Other people's clients against our 2026 server.  Runs in the interop environment's Python.

    .interop/python/bin/python tests/interop/peers.py URL SITE
"""
from __future__ import annotations

import asyncio
import json
import sys
import traceback

from fastmcp import Client as FastClient
from fastmcp_tasks import client_models
from mcp.client import Client as SdkClient

# FastMCP 4's requests about tasks do not name the task in Mcp-Name, which the extension demands;
# the SDK beneath it has an attribute for that, and nobody has set it there.
for request in (client_models.GetTaskRequest, client_models.UpdateTaskRequest, client_models.CancelTaskRequest):
    if getattr(request, "name_param", None) is None:
        request.name_param = "taskId"


def audit(site: str, key: str, count: int = 6, **more: object) -> dict:
    """The arguments of auditar_site for pages of the local site."""
    return {"urls": [f"{site}/{number}" for number in range(count)], "idempotency_key": key, **more}


async def fastmcp_approves(url: str, site: str) -> None:
    """FastMCP drives auditar_site to the end, approval and all."""
    asked = []

    async def person(message, response_type, params, context):
        asked.append(message)
        return {"confirmar": True}
    async with FastClient(url, elicitation_handler=person) as client:
        result = await client.call_tool("auditar_site", audit(site, "peer-1", publicar=True))
    assert (result.structured_content["published"], result.structured_content["checked"], len(asked)) == (True, 6, 1), (result, asked)


async def fastmcp_declines(url: str, site: str) -> None:
    """A person's no completes without publishing."""
    from fastmcp.client.elicitation import ElicitResult

    async def person(message, response_type, params, context):
        return ElicitResult(action="decline")
    async with FastClient(url, elicitation_handler=person) as client:
        result = await client.call_tool("auditar_site", audit(site, "peer-2", publicar=True))
    assert result.structured_content["published"] is False, result


async def fastmcp_takes_the_quick_path(url: str, site: str) -> None:
    """Five URLs are answered at once."""
    async with FastClient(url) as client:
        result = await client.call_tool("auditar_site", audit(site, "peer-3", count=5))
    assert (result.structured_content["mode"], result.structured_content["checked"]) == ("synchronous", 5), result


async def sdk_discovers_lists_and_calls(url: str, site: str) -> None:
    """The official SDK connects without a handshake, lists and calls."""
    async with SdkClient(url, mode="2026-07-28") as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == sorted(names) and "auditar_site" in names, names
        result = await client.call_tool("notes_search", {"query": "durable", "limit": 1})
        assert not result.is_error and result.content, result
    async with SdkClient(url, mode="auto") as client:
        assert client.server_info.name == "lesson-13", client.server_info
        assert "io.modelcontextprotocol/tasks" in json.dumps(client.server_capabilities.model_dump(by_alias=True, exclude_none=True))


async def sdk_without_tasks_is_refused(url: str, site: str) -> None:
    """A client without the extension gets -32021 for what only a task can do."""
    async with SdkClient(url, mode="2026-07-28") as client:
        try:
            await client.call_tool("auditar_site", audit(site, "peer-4"))
        except Exception as error:
            assert getattr(error, "code", getattr(getattr(error, "error", None), "code", None)) == -32021, repr(error)
        else:
            raise AssertionError("six URLs were audited at once")


async def main(url: str, site: str) -> int:
    """Runs all; how many failed."""
    cases = (fastmcp_approves, fastmcp_declines, fastmcp_takes_the_quick_path, sdk_discovers_lists_and_calls, sdk_without_tasks_is_refused)
    failed = 0
    for case in cases:
        try:
            await asyncio.wait_for(case(url, site), 60)
            print(f"passed  {case.__name__}")
        except BaseException:
            failed += 1
            print(f"FAILED  {case.__name__}\n{traceback.format_exc()[-1500:]}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main(*sys.argv[1:3])) else 0)
