# caught by: whole_or_nothing/temp_left
"""Leaves its temporary file behind when something goes wrong."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def write_file(path, text):
    temp = path.with_suffix(".tmp")
    with open(temp, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temp, path)
