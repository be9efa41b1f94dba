# caught by: designs_a_store/claims_exactly_once
"""Hopes that publishing happens once."""
import re

from lessons.ex05_read_the_roadmap.solution import *

DESIGN = re.sub(r"(?m)^- external effects:.*$", "- external effects: publishing, exactly once", DESIGN)
