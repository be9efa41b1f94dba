# caught by: polls_politely/wrong_status
"""Returns the state alone, as text."""
from lessons.ex01_call_now_fetch_later.solution import *
import main


def wait(client, task_id):
    return main.Client.wait(client, task_id)["state"]
