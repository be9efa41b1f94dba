# caught by: designs_a_store/no_ttl
"""Drops the result before it is there."""
import re

from lessons.ex05_read_the_roadmap.solution import *

DESIGN = re.sub(r"(?m)^- ttl:.*$", "- ttl: 15 minutes", DESIGN)
