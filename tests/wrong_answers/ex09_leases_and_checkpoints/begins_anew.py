# caught by: claims_one_each/loses_what_was_done
"""Claims a job and clears what the attempt before has left."""
from lessons.ex09_leases_and_checkpoints.solution import *


def claim(db, worker, tools):
    tools = tuple(tools)
    wanted = f"SELECT place, task_id FROM mcp_outbox WHERE tool IN ({', '.join('?' * len(tools))}) ORDER BY place LIMIT 1"
    while (entry := db.execute(wanted, tools).fetchone()) is not None:
        place, task_id = entry
        db.execute("DELETE FROM mcp_outbox WHERE place = ?", (place,))
        taken = db.execute("UPDATE mcp_tasks SET worker = ?, fencing_token = fencing_token + 1, attempts = attempts + 1, checkpoint_json = '{}' "
                           "WHERE task_id = ? AND status = 'working' AND worker IS NULL", (worker, task_id))
        if taken.rowcount == 1:
            return task_id
    return None
