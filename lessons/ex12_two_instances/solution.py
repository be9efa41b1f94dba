"""Exercise 12, solved: auditar_site, which may lose its process at any moment and does nothing twice.

Nothing here knows how it is run: a waiting caller, a thread, or a lease that parks.
"""
from __future__ import annotations

import ipaddress
import socket
from typing import Any, Callable

from lessons import auditing
from lessons.auditing import NotAllowed, audit, beyond_sync, publish
from lessons.ex10_input_required.solution import approved
from main import Context, text_result

# Explicitly, because one flag of the library is not enough: special uses, and IPv6 addresses that hide an IPv4 one.
NEVER = [ipaddress.ip_network(network) for network in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
    "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "::/8", "64:ff9b::/96", "64:ff9b:1::/48",
    "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8")]


def may_reach(address: str, allowed: str = "") -> bool:
    """Whether an address is public, or inside one of the `allowed` networks (text, separated by blanks).

    An IPv4 address in IPv6 clothes (::ffff:127.0.0.1) is what the system will dial, so that
    is what counts.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if inside(ip, [ipaddress.ip_network(network, strict=False) for network in allowed.split()]):
        return True
    return ip.is_global and not inside(ip, NEVER)


def inside(ip: Any, networks: list) -> bool:
    """Whether one of the networks has the address."""
    return any(ip.version == network.version and ip in network for network in networks)


def address_to_dial(host: str, port: int, resolve: Callable = socket.getaddrinfo) -> str:
    """The address to connect to.  Raises ValueError unless all that the name resolves to may be reached,
    and OSError if it cannot be looked up.

    Resolved once: a second look could be given another answer.
    """
    found = [entry[4][0] for entry in resolve(host, port, type=socket.SOCK_STREAM)]
    if not found or not all(may_reach(address, auditing.ALLOWED_NETWORKS) for address in found):
        raise NotAllowed("the address is not public")
    return found[0]


def auditar_site(arguments: dict, ctx: Context) -> dict:
    """Audits URL after URL, with a checkpoint after each; publishes only after a yes, and once."""
    urls, sites = arguments["urls"], ctx.saved.setdefault("sites", [])
    for url in urls[len(sites):]:
        sites.append(audit(url, address_to_dial))
        ctx.save()
        ctx.progress(0.9 * len(sites) / len(urls), f"{len(sites)} de {len(urls)} URLs auditadas")
    report = report_of(arguments, sites)
    text = f"{len(sites)} URLs auditadas; {report['findings']} com problemas"
    if not arguments.get("publicar"):
        return text_result(f"{text}.", report)
    if not approved(ctx):
        return text_result(f"{text}; relatório não publicado.", {**report, "published": False})
    published = ctx.once("publish", lambda key: publish(report, key.partition(":")[0]))
    return text_result(f"{text}; relatório {published['id']} publicado.", {**report, "published": True, "report_id": published["id"]})


def report_of(arguments: dict, sites: list[dict]) -> dict:
    """The figures of an audit."""
    return {"mode": "task" if beyond_sync(arguments) else "synchronous", "checked": len(sites),
            "findings": sum(not site["ok"] for site in sites), "truncated": False, "sites": sites}
