# caught by: finds_its_own/not_theirs
"""Compares tenant and subject as one word."""
from lessons.ex11_owners_and_scopes.solution import *


def own_row(db, columns, task_id, owner):
    return db.execute(f"SELECT {columns} FROM mcp_tasks WHERE task_id = ? AND tenant_id || subject_id = ?", (task_id, "".join(owner))).fetchone()
