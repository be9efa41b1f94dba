# caught by: on_the_disk_first/not_flushed
"""Asks for the bytes on the disk while Python still has them."""
import os
import pathlib
import tempfile

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def write_file(path, text):
    temp = path.with_suffix(".tmp")
    try:
        with open(temp, "w", encoding="utf-8") as file:
            file.write(text)
            os.fsync(file.fileno())
        os.replace(temp, path)
    finally:
        temp.unlink(missing_ok=True)
