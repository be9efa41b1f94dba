"""FastMCP's own tasks server, for tests/bench.py.  Runs in the interop environment's Python."""
from __future__ import annotations

import asyncio
import socket

from fastmcp import FastMCP
from fastmcp_tasks import TasksExtension


def run() -> None:
    """Prints its address and serves one tool that waits, until it is ended."""
    server = FastMCP("peer")
    server.add_extension(TasksExtension())

    @server.tool(task=True)
    async def wait(seconds: float) -> str:
        """Waits."""
        await asyncio.sleep(seconds)
        return "done"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    print(f"http://127.0.0.1:{port}/mcp", flush=True)
    server.run(transport="http", host="127.0.0.1", port=port, log_level="critical", show_banner=False)


if __name__ == "__main__":
    run()
