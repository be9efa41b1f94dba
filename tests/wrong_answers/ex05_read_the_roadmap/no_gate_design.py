# caught by: designs_a_store/no_gate
"""Publishes without asking."""
import re

from lessons.ex05_read_the_roadmap.solution import *

DESIGN = re.sub(r"(?m)^- gate:.*$", "- gate: none, the lecturer has the scope", DESIGN)
