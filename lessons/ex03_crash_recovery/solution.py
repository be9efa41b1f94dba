"""Exercise 3, solved: both are the lab's own."""
import functools

import main

write_file = functools.partial(main.write_file, durable=True)
reload = main.FileStore.reload
save, reload_one, fail_orphan = main.write_file, main.FileStore._reload_one, main.FileStore._fail_orphan
FROM_THE_LAB = ("save", "reload", "reload_one", "fail_orphan")
