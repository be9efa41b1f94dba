# caught by: repeats_get_the_same/conflict_changes
"""Queues the job before it compares the hashes, and commits all the same."""
import main
from main import *
from lessons.task_table import *
from main import INVALID_PARAMS, RpcError
import sqlite3, json, hashlib, threading, time, zlib, itertools, secrets, contextlib, dataclasses

from lessons.ex08_create_once import solution as solved
from lessons.ex08_create_once.solution import *


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    try:
        return solved.create_once(db, new)
    except RpcError:
        db.execute("INSERT INTO mcp_outbox (job_id, task_id, tool) VALUES (?, ?, ?)", (new.job_id, new.task_id, new.tool))
        raise
