# caught by: finishes_when_left_alone/lines_lost
"""Loses the last line."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def export(arguments, ctx):
    folder, parts = pathlib.Path(arguments["folder"]), arguments["parts"]
    lines = []
    for number in range(1, parts + 1):
        ctx.progress((number - 1) / parts)
        main.rest(ctx, arguments["part_s"])
        ctx.progress(number / parts)
        (folder / "export.txt").write_text("\n".join(lines), encoding="utf-8") if number == parts else lines.append(f"part {number}")
    return main.text_result(f"{parts} parts")
