# caught by: dials_what_it_has_checked/one_is_enough
"""Checks the address that it dials, and not its neighbours."""
from lessons.ex12_two_instances.solution import *


def address_to_dial(host, port, resolve=socket.getaddrinfo):
    found = [entry[4][0] for entry in resolve(host, port, type=socket.SOCK_STREAM)]
    if not found or not may_reach(found[0], auditing.ALLOWED_NETWORKS):
        raise ValueError("the address is not public")
    return found[0]
