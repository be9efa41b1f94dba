# caught by: says_what_it_says/not_in_the_posts
"""Puts subtasks into a post that does not name them."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ISSUE = {**ISSUE, "issue": "subtasks", "says": "The roadmap lists subtasks among the three open issues of Tasks."}
