# caught by: designs_a_store/resumes_without_lease
"""Resumes without a lease."""
import re

from lessons.ex05_read_the_roadmap.solution import *

DESIGN = re.sub(r"(?m)^- length:.*$", "- length: none", DESIGN)
