# caught by: gates_publishing/decline_publishes
"""Looks at the tick and not at the button."""
import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *


def approved(ctx):
    answer = {}
    ask = ctx.ask
    ctx.ask = lambda *question: answer.update(ask(*question)) or ask(*question)
    solved.approved(ctx)
    return answer.get("content", {}).get("confirmar", False)
