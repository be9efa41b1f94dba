# caught by: lists_by_index/scans
"""Reads the whole table for one session."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    SCHEMA = Solved.SCHEMA.replace("CREATE INDEX IF NOT EXISTS tasks_of_a_session ON tasks (session, created_at_ms, id);", "")
