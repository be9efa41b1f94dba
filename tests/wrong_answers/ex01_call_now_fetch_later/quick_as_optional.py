# caught by: quick_tool/optional
"""A conversion may be a task."""
from lessons.ex01_call_now_fetch_later.solution import *
import main

SUPPORT = {**SUPPORT, "convert_currency": "optional"}
