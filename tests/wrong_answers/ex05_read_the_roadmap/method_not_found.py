# caught by: quiz_wire/undeclared_a
"""Takes an undeclared extension for an unknown method."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ANSWERS = {**ANSWERS, "undeclared": "a"}
