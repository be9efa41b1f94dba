# caught by: weighs_a_rival/one_sided
"""Has no doubt."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ISSUE = {**ISSUE, "against": "Nothing."}
