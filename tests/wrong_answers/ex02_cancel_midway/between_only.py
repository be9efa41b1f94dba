# caught by: stops_inside/sleeps_through
"""Looks up before each part and sleeps through it."""
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
                ctx.progress((number - 1) / parts)
                file.write(f"part {number}\n")
                time.sleep(arguments["part_s"])
        ctx.progress(1.0)
        partial.replace(folder / "export.txt")
    finally:
        partial.unlink(missing_ok=True)
    return main.text_result(f"{parts} parts")
