# caught by: fetches_the_result/not_the_result
"""Takes the status for the result."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def fetch(client, task_id):
    return wait(client, task_id)
