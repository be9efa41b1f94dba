# caught by: on_the_disk_first/synced_late
"""Has the bytes on the disk only after the file has its name."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def write_file(path, text):
    temp = path.with_suffix(".tmp")
    try:
        temp.write_text(text, encoding="utf-8")
        os.replace(temp, path)
        with open(path, "rb+") as file:
            os.fsync(file.fileno())
    finally:
        temp.unlink(missing_ok=True)
