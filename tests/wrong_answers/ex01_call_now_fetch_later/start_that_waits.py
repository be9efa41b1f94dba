# caught by: asks_for_a_task/waits_inside
"""start() waits for the end: call now, block now."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def start(client, tool, arguments):
    params = {"name": tool, "arguments": arguments, "_meta": {"task": {"required": True}}}
    task_id = client.call("tools/call", params)["_meta"]["task"]["id"]
    client.call("tasks/status", {"taskId": task_id})
    return task_id
