# caught by: gates_publishing/no_message
"""Shows a form without a word."""
import main
from lessons.ex10_input_required import solution as solved
from lessons.ex10_input_required.solution import *


def approved(ctx):
    ask = ctx.ask
    ctx.ask = lambda key, method, params: ask(key, method, {**params, "message": ""})
    return solved.approved(ctx)
