# caught by: dials_what_it_has_checked/not_dialled
"""Checks all addresses, and then leaves the name to be resolved by whoever dials."""
from lessons.ex12_two_instances import solution as solved
from lessons.ex12_two_instances.solution import *


def address_to_dial(host, port, resolve=socket.getaddrinfo):
    solved.address_to_dial(host, port, resolve)
    return host
