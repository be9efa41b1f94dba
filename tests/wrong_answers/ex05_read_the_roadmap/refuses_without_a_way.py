# caught by: refuses_a_short_one/refusal_instead
"""Refuses and leaves it at that."""
import re

from lessons.ex05_read_the_roadmap.solution import *

REFUSAL = "Refused: too short."
