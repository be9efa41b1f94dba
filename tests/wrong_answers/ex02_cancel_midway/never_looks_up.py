# caught by: stops_between/ignores
"""The worker never looks up."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def export(arguments, ctx):
    folder, parts = pathlib.Path(arguments["folder"]), arguments["parts"]
    with open(folder / "export.part", "w", encoding="utf-8") as file:
        for number in range(1, parts + 1):
            file.write(f"part {number}\n")
            time.sleep(arguments["part_s"])
    (folder / "export.part").replace(folder / "export.txt")
    return main.text_result(f"{parts} parts")
