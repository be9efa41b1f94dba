# caught by: creates_and_reads/an_id_can_be_created_once_only
"""Nothing in the table says that an id is unique."""
import contextlib
import time

import main
from lessons.ex04_sqlite_store.solution import SqliteStore as Solved


class SqliteStore(Solved):
    SCHEMA = Solved.SCHEMA.replace("TEXT PRIMARY KEY", "TEXT")
