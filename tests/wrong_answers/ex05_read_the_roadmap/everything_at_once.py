# caught by: names_one_issue/many_issues
"""Names all of them, to be safe."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ISSUE = {**ISSUE, "issue": "events, retries, expiry and subtasks"}
