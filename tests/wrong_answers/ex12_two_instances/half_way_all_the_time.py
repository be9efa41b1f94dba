# caught by: audits_with_checkpoints/wrong_progress
import json, pathlib, tempfile, functools, time, urllib.request, urllib.error
import main
from lessons.ex12_two_instances import solution as solved
from lessons.ex12_two_instances.solution import *


def auditar_site(arguments, ctx):
    urls, sites = arguments["urls"], ctx.saved.setdefault("sites", [])
    for url in urls[len(sites):]:
        sites.append(audit(url, address_to_dial))
        ctx.save()
        ctx.progress(0.5, f"{len(sites)} de {len(urls)} URLs auditadas")
    report = report_of(arguments, sites)
    text = f"{len(sites)} URLs auditadas; {report['findings']} com problemas"
    if not arguments.get("publicar"):
        return text_result(f"{text}.", report)
    if not approved(ctx):
        return text_result(f"{text}; relatório não publicado.", {**report, "published": False})
    published = ctx.once("publish", lambda key: publish(report, key.partition(":")[0]))
    return text_result(f"{text}; relatório {published['id']} publicado.", {**report, "published": True, "report_id": published["id"]})
