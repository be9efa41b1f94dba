# caught by: says_what_it_says/post_is_silent
"""Finds retry semantics in the August post."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ISSUE = {**ISSUE, "issue": "retry semantics", "says": "Who retries after a transient failure is the first open question of all."}
