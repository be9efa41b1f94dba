# caught by: asks_for_a_task/wrong_call
"""Leaves the arguments out."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def start(client, tool, arguments):
    params = {"name": tool, "_meta": {"task": {"required": True}}}
    return client.call("tools/call", params)["_meta"]["task"]["id"]
