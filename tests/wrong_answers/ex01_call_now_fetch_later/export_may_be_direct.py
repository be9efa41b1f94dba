# caught by: other_tools/slow_at_once
"""A five-minute export may also be waited for."""
from lessons.ex01_call_now_fetch_later.solution import *
import main

SUPPORT = {**SUPPORT, "export_year": "optional"}
