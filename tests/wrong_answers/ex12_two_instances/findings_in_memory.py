# caught by: one_of_two_instances_dies/lost
"""Saves how far it is, and keeps what it has found in the process."""
from lessons.ex12_two_instances.solution import *

FOUND = {}                            # by URL


def auditar_site(arguments, ctx):
    urls = arguments["urls"]
    for number in range(ctx.saved.get("done", 0), len(urls)):
        FOUND[urls[number]] = audit(urls[number], address_to_dial)
        ctx.saved["done"] = number + 1
        ctx.save()
        ctx.progress(0.9 * (number + 1) / len(urls), f"{number + 1} de {len(urls)} URLs auditadas")
    sites = [FOUND[url] for url in urls if url in FOUND]
    report = report_of(arguments, sites)
    text = f"{len(sites)} URLs auditadas; {report['findings']} com problemas"
    if not arguments.get("publicar"):
        return text_result(f"{text}.", report)
    if not approved(ctx):
        return text_result(f"{text}; relatório não publicado.", {**report, "published": False})
    published = ctx.once("publish", lambda key: publish(report, key.partition(":")[0]))
    return text_result(f"{text}; relatório {published['id']} publicado.", {**report, "published": True, "report_id": published["id"]})
