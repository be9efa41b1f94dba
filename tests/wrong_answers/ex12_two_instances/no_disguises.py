# caught by: stays_outside/stays_at_home
"""Refuses every IPv4 address in IPv6 clothes, public or not."""
from lessons.ex12_two_instances import solution as solved
from lessons.ex12_two_instances.solution import *


def may_reach(address, allowed=""):
    ip = ipaddress.ip_address(address.partition("%")[0])
    if getattr(ip, "ipv4_mapped", None):
        return False
    return solved.may_reach(address, allowed)
