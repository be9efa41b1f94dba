# caught by: stops_between/swallowed
"""Catches what tells it to stop."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def export(arguments, ctx):
    parts = arguments["parts"]
    try:
        for number in range(1, parts + 1):
            ctx.progress((number - 1) / parts)
            main.rest(ctx, arguments["part_s"])
    except BaseException:
        pass
    return main.text_result(f"{parts} parts")
