# caught by: dials_what_it_has_checked/allowed_ignored
"""Copies the configuration when it is imported, and misses what is configured later."""
from lessons.auditing import ALLOWED_NETWORKS
from lessons.ex12_two_instances.solution import *


def address_to_dial(host, port, resolve=socket.getaddrinfo):
    found = [entry[4][0] for entry in resolve(host, port, type=socket.SOCK_STREAM)]
    if not found or not all(may_reach(address, ALLOWED_NETWORKS) for address in found):
        raise ValueError("the address is not public")
    return found[0]
