# caught by: quiz_roadmap/march_a
"""Believes what is told about the post instead of reading it."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "march": "a"}
