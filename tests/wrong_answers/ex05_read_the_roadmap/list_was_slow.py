# caught by: quiz_wire/no_list_a
"""The list went away for its speed."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "no_list": "a"}
