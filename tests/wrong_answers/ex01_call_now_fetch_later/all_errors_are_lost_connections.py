# caught by: survives_a_lost_connection/error_hidden
"""Takes an error of the server for a lost connection."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def wait(client, task_id):
    while True:
        try:
            status = client.call("tasks/status", {"taskId": task_id})
        except Exception:
            client.sleep(0.5)
            continue
        if status["state"] != "working":
            return status
        client.sleep(status["pollInterval"] / 1000)
