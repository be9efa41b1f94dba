# caught by: quiz_wire/name_header_b
"""Invents a header."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "name_header": "b"}
