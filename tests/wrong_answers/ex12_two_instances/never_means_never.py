# caught by: stays_outside/allowed_ignored
"""Looks at NEVER first, so that no network inside it can be allowed."""
from lessons.ex12_two_instances.solution import *


def may_reach(address, allowed=""):
    ip = ipaddress.ip_address(address.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if inside(ip, NEVER):
        return False
    return ip.is_global or inside(ip, [ipaddress.ip_network(network) for network in allowed.split()])
