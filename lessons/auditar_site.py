"""auditar_site: audits a list of URLs and, once a person has agreed, publishes the report.

Up to five URLs without publishing fit into one bounded answer.  More, or publishing, is a
task.  Nothing here knows how it is run: a waiting caller, a thread, or a lease that parks.
"""
from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import os
import re
import socket
import ssl
import threading
from typing import Any
from urllib.parse import urlsplit

from lessons.ex10_input_required.solution import approved
from lessons.server_2026 import Tool2026
from main import Context, ToolError, text_result

MAX_SYNC_URLS, MAX_URLS = 5, 500
WITHIN_S, MAX_BYTES = 8.0, 1 << 20
SCHEMA = {"type": "object", "additionalProperties": False, "required": ["urls", "idempotency_key"], "properties": {
    "urls": {"type": "array", "minItems": 1, "maxItems": MAX_URLS, "items": {"type": "string", "minLength": 1, "maxLength": 2000}},
    "idempotency_key": {"type": "string", "minLength": 1, "maxLength": 200},
    "publicar": {"type": "boolean"}}}
# Where reports go, and which private networks may be audited all the same: for a laboratory, by configuration only.
PUBLISHER = os.environ.get("AUDITORIA_PUBLISHER", "")
ALLOWED_NETWORKS = os.environ.get("AUDITORIA_ALLOWED_NETWORKS", "")


# Explicitly, because one flag of the library is not enough: special uses, and IPv6 addresses that hide an IPv4 one.
NEVER = [ipaddress.ip_network(network) for network in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24",
    "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3", "::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48",
    "100::/64", "2001::/23", "2001:db8::/32", "2002::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8")]


def beyond_sync(arguments: dict) -> bool:
    """Whether a call is too large, or too serious, for the bounded synchronous path."""
    return len(arguments["urls"]) > MAX_SYNC_URLS or arguments.get("publicar", False)


def auditar_site(arguments: dict, ctx: Context) -> dict:
    """Audits URL after URL, with a checkpoint after each; publishes only after a yes."""
    urls, sites = arguments["urls"], ctx.saved.setdefault("sites", [])
    for url in urls[len(sites):]:
        sites.append(audit(url))
        ctx.save()
        ctx.progress(0.9 * len(sites) / len(urls), f"{len(sites)} de {len(urls)} URLs auditadas")
    findings = [site for site in sites if not site["ok"]]
    report = {"mode": "task" if beyond_sync(arguments) else "synchronous", "checked": len(sites), "findings": len(findings),
              "truncated": False, "sites": sites}
    text = f"{len(sites)} URLs auditadas; {len(findings)} com problemas"
    if not arguments.get("publicar"):
        return text_result(f"{text}.", report)
    if not approved(ctx):
        return text_result(f"{text}; relatório não publicado.", {**report, "published": False})
    published = ctx.once("publish", lambda key: publish(report, key))
    return text_result(f"{text}; relatório {published['id']} publicado.", {**report, "published": True, "report_id": published["id"]})


def audit(url: str) -> dict:
    """One URL, by one HEAD request; what went wrong is a finding and not an error."""
    shown = url.partition("?")[0].partition("#")[0]        # a query may hold secrets, and so may a name before the host
    shown = re.sub(r"//[^/]*@", "//", shown)
    try:
        response = head(url)
    except (OSError, ValueError, http.client.HTTPException) as error:
        return {"url": shown, "ok": False, "error": str(error) if isinstance(error, ValueError) else type(error).__name__}
    return {"url": shown, "ok": 200 <= response.status < 300, "status": response.status,
            "content_type": response.headers.get("content-type", "")[:200]}


def head(url: str) -> http.client.HTTPResponse:
    """A HEAD request to the very address that was checked; no redirect is followed."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise ValueError("only http and https URLs with a host name")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    connection = http.client.HTTPConnection(parts.hostname, port, timeout=WITHIN_S)
    connection.sock = socket.create_connection((public_address(parts.hostname, port), port), WITHIN_S)
    in_all = threading.Timer(WITHIN_S, cut, (connection,))         # the socket's own limit is for each read
    in_all.start()
    try:
        if parts.scheme == "https":
            context = ssl.create_default_context()
            connection.sock = context.wrap_socket(connection.sock, server_hostname=parts.hostname, do_handshake_on_connect=False)
            connection.sock.do_handshake()
        connection.request("HEAD", (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), headers={"User-Agent": "auditoria-mcp/2.0"})
        return connection.getresponse()
    finally:
        in_all.cancel()
        connection.close()


def cut(connection: http.client.HTTPConnection) -> None:
    """Ends a connection under the hands of whoever reads from it."""
    with contextlib.suppress(OSError, TypeError):          # TypeError: it is closed already
        socket.socket.shutdown(connection.sock, socket.SHUT_RDWR)


def public_address(host: str, port: int) -> str:
    """The address to dial.  Raises ValueError unless all that the name resolves to may be reached from here."""
    found = {entry[4][0].partition("%")[0] for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)}
    if not found or not all(may_reach(ipaddress.ip_address(address)) for address in found):
        raise ValueError("the address is not public")
    return sorted(found)[0]


def may_reach(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Public, or allowed by configuration.  What hides an IPv4 address inside IPv6 is not public."""
    networks = [ipaddress.ip_network(network) for network in ALLOWED_NETWORKS.split()]
    if any(address.version == network.version and address in network for network in networks):
        return True
    return address.is_global and not address.is_multicast and not any(address.version == network.version and address in network for network in NEVER)


def publish(report: dict, key: str) -> dict:
    """Hands the report to the external service, which knows the key and does it once.  Raises ToolError."""
    if not PUBLISHER:
        raise ToolError("no service to publish to is configured (AUDITORIA_PUBLISHER)")
    parts = urlsplit(PUBLISHER)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=WITHIN_S)
    try:
        connection.request("POST", parts.path or "/", json.dumps(report), {"Content-Type": "application/json", "Idempotency-Key": key})
        response = connection.getresponse()
        answer: Any = json.loads(response.read(MAX_BYTES))
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise ToolError(f"the service could not be reached ({type(error).__name__})") from None
    finally:
        connection.close()
    if response.status not in (200, 201) or not isinstance(answer.get("id"), str):
        raise ToolError(f"the service refused the report (HTTP {response.status})")
    return {"id": answer["id"]}


AUDITAR_SITE = Tool2026("auditar_site", "Auditoria de site", "Audita URLs por HTTP; com mais de cinco, ou para publicar, como task.",
                        SCHEMA, "optional", auditar_site, must_be_task=beyond_sync)
