# caught by: repeats_get_the_same/conflict_changes
"""Notes the conflict in the task's status message before it refuses."""
from lessons.ex08_create_once.solution import *
from lessons.task_table import change_rows, enqueue, insert_task
from main import RpcError


def create_once(db, new):
    fingerprint = canonical_hash(new.arguments)
    db.execute("BEGIN IMMEDIATE")
    try:
        known = task_of_key(db, new, fingerprint)
        if known is None:
            insert_task(db, new, stored_key(new), fingerprint)
            enqueue(db, new.task_id)
    except RpcError:
        change_rows(db, OWN_KEY, (*new.owner, stored_key(new)), new.now_ms, status_message="its key came again with other arguments")
        db.execute("COMMIT")
        raise
    except BaseException:
        db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
    return known or new.task_id
