# caught by: quiz_protocol/cancel_finished_a
"""A finished task refuses a cancel, as in 2025."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "cancel_finished": "a"}
