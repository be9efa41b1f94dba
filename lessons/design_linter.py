"""Reads a task-store design and says what the skill's rules have against it.

    python -m lessons.design_linter outputs/design-generate-report.md

The rules are those of outputs/skill-task-store-designer.md: parts that must be there, hard
rejects, and refusals.  A machine can see whether a decision was made and whether it
contradicts another; whether it is wise, a reader has to judge.
"""
from __future__ import annotations

import pathlib
import re
import sys
from dataclasses import dataclass, field

# Part -> the lines that it must have, as `- name: value`.
PARTS = {
    "Decision": ("taskSupport", "duration", "without Tasks"),
    "State": ("task id", "states", "fields", "result size"),
    "Retention": ("ttl", "poll interval", "after the ttl"),
    "Durability": ("store", "before the answer", "moves to"),
    "Cancellation": ("how", "finished tasks", "while waiting"),
    "Crash recovery": ("policy", "checkpoint", "attempts"),
    "Progress": ("reported", "notifications"),
    "Idempotency": ("key", "other arguments", "external effects"),
    "Lease": ("length", "fencing"),
    "Owner": ("bound to", "checked"),
    "Approval": ("gate",),
    "Open ends": ("subtasks", "completion events"),
}
REFUSALS = ("too short", "too large", "nowhere to persist")
TERMINAL = ("completed", "failed", "cancelled")
LONGEST_INLINE = 4 << 20
NUMBERS = {"an?": "1", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "ten": "10", "fifteen": "15", "thirty": "30"}


@dataclass
class Design:
    """A design, read: part -> line name -> value."""
    parts: dict[str, dict[str, str]] = field(default_factory=dict)
    refusal: str | None = None

    def get(self, part: str, name: str) -> str:
        """A line's value, in lower case; '' if it is not there."""
        return self.parts.get(part, {}).get(name.lower(), "").lower()


def parse(text: str) -> Design:
    """A Design from Markdown: `## Part`, then lines `- name: value`."""
    design, part = Design(), ""
    for line in text.splitlines():
        heading, item = re.match(r"##\s+(.+?)\s*$", line), re.match(r"-\s+([^:]+):\s*(.*)$", line)
        if heading:
            part = heading[1]
            design.parts[part] = {}
        elif item and part:
            design.parts[part][item[1].strip().lower()] = item[2].strip()
        elif refused := re.match(r"\**Refused:\**\s*(.*)$", line, re.I):
            design.refusal = refused[1]
    return design


def lint(text: str) -> list[tuple[str, str]]:
    """[(rule, what is wrong)], empty if there is nothing to say."""
    design = parse(text)
    if design.refusal is not None:
        return lint_refusal(design)
    problems = [("missing", f"{part}: {name}") for part, names in PARTS.items() for name in names if not filled(design.get(part, name))]
    return problems + [(rule, said) for rule, find in REJECTS.items() if (said := find(design))]


def filled(value: str) -> bool:
    """Whether a line says anything.  A template's <...>, and the words between them, do not."""
    return bool(re.sub(r"<[^>]*>|\bbecause\b|\bto\b", "", value).strip(" ,.-"))


def lint_refusal(design: Design) -> list[tuple[str, str]]:
    """A refusal names one of the reasons, says what to do instead, and designs nothing."""
    problems = []
    if not any(reason in design.refusal.lower() for reason in REFUSALS):
        problems.append(("refusal_reason", f"a refusal names one of: {', '.join(REFUSALS)}"))
    if not re.search(r"instead|plain call|answer at once|rather", design.refusal, re.I):
        problems.append(("refusal_instead", "a refusal says what to do instead"))
    if set(design.parts) & set(PARTS):
        problems.append(("refusal_and_design", "a refused tool gets no design"))
    return problems


def seconds(value: str) -> float | None:
    """The longest time that a value names.  Example: seconds('20 to 50 minutes') -> 3000.0"""
    units = {"ms": 0.001, "millisecond": 0.001, "s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600,
             "day": 86400, "week": 7 * 86400, "month": 30 * 86400}
    for word, number in NUMBERS.items():
        value = re.sub(rf"\b{word}\b", number, value)
    found = re.findall(r"(\d+(?:\.\d+)?)\s*(ms|milliseconds?|seconds?|sec|s|minutes?|min|hours?|h|days?|weeks?|months?)\b", value)
    return max((float(number) * units[unit if unit in units else unit.rstrip("s")] for number, unit in found), default=None)


