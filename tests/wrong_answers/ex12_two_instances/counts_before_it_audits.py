# caught by: publishes_after_a_yes/wrong_result
"""Writes down that a URL is done, and then audits it."""
from lessons.ex12_two_instances.solution import *


def auditar_site(arguments, ctx):
    urls, sites = arguments["urls"], ctx.saved.setdefault("sites", [])
    for number in range(ctx.saved.get("done", 0), len(urls)):
        ctx.saved["done"] = number + 1
        ctx.save()
        sites.append(audit(urls[number], address_to_dial))
        ctx.progress(0.9 * len(sites) / len(urls), f"{len(sites)} de {len(urls)} URLs auditadas")
    report = report_of(arguments, sites)
    text = f"{len(sites)} URLs auditadas; {report['findings']} com problemas"
    if not arguments.get("publicar"):
        return text_result(f"{text}.", report)
    if not approved(ctx):
        return text_result(f"{text}; relatório não publicado.", {**report, "published": False})
    published = ctx.once("publish", lambda key: publish(report, key.partition(":")[0]))
    return text_result(f"{text}; relatório {published['id']} publicado.", {**report, "published": True, "report_id": published["id"]})
