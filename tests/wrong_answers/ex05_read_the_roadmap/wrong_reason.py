# caught by: refuses_a_short_one/other_reason
"""Refuses for a reason that is not there."""
import re

from lessons.ex05_read_the_roadmap.solution import *

REFUSAL = "Refused: nowhere to persist. Instead: a plain call."
