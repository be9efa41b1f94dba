# caught by: finishes_when_left_alone/not_finished
"""Cleans up so well that nothing is left of a finished export."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def export(arguments, ctx):
    folder, parts = pathlib.Path(arguments["folder"]), arguments["parts"]
    try:
        with open(folder / "export.part", "w", encoding="utf-8") as file:
            for number in range(1, parts + 1):
                ctx.progress((number - 1) / parts)
                file.write(f"part {number}\n")
                main.rest(ctx, arguments["part_s"])
        ctx.progress(1.0)
    finally:
        (folder / "export.part").unlink(missing_ok=True)
    return main.text_result(f"{parts} parts")
