# caught by: other_tools/quick_as_task
"""Everything is a task: a sensor costs two requests and a stored file."""
from lessons.ex01_call_now_fetch_later.solution import *
import main

SUPPORT = {**SUPPORT, "read_sensor": "required"}