def size(value: str) -> float | None:
    """The largest size that a value names, in bytes.  Example: size('up to 2 mb') -> 2097152.0"""
    units = {"kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
    return max((float(number) * units[unit] for number, unit in re.findall(r"(\d+(?:\.\d+)?)\s*(kb|mb|gb)\b", value)), default=None)


# ---- hard rejects: each gives a sentence, or '' ------------------------------------

def unknown_support(design: Design) -> str:
    value = design.get("Decision", "taskSupport")
    return "" if re.match(r"(forbidden|optional|required)\b", value) else f"taskSupport is {value!r}: forbidden, optional or required"


def too_short(design: Design) -> str:
    longest = seconds(design.get("Decision", "duration"))
    if longest is None:
        return "the duration names no time with a unit"
    return "" if longest >= 5 else f"the tool takes {longest} s at the most: refuse, it is too short to be a task"


def no_fallback(design: Design) -> str:
    value = design.get("Decision", "without Tasks")
    return "" if re.search(r"-32021|synchronous|sync path|optional", value) else "without Tasks: name the error -32021 or a bounded synchronous path"


def guessable_id(design: Design) -> str:
    value = design.get("State", "task id")
    bits = max((int(number) * (8 if unit == "bytes" else 1) for number, unit in re.findall(r"(\d+)(?: random)? (bits|bytes)", value)), default=0)
    return "" if bits >= 128 and not re.search(r"counter|sequential|timestamp|autoincrement", value) else "the task id needs 128 random bits or more, and no counter"


def leaves_terminal(design: Design) -> str:
    moves = re.findall(r"(\w+)\s*(?:->|→)", design.get("State", "states"))
    bad = [state for state in moves if state in TERMINAL]
    return f"{bad[0]} is terminal: nothing leaves it" if bad else ""


def large_inline(design: Design) -> str:
    value = design.get("State", "result size")
    largest = size(value)
    if largest is None:
        return "the result size names no size with a unit (KB, MB)"
    linked = re.search(r"link|reference|url|file", value)
    return "" if largest <= LONGEST_INLINE or linked else "a result of that size is stored elsewhere, with a link in the task"


def no_ttl(design: Design) -> str:
    value = design.get("Retention", "ttl")
    if seconds(value) is None or re.search(r"unlimited|for ?ever|never", value):
        return "the ttl is a time with a unit, not for ever"
    longest = seconds(design.get("Decision", "duration")) or 0
    return "" if seconds(value) > longest else "the ttl is over before the work is"


def polls_like_mad(design: Design) -> str:
    value = seconds(design.get("Retention", "poll interval"))
    return "" if value and value >= 0.1 else "the poll interval is a time of 100 ms or more"


def not_durable(design: Design) -> str:
    store, promise = design.get("Durability", "store"), design.get("Durability", "before the answer")
    if re.search(r"(?<!not )(?<!never )\b(in[- ]memory|dict\b|process memory)", store):
        return "a store in memory loses every promise with the process"
    return "" if re.search(r"fsync|commit|durable|aof", promise) else "before the answer: the task is durable before its id is told"


def kills_threads(design: Design) -> str:
    value = design.get("Cancellation", "how")
    if re.search(r"kill|terminate the thread|abort the thread", value):
        return "a thread cannot be killed: cancelling is cooperative"
    changed = re.search(r"cancelled|deleted|error", design.get("Cancellation", "finished tasks")) and not re.search(
        r"unchanged|no-op|nothing|same answer|acknowledge", design.get("Cancellation", "finished tasks"))
    return "a finished task is left unchanged by a cancel" if changed else ""


def no_recovery(design: Design) -> str:
    policy, attempts = design.get("Crash recovery", "policy"), design.get("Crash recovery", "attempts")
    if not re.search(r"\b(fail|resume)", policy):
        return "after a crash a task fails or is resumed: choose"
    if "resume" in policy and not re.search(r"\d", attempts):
        return "a resumed task has a limit of attempts"
    return ""


def claims_exactly_once(design: Design) -> str:
    value = design.get("Idempotency", "external effects")
    if re.search(r"\bnone\b|no external", value):
        return ""
    return "" if re.search(r"key|job id|job_id", value) else "an external effect carries an idempotency key: exactly once needs both ends"


def resumes_without_lease(design: Design) -> str:
    lease, policy = design.get("Lease", "length"), design.get("Crash recovery", "policy")
    if "resume" not in policy:
        return ""
    fenced = not re.search(r"^(none|no)\b", design.get("Lease", "fencing"))
    return "" if seconds(lease) and fenced else "resuming needs a lease with a length, and a fencing token"


def nobodys_task(design: Design) -> str:
    bound, checked = design.get("Owner", "bound to"), design.get("Owner", "checked")
    if re.search(r"nobody|anyone|none|the task id\b", bound):
        return "the task id is no credential: bind the task to an owner"
    return "" if re.search(r"each|every", checked) else "the owner is checked on every call"


def no_gate(design: Design) -> str:
    effects, gate = design.get("Idempotency", "external effects"), design.get("Approval", "gate")
    publishes = re.search(r"publish|send|pay|delete|order", effects)
    return "what reaches the outside world waits for a person's approval" if publishes and re.search(r"^(none|no)\b", gate) else ""


REJECTS = {check.__name__: check for check in (
    unknown_support, too_short, no_fallback, guessable_id, leaves_terminal, large_inline, no_ttl, polls_like_mad, not_durable,
    kills_threads, no_recovery, claims_exactly_once, resumes_without_lease, nobodys_task, no_gate)}


if __name__ == "__main__":
    found = [(name, *problem) for name in sys.argv[1:] for problem in lint(pathlib.Path(name).read_text(encoding="utf-8"))]
    print("\n".join(f"{name}: {rule}: {said}" for name, rule, said in found) or "nothing to say")
    sys.exit(1 if found else 0)
