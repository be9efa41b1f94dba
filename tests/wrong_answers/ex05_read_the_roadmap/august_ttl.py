# caught by: quiz_roadmap/august_c
"""Looks for the ttl in August."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "august": "c"}
