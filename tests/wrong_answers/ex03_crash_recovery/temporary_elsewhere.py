# caught by: on_the_disk_first/other_folder
"""Has its temporary file in another folder."""
import os
import pathlib
import tempfile

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def write_file(path, text):
    handle, temp = tempfile.mkstemp()
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temp, path)
    finally:
        pathlib.Path(temp).unlink(missing_ok=True)
