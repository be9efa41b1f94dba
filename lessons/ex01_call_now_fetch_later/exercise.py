"""Exercise 1: which tools deserve a task, and a client that calls now and fetches later.

`client.call(method, params)` sends one request and returns its result.  It raises
main.RpcError if the server answers with an error, and OSError if the connection is lost.
`client.sleep(seconds)` waits.
"""

# For each tool: "forbidden" (always answers at once), "optional" or "required" (always a task).
SUPPORT = {
    # Multiplies by a rate that is in memory: 2 milliseconds.
    "convert_currency": "required",

    # Reads a sensor on the desk: 50 milliseconds.
    "read_sensor": "",
    # Exports a year of bookings: 4 to 9 minutes.
    "export_year": "",
    # Trains a model: hours.
    "train_model": "",
    # Searches the mail: 200 milliseconds, or 2 minutes if the archive is included.
    "search_mail": "",
    # Builds a project: 3 seconds from the cache, 12 minutes without.
    "build_project": "",
}


def start(client, tool, arguments):
    """Calls `tool` as a task and returns the task's id.

    Look at the tour: which `_meta` goes with tools/call, and where in the result is the id?
    """
    raise NotImplementedError("start")


def wait(client, task_id):
    """Polls tasks/status until the task does something else than work; returns that status.

    - The status says in pollInterval, in milliseconds, how long to wait before asking again.
    - A question (input_required) and a state you do not know end the waiting too.
    - If the connection is lost, the task goes on.  So: wait, and ask again with the same id.
      An error of the server (main.RpcError) is no lost connection: let it out.
    """
    raise NotImplementedError("wait")


def fetch(client, task_id):
    """Waits for a task and returns the tool's result, from tasks/result.

    A failed task has no result: then tasks/result answers with the error.  Let it out.
    """
    raise NotImplementedError("fetch")
