# caught by: finds_its_own/injected
"""Writes the values into the SQL, in quotes."""
from lessons.ex11_owners_and_scopes.solution import *


def own_row(db, columns, task_id, owner):
    return db.execute(f"SELECT {columns} FROM mcp_tasks WHERE task_id = '{task_id}' AND tenant_id = '{owner[0]}' AND subject_id = '{owner[1]}'").fetchone()
