# caught by: designs_a_store/leaves_terminal
"""Opens failed tasks again."""
import re

from lessons.ex05_read_the_roadmap.solution import *

DESIGN = re.sub(r"(?m)^- states:.*$", "- states: working -> failed; failed -> working; working -> completed | cancelled", DESIGN)
