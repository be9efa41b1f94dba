# caught by: audits_with_checkpoints/published_unasked
"""Asks when publishing was asked for, and publishes in any case but a no."""
from lessons.ex12_two_instances.solution import *


def auditar_site(arguments, ctx):
    urls, sites = arguments["urls"], ctx.saved.setdefault("sites", [])
    for url in urls[len(sites):]:
        sites.append(audit(url, address_to_dial))
        ctx.save()
        ctx.progress(0.9 * len(sites) / len(urls), f"{len(sites)} de {len(urls)} URLs auditadas")
    report = report_of(arguments, sites)
    text = f"{len(sites)} URLs auditadas; {report['findings']} com problemas"
    if arguments.get("publicar") and not approved(ctx):
        return text_result(f"{text}; relatório não publicado.", {**report, "published": False})
    published = ctx.once("publish", lambda key: publish(report, key.partition(":")[0]))
    return text_result(f"{text}; relatório {published['id']} publicado.", {**report, "published": True, "report_id": published["id"]})
