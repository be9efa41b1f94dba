# caught by: stays_outside/goes_inside
"""Asks the library alone, for which multicast is global."""
from lessons.ex12_two_instances.solution import *


def may_reach(address, allowed=""):
    ip = ipaddress.ip_address(address.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    return ip.is_global or inside(ip, [ipaddress.ip_network(network) for network in allowed.split()])
