# caught by: quiz_protocol/is_error_a
"""A tool's error fails its task, as in 2025."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "is_error": "a"}
