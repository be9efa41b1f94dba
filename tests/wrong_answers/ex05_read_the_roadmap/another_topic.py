# caught by: names_one_issue/unknown_issue
"""Names what the reading is not about."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ISSUE = {**ISSUE, "issue": "better documentation"}
