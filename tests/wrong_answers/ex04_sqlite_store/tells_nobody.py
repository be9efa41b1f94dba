# caught by: has_one_door/listeners_hear_of_each_change_in_order
"""Writes, and tells nobody."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def tell(self, task):
        pass
