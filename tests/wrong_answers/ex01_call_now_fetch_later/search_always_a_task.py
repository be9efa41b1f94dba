# caught by: other_tools/it_varies
"""A quick search must be a task as well."""
from lessons.ex01_call_now_fetch_later.solution import *
import main

SUPPORT = {**SUPPORT, "search_mail": "required"}
