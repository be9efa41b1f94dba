# caught by: dies_anywhere/lost
"""Notes that the report is published before it is, so that it cannot happen twice; now it may never happen."""
from lessons.ex12_two_instances.solution import *


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
    if "report_id" not in ctx.saved:
        ctx.saved["report_id"] = None
        ctx.save()
        ctx.saved["report_id"] = ctx.once("publish", lambda key: publish(report, key.partition(":")[0]))["id"]
    return text_result(f"{text}; relatório publicado.", {**report, "published": True, "report_id": ctx.saved["report_id"]})
