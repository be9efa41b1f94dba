# caught by: finds_its_own/not_theirs
"""Shows a task to everybody of its tenant."""
from lessons.ex11_owners_and_scopes.solution import *


def own_row(db, columns, task_id, owner):
    return db.execute(f"SELECT {columns} FROM mcp_tasks WHERE task_id = ? AND tenant_id = ?", (task_id, owner[0])).fetchone()
