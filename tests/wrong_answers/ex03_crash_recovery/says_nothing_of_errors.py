# caught by: whole_or_nothing/error_swallowed
"""Swallows what the disk says."""
import os
import pathlib
import tempfile

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def write_file(path, text):
    try:
        main.write_file(path, text, durable=True)
    except OSError:
        pass
