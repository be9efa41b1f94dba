# caught by: lets_errors_out/swallowed
"""Turns a failure into None."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def fetch(client, task_id):
    if wait(client, task_id)["state"] != "completed":
        return None
    return client.call("tasks/result", {"taskId": task_id})
