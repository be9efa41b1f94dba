# caught by: polls_politely/too_fast
"""Sleeps half a second, whatever the server says."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def wait(client, task_id):
    while True:
        status = client.call("tasks/status", {"taskId": task_id})
        if status["state"] != "working":
            return status
        client.sleep(0.4)
