# caught by: dials_what_it_has_checked/goes_inside
"""Checks a host that is written as an address, and trusts whatever a name resolves to."""
from lessons.ex12_two_instances.solution import *


def address_to_dial(host, port, resolve=socket.getaddrinfo):
    try:
        literal = ipaddress.ip_address(host)
    except ValueError:
        literal = None
    if literal and not may_reach(host, auditing.ALLOWED_NETWORKS):
        raise ValueError("the address is not public")
    return resolve(host, port, type=socket.SOCK_STREAM)[0][4][0]
