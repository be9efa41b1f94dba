# caught by: one_of_two_instances_dies/nobody_killed
"""Asks to be told when the process has to end, which only a main thread may; workers are none."""
import signal

from lessons.ex12_two_instances import solution as solved
from lessons.ex12_two_instances.solution import *


def auditar_site(arguments, ctx):
    signal.signal(signal.SIGTERM, lambda number, frame: ctx.save())
    return solved.auditar_site(arguments, ctx)
