# caught by: writes_with_its_token/not_written
"""Takes a zero or an empty text for a value that was not given."""
from lessons.ex09_leases_and_checkpoints.solution import *
from lessons.task_table import change_rows


def change(db, job, now_ms, **new):
    new = {name: value for name, value in new.items() if value}
    return change_rows(db, HELD, (job.task_id, job.token), now_ms, **new) == 1
