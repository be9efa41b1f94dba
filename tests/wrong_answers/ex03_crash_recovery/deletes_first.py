# caught by: whole_or_nothing/half_written
"""Removes the old file before the new one is there."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def write_file(path, text):
    path.write_text("", encoding="utf-8")
    main.write_file(path, text, durable=True)
