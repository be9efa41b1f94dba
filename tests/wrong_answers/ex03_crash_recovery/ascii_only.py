# caught by: writes_the_text/wrong_text
"""Drops what ASCII cannot say."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def write_file(path, text):
    main.write_file(path, text.encode("ascii", "replace").decode(), durable=True)
