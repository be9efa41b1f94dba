# caught by: stays_outside/stays_at_home
"""Looks an address up as it is written, and ::ffff:127.0.0.1 stands in no list."""
from lessons.ex12_two_instances.solution import *


def may_reach(address, allowed=""):
    ip = ipaddress.ip_address(address.partition("%")[0])
    return not inside(ip, NEVER) or inside(ip, [ipaddress.ip_network(network) for network in allowed.split()])
