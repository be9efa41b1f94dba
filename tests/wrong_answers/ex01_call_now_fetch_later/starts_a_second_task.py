# caught by: survives_a_lost_connection/starts_again
"""Begins the work a second time after a lost connection."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def wait(client, task_id):
    while True:
        try:
            status = client.call("tasks/status", {"taskId": task_id})
        except OSError:
            client.sleep(0.5)
            task_id = start(client, "export_year", {})
            continue
        if status["state"] != "working":
            return status
        client.sleep(status["pollInterval"] / 1000)
