# caught by: designs_a_store/not_durable
"""Keeps the tasks in memory."""
import re

from lessons.ex05_read_the_roadmap.solution import *

DESIGN = re.sub(r"(?m)^- store:.*$", "- store: an in-memory dict on each machine", DESIGN)
