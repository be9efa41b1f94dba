# caught by: lists_by_index/sorts
"""The index finds the session, and SQLite sorts the rest."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    SCHEMA = Solved.SCHEMA.replace("(session, created_at_ms, id)", "(session)")
