"""Exercise 2: a worker that stops when asked, and a cancel that is right in every state.

`ctx.cancelled()` says whether somebody wants the work to stop; `ctx.progress(fraction,
message)` reports, and raises main.Cancelled if so.  `main.rest(ctx, seconds)` is a sleep
that ends early when asked to.
"""
import pathlib
import time

import main


def export(arguments, ctx):
    """Writes `parts` lines to export.txt in `folder`; each takes `part_s` seconds.

    The lines go to export.part first, which is renamed when it is complete.  As it stands,
    the worker never looks up.  Make it
    - report its progress before each part, and so stop between two parts,
    - stop inside a part, within a second of being asked,
    - remove export.part if it stops, and let main.Cancelled out.
    """
    folder, parts = pathlib.Path(arguments["folder"]), arguments["parts"]
    with open(folder / "export.part", "w", encoding="utf-8") as file:
        for number in range(1, parts + 1):
            file.write(f"part {number}\n")
            time.sleep(arguments["part_s"])      # the real work takes this long
    (folder / "export.part").replace(folder / "export.txt")
    return main.text_result(f"{parts} parts")


def cancel(store, task_id):
    """Asks a task to stop, and returns it as it is now; None if there is no such task.

    - A task that has not begun (`task.started` is False) is cancelled at once.
    - A running one, also one that waits for input, gets cancel_requested=True; the worker
      sees it and ends the task itself.
    - A finished one stays exactly as it is, and is returned.

    store.get(task_id) reads a task.  store.change(task_id, update) is the one door: it calls
    update(task), which returns the fields to set.  It returns the changed task, or None if
    the task is finished by now or unknown.
    """
    raise NotImplementedError("cancel")
