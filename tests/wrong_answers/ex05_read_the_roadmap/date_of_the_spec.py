# caught by: names_the_post/wrong_date
"""Gives the date of the specification."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ISSUE = {**ISSUE, "date": "2026-07-28"}
