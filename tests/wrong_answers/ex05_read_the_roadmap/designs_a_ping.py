# caught by: refuses_a_short_one/designed_anyway
"""Designs a store for 50 milliseconds."""
import re

from lessons.ex05_read_the_roadmap.solution import *

REFUSAL = DESIGN
