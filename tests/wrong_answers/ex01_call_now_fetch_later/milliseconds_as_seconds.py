# caught by: polls_politely/too_lazy
"""Takes milliseconds for seconds."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def wait(client, task_id):
    while True:
        status = client.call("tasks/status", {"taskId": task_id})
        if status["state"] != "working":
            return status
        client.sleep(status["pollInterval"])
