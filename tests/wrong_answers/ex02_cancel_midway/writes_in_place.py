# caught by: cleans_up/in_place
"""Writes straight into export.txt."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def export(arguments, ctx):
    folder, parts = pathlib.Path(arguments["folder"]), arguments["parts"]
    done = False
    try:
        with open(folder / "export.txt", "w", encoding="utf-8") as file:
            for number in range(1, parts + 1):
                ctx.progress((number - 1) / parts)
                file.write(f"part {number}\n")
                main.rest(ctx, arguments["part_s"])
        ctx.progress(1.0)
        done = True
    finally:
        if not done:
            (folder / "export.txt").unlink()
    return main.text_result(f"{parts} parts")
