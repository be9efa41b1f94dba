# caught by: reads_on_after_damage/not_reported
"""Skips damaged files without a word."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def reload(store):
    found = solved(store)
    found.damaged.clear()
    return found
