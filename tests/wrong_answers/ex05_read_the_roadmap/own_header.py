# caught by: quiz_wire/name_header_a
"""Invents a header."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "name_header": "a"}
