# caught by: polls_politely/wrong_status
"""Returns the task id instead of the status."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def wait(client, task_id):
    while True:
        status = client.call("tasks/status", {"taskId": task_id})
        if status["state"] != "working":
            return task_id
        client.sleep(status["pollInterval"] / 1000)
