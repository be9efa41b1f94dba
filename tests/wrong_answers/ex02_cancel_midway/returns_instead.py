# caught by: stops_between/swallowed
"""Stops, but returns as if it had finished."""
import pathlib
import time

import main
from lessons.ex02_cancel_midway.solution import *


def export(arguments, ctx):
    for number in range(1, arguments["parts"] + 1):
        if ctx.cancelled():
            return main.text_result("cancelled")
        main.rest(ctx, arguments["part_s"])
    return main.text_result("done")
