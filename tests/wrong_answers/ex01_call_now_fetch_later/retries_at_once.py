# caught by: survives_a_lost_connection/hammers
"""Asks again in a tight loop while the server is down."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def wait(client, task_id):
    while True:
        try:
            status = client.call("tasks/status", {"taskId": task_id})
        except OSError:
            continue
        if status["state"] != "working":
            return status
        client.sleep(status["pollInterval"] / 1000)
