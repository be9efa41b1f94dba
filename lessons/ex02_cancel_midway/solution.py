"""Exercise 2, solved: `cancel` is the store's own."""
import pathlib

import main


def export(arguments, ctx):
    """Looks up before each part and inside it; what was begun is removed, whatever ends it."""
    folder, parts = pathlib.Path(arguments["folder"]), arguments["parts"]
    partial = folder / "export.part"
    try:
        with open(partial, "w", encoding="utf-8") as file:
            for number in range(1, parts + 1):
                ctx.progress((number - 1) / parts, f"part {number} of {parts}")
                file.write(f"part {number}\n")
                main.rest(ctx, arguments["part_s"])
        ctx.progress(1.0, "complete")
        partial.replace(folder / "export.txt")
    finally:
        partial.unlink(missing_ok=True)
    return main.text_result(f"{parts} parts")


cancel = main.FileStore.request_cancel
FROM_THE_LAB = ("cancel",)
