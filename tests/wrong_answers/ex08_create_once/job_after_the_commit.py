# caught by: a_power_cut_leaves_both_or_neither/torn
"""Records the job after the commit, through a cursor."""
import main
from main import *
from lessons.task_table import *
from main import INVALID_PARAMS, RpcError
import sqlite3, json, hashlib, threading, time, zlib, itertools, secrets, contextlib, dataclasses

from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    cursor = db.cursor()
    cursor.execute("BEGIN IMMEDIATE")
    try:
        known = task_of_key(cursor, new, fingerprint)
        if known is None:
            insert_task(cursor, new, stored_key(new), fingerprint)
    except BaseException:
        cursor.execute("ROLLBACK")
        raise
    cursor.execute("COMMIT")
    if known is None:
        enqueue(cursor, new.task_id)
    return known or new.task_id
