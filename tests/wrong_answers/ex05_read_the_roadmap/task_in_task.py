# caught by: quiz_protocol/result_type_a
"""Believes the two examples that show "task"."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "result_type": "a"}
