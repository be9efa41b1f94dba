# caught by: fetches_the_result/too_early
"""Asks for the result without waiting for it."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def fetch(client, task_id):
    return client.call("tasks/result", {"taskId": task_id})
