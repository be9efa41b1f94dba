# caught by: quiz_wire/input_running_c
"""Answers on the stream, as in the lesson dialect."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "input_running": "c"}
