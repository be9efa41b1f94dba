# caught by: fetches_the_result/too_early
"""Asks for the result again and again until there is one."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def fetch(client, task_id):
    while True:
        try:
            return client.call("tasks/result", {"taskId": task_id})
        except main.RpcError:
            client.sleep(0.5)
