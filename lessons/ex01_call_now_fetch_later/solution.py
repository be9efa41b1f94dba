"""Exercise 1, solved: the lab's own client does it this way."""
from main import Client

SUPPORT = {
    "convert_currency": "forbidden",
    "read_sensor": "forbidden",
    "export_year": "required",
    "train_model": "required",
    "search_mail": "optional",
    "build_project": "optional",
}

start, wait, fetch = Client.start, Client.wait, Client.fetch
FROM_THE_LAB = ("start", "wait", "fetch")
