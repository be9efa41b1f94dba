# caught by: dials_what_it_has_checked/asks_twice
"""Resolves once to check and once more to dial."""
from lessons.ex12_two_instances.solution import *


def address_to_dial(host, port, resolve=socket.getaddrinfo):
    for entry in resolve(host, port, type=socket.SOCK_STREAM):
        if not may_reach(entry[4][0], auditing.ALLOWED_NETWORKS):
            raise ValueError("the address is not public")
    for entry in resolve(host, port, type=socket.SOCK_STREAM):
        return entry[4][0]
    raise ValueError("there is no such host")
