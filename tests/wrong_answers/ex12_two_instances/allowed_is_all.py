# caught by: stays_outside/allowed_ignored
import json, pathlib, tempfile, functools, time, urllib.request, urllib.error
import main
from lessons.ex12_two_instances import solution as solved
from lessons.ex12_two_instances.solution import *

def may_reach(address, allowed=""):
    ip = ipaddress.ip_address(address.partition("%")[0])
    ip = getattr(ip, "ipv4_mapped", None) or ip
    if allowed:
        return inside(ip, [ipaddress.ip_network(n) for n in allowed.split()])
    return ip.is_global and not inside(ip, NEVER)
def address_to_dial(host, port, resolve=socket.getaddrinfo):
    found = [entry[4][0] for entry in resolve(host, port, type=socket.SOCK_STREAM)]
    if not found or not all(may_reach(a, auditing.ALLOWED_NETWORKS) for a in found):
        raise ValueError("x")
    return found[0]


def auditar_site(arguments, ctx):
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
