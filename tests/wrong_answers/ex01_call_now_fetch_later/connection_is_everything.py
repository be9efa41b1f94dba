# caught by: survives_a_lost_connection/gives_up
"""A lost connection ends the waiting."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def wait(client, task_id):
    while True:
        status = client.call("tasks/status", {"taskId": task_id})
        if status["state"] != "working":
            return status
        client.sleep(status["pollInterval"] / 1000)
