"""Exercise 12: auditar_site, which may lose its process at any moment and does nothing twice.

Given (lessons/auditing.py, lessons/ex10_input_required/solution.py):

    audit(url, address_to_dial)     one HEAD request: a dict with ok, True or False, and more
    publish(report, job_id)         hands a report to the external service: {"id": ...}
    approved(ctx)                   whether a person says yes; may park the task
    beyond_sync(arguments)          whether this call has to be a task
    text_result(text, structured)   a CallToolResult

and the context: ctx.saved (a dict, the checkpoint), ctx.save(), ctx.progress(fraction, text),
ctx.once(effect_key, function): function(key) is called unless its result is stored already;
key is "JOB_ID:EFFECT_KEY".  publish wants the JOB_ID alone.
"""
import ipaddress
import socket

from lessons import auditing
from lessons.auditing import NotAllowed, audit, beyond_sync, publish
from lessons.ex10_input_required.solution import approved
from main import text_result

# Special uses, and IPv6 addresses that hide an IPv4 one: never, whatever the library says of them, unless `allowed` says so.
NEVER = [ipaddress.ip_network(network) for network in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
    "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "::/8", "64:ff9b::/96", "64:ff9b:1::/48",
    "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8")]


def may_reach(address, allowed=""):
    """Whether the tool may talk to this address (a text, maybe with %zone).

    - ::ffff:1.2.3.4 counts as 1.2.3.4, which is what the system dials.
    - Inside one of the `allowed` networks (a text, networks separated by blanks): yes.
    - Inside one of NEVER, or not is_global: no.
    """
    raise NotImplementedError("may_reach")


def address_to_dial(host, port, resolve=socket.getaddrinfo):
    """The address to connect to.

    resolve(host, port, type=socket.SOCK_STREAM) is called once and gives a list; entry[4][0]
    of each is an address.  Raises NotAllowed, a ValueError with a message, if there is none,
    or if one of them may not be reached, allowing auditing.ALLOWED_NETWORKS.  What resolve
    raises passes through.
    """
    raise NotImplementedError("address_to_dial")


def auditar_site(arguments, ctx):
    """Audits arguments["urls"] in order, and publishes the report if arguments["publicar"].

    - After each URL, one that comes twice included: a checkpoint, and one report of progress,
      with the message "3 de 8 URLs auditadas" and a fraction above 0 that rises up to 1.
      Begun again, it goes on after the last checkpoint.
    - The result: text_result(text, report), with "8 URLs auditadas" in the text, and report =
      {"mode": "task" if beyond_sync says so, else "synchronous", "checked": how many,
      "findings": how many are not ok, "truncated": False, "sites": what audit gave}.
      Findings are no error.
    - To publish: only after a yes, and once; what is published is that report, the same in
      every life; the service's idempotency key is the job's id.  The result has "published":
      True and "report_id" besides; after a no, "published": False.  A service that refuses
      is a ToolError, which publish raises.
    """
    raise NotImplementedError("auditar_site")
