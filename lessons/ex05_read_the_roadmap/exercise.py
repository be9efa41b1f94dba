"""Exercise 5: read what was published, name the open issue, and design a store.

The reading stands in this lesson's README.md.  There is nothing to program here.
"""

# One letter for each question.  "2026" means MCP 2026-07-28 with the Tasks extension.
ANSWERS = {
    # Who decides in 2026 that a call becomes a task?
    #   a  the server, for each request of a client that declared the extension
    #   b  the client, with params.task
    #   c  both, once, when they connect
    "who_decides": "",
    # A tool returns isError: true.  How does its task end in 2026?
    #   a  failed      b  completed      c  cancelled
    "is_error": "",
    # Which resultType does tasks/get answer with?
    #   a  "task"      b  the task's status     c  "complete"
    "result_type": "",
    # A client cancels a finished task in 2026.  What does it get?
    #   a  the error -32602      b  an empty acknowledgement      c  the result, one last time
    "cancel_finished": "",
    # Why did tasks/list go away?
    #   a  it was slow      b  a subscription replaces it      c  without sessions there is nothing to limit it to
    "no_list": "",
    # How does an answer reach a task that runs and asks?
    #   a  by tasks/update      b  by another tools/call      c  as a JSON-RPC response on a stream
    "input_running": "",
    # Which header names the task, so that a gateway can route by it?
    #   a  Mcp-Name      b  Mcp-Task-Id      c  Mcp-Session-Id
    "name_header": "",
    # A client that did not declare Tasks calls tasks/get.  What does it get?
    #   a  -32601      b  -32021      c  -32602
    "undeclared": "",
    # Which two gaps did the roadmap of 2026-03-09 name?
    #   a  subtasks and durable subscriptions
    #   b  webhooks and streamed results
    #   c  retry semantics and expiry policies
    "march": "",
    # What does the roadmap of 2026-08-22 put first?
    #   a  server-initiated events      b  progressive discovery of tools      c  a standard for the ttl of results
    "august": "",
}

# The open issue that will most likely change the API of SDKs within a year, and why.
ISSUE = {
    # In a few words: what is unsolved?
    "issue": "",
    # The post that you rely on, and its date as in 2026-01-31.
    "post": "",
    "date": "",
    # What that post says about it, in one or two sentences of your own (40 letters or more).
    "says": "",
    # A concrete signature or type of an SDK that would change, written as code.
    "signature": "",
    # What would change your mind, or why a rival issue loses (40 letters or more).
    "against": "",
}

# The tool transcribe_lecture turns the recording of a lecture into text: 20 to 50 minutes of
# work, up to 2 MB of text.  It calls a paid speech service once for each ten minutes of sound,
# and in the end publishes the text on the page of the course.  Two machines serve it.
# Fill in the template of outputs/skill-task-store-designer.md, from "# Task store design" on.
DESIGN = """
"""

# The tool ping_device asks a device on the same desk whether it is on: 50 milliseconds.
# The skill tells what to answer, in one line that begins with "Refused:".
REFUSAL = """
"""
