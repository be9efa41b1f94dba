# caught by: audits_with_checkpoints/wrong_order
import json, pathlib, tempfile, functools, time, urllib.request, urllib.error
import main
from lessons.ex12_two_instances import solution as solved
from lessons.ex12_two_instances.solution import *


def auditar_site(arguments, ctx):
    urls = arguments["urls"]
    file = pathlib.Path(tempfile.gettempdir(), f"audit-{abs(hash(0))}-" + "".join(c for c in "".join(urls[:1]+urls[-1:]) if c.isalnum()) + str(arguments.get("publicar")))
    sites = json.loads(file.read_text()) if file.exists() else []
    for url in urls[len(sites):]:
        sites.append(audit(url, address_to_dial))
        file.write_text(json.dumps(sites))
        ctx.progress(0.9 * len(sites) / len(urls), f"{len(sites)} de {len(urls)} URLs auditadas")
    report = report_of(arguments, sites)
    text = f"{len(sites)} URLs auditadas; {report['findings']} com problemas"
    if not arguments.get("publicar"):
        return text_result(f"{text}.", report)
    if not approved(ctx):
        return text_result(f"{text}; relatório não publicado.", {**report, "published": False})
    published = ctx.once("publish", lambda key: publish(report, key.partition(":")[0]))
    return text_result(f"{text}; relatório {published['id']} publicado.", {**report, "published": True, "report_id": published["id"]})
