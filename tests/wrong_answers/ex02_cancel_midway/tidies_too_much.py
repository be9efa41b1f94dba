# caught by: cleans_up/old_one_lost
"""Removes an older export together with its own half one."""
import pathlib

import main
from lessons.ex02_cancel_midway import solution
from lessons.ex02_cancel_midway.solution import *


def export(arguments, ctx):
    try:
        return solution.export(arguments, ctx)
    except main.Cancelled:
        (pathlib.Path(arguments["folder"]) / "export.txt").unlink(missing_ok=True)
        raise
