# caught by: finishes_when_left_alone/too_quick
"""Leaves most of the work out, so there is little to stop."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def export(arguments, ctx):
    folder, parts = pathlib.Path(arguments["folder"]), arguments["parts"]
    for number in range(1, parts + 1):
        ctx.progress((number - 1) / parts)
        main.rest(ctx, min(arguments["part_s"], 0.5))
    ctx.progress(1.0)
    (folder / "export.txt").write_text("".join(f"part {n}\n" for n in range(1, parts + 1)), encoding="utf-8")
    return main.text_result(f"{parts} parts")
