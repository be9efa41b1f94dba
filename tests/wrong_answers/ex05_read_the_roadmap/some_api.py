# caught by: names_a_signature/vague
"""Says that something will change."""
import re

from lessons.ex05_read_the_roadmap.solution import *

ISSUE = {**ISSUE, "signature": "the client API for tasks"}
