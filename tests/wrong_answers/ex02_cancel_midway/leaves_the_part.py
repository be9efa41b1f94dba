# caught by: cleans_up/leaves_partial
"""Stops and leaves half an export behind."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def export(arguments, ctx):
    folder, parts = pathlib.Path(arguments["folder"]), arguments["parts"]
    with open(folder / "export.part", "w", encoding="utf-8") as file:
        for number in range(1, parts + 1):
            ctx.progress((number - 1) / parts)
            file.write(f"part {number}\n")
            main.rest(ctx, arguments["part_s"])
    ctx.progress(1.0)
    (folder / "export.part").replace(folder / "export.txt")
    return main.text_result(f"{parts} parts")
