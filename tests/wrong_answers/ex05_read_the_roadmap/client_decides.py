# caught by: quiz_protocol/who_decides_b
"""The client decides, as in 2025."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "who_decides": "b"}
