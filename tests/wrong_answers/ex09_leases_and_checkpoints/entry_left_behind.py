# caught by: claims_one_each/still_waiting
"""Marks the row, and leaves the entry in the outbox."""
from lessons.ex09_leases_and_checkpoints.solution import *


def claim(db, worker, tools):
    tools = tuple(tools)
    wanted = f"SELECT task_id FROM mcp_outbox WHERE tool IN ({', '.join('?' * len(tools))}) ORDER BY place"
    for (task_id,) in db.execute(wanted, tools).fetchall():
        taken = db.execute("UPDATE mcp_tasks SET worker = ?, fencing_token = fencing_token + 1, attempts = attempts + 1 "
                           "WHERE task_id = ? AND status = 'working' AND worker IS NULL", (worker, task_id))
        if taken.rowcount == 1:
            return task_id
    return None
