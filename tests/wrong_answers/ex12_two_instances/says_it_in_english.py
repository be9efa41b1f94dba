# caught by: audits_with_checkpoints/wrong_text
"""Speaks English to a caller who waits for Portuguese."""
from lessons.ex12_two_instances import solution as solved
from lessons.ex12_two_instances.solution import *


def auditar_site(arguments, ctx):
    report = solved.auditar_site(arguments, ctx)["structuredContent"]
    return text_result(f"{report['checked']} URLs audited, {report['findings']} with problems.", report)
