# caught by: asks_for_a_task/no_opt_in
"""Calls the tool as if it were quick."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def start(client, tool, arguments):
    return client.call("tools/call", {"name": tool, "arguments": arguments})["_meta"]["task"]["id"]
