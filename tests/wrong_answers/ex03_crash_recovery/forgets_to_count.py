# caught by: keeps_the_finished/not_counted
"""Reads the tasks and reports none."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def reload(store):
    solved(store)
    return main.Reload()
