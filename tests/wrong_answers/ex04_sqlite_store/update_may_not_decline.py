# caught by: has_one_door/an_update_may_decline
"""Takes None for no change at all, and counts it as one."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    def change(self, task_id, update):
        return super().change(task_id, lambda task: update(task) or {})
