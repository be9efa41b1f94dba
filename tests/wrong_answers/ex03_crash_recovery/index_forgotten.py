# caught by: keeps_the_finished/not_listed
"""Reads the tasks but never puts them into the index."""
import os

import main
from lessons.ex03_crash_recovery.solution import *
from lessons.ex03_crash_recovery.solution import reload as solved


def reload(store):
    store.remember = lambda task: None
    return solved(store)
