# caught by: designs_a_store/missing
"""Hands in the template."""
import re

from lessons.ex05_read_the_roadmap.solution import *

DESIGN = re.sub(r"(?m)^(- [^:]+:).*$", r"\1 <...>", DESIGN)
