# caught by: stops_for_questions/unknown_ignored
"""Treats a state from the future as work."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def wait(client, task_id):
    while True:
        status = client.call("tasks/status", {"taskId": task_id})
        if status["state"] in ("completed", "failed", "cancelled", "input_required"):
            return status
        client.sleep(status["pollInterval"] / 1000)
