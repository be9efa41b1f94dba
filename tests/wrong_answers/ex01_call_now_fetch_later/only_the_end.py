# caught by: stops_for_questions/waits_for_ever
"""Waits for a terminal state and never sees the question."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def wait(client, task_id):
    while True:
        status = client.call("tasks/status", {"taskId": task_id})
        if status["state"] in ("completed", "failed", "cancelled"):
            return status
        client.sleep(status["pollInterval"] / 1000)
