# caught by: finishes_when_left_alone/no_progress
"""Checks the flag but never reports."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def export(arguments, ctx):
    folder, parts = pathlib.Path(arguments["folder"]), arguments["parts"]
    partial = folder / "export.part"
    try:
        with open(partial, "w", encoding="utf-8") as file:
            for number in range(1, parts + 1):
                file.write(f"part {number}\n")
                main.rest(ctx, arguments["part_s"])
                if ctx.cancelled():
                    raise main.Cancelled
        partial.replace(folder / "export.txt")
    finally:
        partial.unlink(missing_ok=True)
    return main.text_result(f"{parts} parts")
