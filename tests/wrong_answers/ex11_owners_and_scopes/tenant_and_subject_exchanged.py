# caught by: finds_its_own/not_found
"""Takes the owner for (subject, tenant)."""
from lessons.ex11_owners_and_scopes.solution import *


def own_row(db, columns, task_id, owner):
    subject, tenant = owner
    return db.execute(f"SELECT {columns} FROM mcp_tasks WHERE task_id = ? AND tenant_id = ? AND subject_id = ?", (task_id, tenant, subject)).fetchone()
