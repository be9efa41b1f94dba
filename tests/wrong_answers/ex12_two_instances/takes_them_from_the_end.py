# caught by: audits_with_checkpoints/wrong_order
"""Takes URL after URL off the list, from its end."""
from lessons.ex12_two_instances.solution import *


def auditar_site(arguments, ctx):
    left, sites = arguments["urls"][:], ctx.saved.setdefault("sites", [])
    total = len(left)
    del left[total - len(sites):]
    while left:
        sites.append(audit(left.pop(), address_to_dial))
        ctx.save()
        ctx.progress(0.9 * len(sites) / total, f"{len(sites)} de {total} URLs auditadas")
    report = report_of(arguments, sites)
    text = f"{len(sites)} URLs auditadas; {report['findings']} com problemas"
    if not arguments.get("publicar"):
        return text_result(f"{text}.", report)
    if not approved(ctx):
        return text_result(f"{text}; relatório não publicado.", {**report, "published": False})
    published = ctx.once("publish", lambda key: publish(report, key.partition(":")[0]))
    return text_result(f"{text}; relatório {published['id']} publicado.", {**report, "published": True, "report_id": published["id"]})
