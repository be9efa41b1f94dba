"""The checks of exercise 5: what a machine can see of reading and designing."""
from __future__ import annotations

import re

from lessons.design_linter import lint, parse
from lessons.grader import check

NAMES = ("ANSWERS", "ISSUE", "DESIGN", "REFUSAL")
STARTER_FAILS = "quiz_protocol/unanswered"
RIGHT = {"who_decides": "a", "is_error": "b", "result_type": "c", "cancel_finished": "b", "no_list": "c", "input_running": "a",
         "name_header": "a", "undeclared": "b", "march": "c", "august": "a"}
TITLES = {"2026-03-09": "the 2026 mcp roadmap", "2026-08-22": "the new mcp roadmap"}
SILENT = r"neither|does not|do not|doesn't|no word|not name|nowhere|no longer|silent|nothing|no mention|not mention|dropped"
POSTS = {"2026-03-09": ("retry", "expir", "ttl", "retention", "event", "webhook"),
         "2026-08-22": ("event", "webhook", "push", "poll", "subscription", "composition", "lifecycle")}
KINDS = {"events": r"event|webhook|push|callback|without polling|server-initiated", "retry": r"retr(y|ies)", "expiry": r"expir|ttl|retention",
         "composition": r"composition|lifecycle|three answers", "subtasks": r"subtask|child task", "subscriptions": r"durable subscription"}
NEITHER = ("subtasks", "subscriptions")     # what no post names


def quiz(answer, trial, *questions):
    """Each question has one right letter; a wrong one is told why it is wrong."""
    for question in questions:
        saw = str(answer.ANSWERS.get(question, "")).strip().lower()
        trial.require(saw in ("a", "b", "c"), "unanswered", f'ANSWERS["{question}"]', "a, b or c", saw or "nothing")
        trial.require(saw == RIGHT[question], f"{question}_{saw}", f'ANSWERS["{question}"]', "another letter", saw)


@check(points=4)
def quiz_protocol(answer, trial):
    quiz(answer, trial, "who_decides", "is_error", "result_type", "cancel_finished")


@check(points=4)
def quiz_wire(answer, trial):
    quiz(answer, trial, "no_list", "input_running", "name_header", "undeclared")


@check(points=2)
def quiz_roadmap(answer, trial):
    quiz(answer, trial, "march", "august")


def line(answer, name):
    """A line of ISSUE, without the blanks around it."""
    return str(answer.ISSUE.get(name, "")).strip()


def kinds(text):
    """Which of the known issues a text is about."""
    return [kind for kind, pattern in KINDS.items() if re.search(pattern, text, re.I)]


@check(points=1)
def names_one_issue(answer, trial):
    saw = line(answer, "issue")
    trial.require(saw, "no_issue", 'ISSUE["issue"]', "an open issue of Tasks, in a few words", "nothing")
    trial.require(kinds(saw), "unknown_issue", 'ISSUE["issue"]', "an issue that the reading names", saw)
    trial.require(len(kinds(saw)) == 1, "many_issues", 'ISSUE["issue"]', "one issue", f"{len(kinds(saw))} of them: {', '.join(kinds(saw))}")


@check(points=1)
def names_the_post(answer, trial):
    saw = line(answer, "date")
    trial.require(saw in POSTS, "wrong_date", 'ISSUE["date"]', "2026-03-09 or 2026-08-22", saw or "nothing")
    title = line(answer, "post").lower()
    trial.require(TITLES[saw] in title, "wrong_post", 'ISSUE["post"]', f"the title of the post of {saw}", line(answer, "post") or "nothing")


@check(points=1)
def says_what_it_says(answer, trial):
    kind, date, says = kinds(line(answer, "issue"))[:1], line(answer, "date"), line(answer, "says").lower()
    trial.require(len(says) >= 40, "too_little", 'ISSUE["says"]', "one or two sentences", says or "nothing")
    if kind and kind[0] in NEITHER:
        return trial.require(re.search(SILENT, says), "not_in_the_posts", 'ISSUE["says"]', "a word about where the posts name it", says)
    if date == "2026-08-22" and kind and kind[0] in ("retry", "expiry"):
        return trial.require(re.search(SILENT, says), "post_is_silent", f'ISSUE["says"], for the post of {date}',
                             "that this post no longer names it", says)
    trial.require(any(word in says for word in POSTS.get(date, ())), "post_is_silent", f'ISSUE["says"], for the post of {date}',
                  "what that post names", says)


@check(points=1)
def names_a_signature(answer, trial):
    saw = line(answer, "signature")
    trial.require(re.search(r"\w+\s*\(.*\)|\w+\[.+\]|\bclass \w+|->|: \w+", saw), "vague", 'ISSUE["signature"]',
                  "a signature or a type, as code", saw or "nothing")


@check(points=1)
def weighs_a_rival(answer, trial):
    saw = line(answer, "against")
    trial.require(len(saw) >= 40 and re.search(r"\bif\b|unless|would|because|rather|than|whereas|[:;]", saw, re.I), "one_sided", 'ISSUE["against"]',
                  "what would change your mind, or why a rival loses", saw or "nothing")


@check(points=5)
def designs_a_store(answer, trial):
    found = lint(answer.DESIGN)
    trial.require("transcribe_lecture" in answer.DESIGN, "other_tool", "DESIGN", "a design of transcribe_lecture", answer.DESIGN.strip()[:80] or "nothing")
    trial.require(not found, found[0][0] if found else "", "python -m lessons.design_linter, on DESIGN", "nothing to say",
                  "; ".join(said for _, said in found))
    design = parse(answer.DESIGN)
    for part, name, bad, mistake in (("Decision", "taskSupport", r"^(optional|forbidden)", "always_slow"), ("Durability", "store", r"^\W*(sqlite|files?\b|one json)", "second_machine"),
                                     ("Idempotency", "external effects", r"^\W*none\b", "it_publishes"), ("Crash recovery", "policy", r"^\W*fail\b", "too_dear_to_fail")):
        saw = design.get(part, name)
        trial.require(not re.match(bad, saw), mistake, f"DESIGN, {part}: {name}", "a decision that fits transcribe_lecture", saw)


@check(points=2)
def refuses_a_short_one(answer, trial):
    trial.require(re.search(r"^\**Refused:", answer.REFUSAL.strip(), re.I), "designed_anyway", "REFUSAL", "one line that begins with Refused:",
                  answer.REFUSAL.strip()[:80] or "nothing")
    found = lint(answer.REFUSAL)
    trial.require(not found, found[0][0] if found else "", "python -m lessons.design_linter, on REFUSAL", "nothing to say", found[0][1] if found else "")
    trial.require("short" in answer.REFUSAL.lower(), "other_reason", "REFUSAL", "the reason that fits 50 milliseconds", answer.REFUSAL.strip())
