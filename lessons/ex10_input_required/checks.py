"""The checks of exercise 10: answers, the approval gate, and a state that the client keeps."""
from __future__ import annotations

import base64
import contextlib
import dataclasses
from typing import Any

import main
from lessons.ex07_task_handles.checks import running
from lessons.grader import Trial, check, code_of
from lessons.server_2026 import Tool2026, solutions
from lessons.store_contract import in_parallel

NAMES = ("take_answers", "approved", "can_be_asked", "input_required", "seal", "unseal", "CAPABILITY")
STARTER_FAILS = "takes_answers/not_written"
ME, CALL = ("acme", "ana"), {"name": "audit", "arguments": {"n": 1}}
SECRET, NOW = b"s" * 32, 1_000_000_000


def form(field: str = "name", kind: str = "string") -> dict:
    """A question with one required field."""
    return {"method": "elicitation/create", "params": {"message": "?", "requestedSchema": {
        "type": "object", "required": [field], "properties": {field: {"type": kind}}}}}


def said(value: Any, field: str = "name") -> dict:
    """An accepted form."""
    return {"action": "accept", "content": {field: value}}


@check(points=4)
def takes_answers(answer, trial):
    open_ones, before = {"a": form(), "b": form()}, {"z": said("old")}
    take = lambda responses: answer.take_answers(dict(open_ones), dict(before), responses)
    trial.expect("partial", "take_answers with one of two answers", ({"b": open_ones["b"]}, {**before, "a": said("ana")}), take({"a": said("ana")}))
    trial.expect("all", "take_answers with both answers", ({}, {**before, "a": said("1"), "b": said("2")}), take({"a": said("1"), "b": said("2")}))
    trial.expect("unknown_kept", "take_answers with a key that was never asked", (open_ones, before), take({"x": said("?")}))
    trial.expect("answered_again", "take_answers with a key that was answered before", (open_ones, before), take({"z": said("new")}))
    trial.expect("nothing", "take_answers with nothing", (open_ones, before), take({}))
    for no in ("decline", "cancel"):
        trial.expect("no_lost", f"take_answers with a {no}", ({"b": open_ones["b"]}, {**before, "a": {"action": no}}), take({"a": {"action": no}}))
    saw = code_of(lambda: take({"x": {"action": "perhaps"}}))
    trial.expect("unknown_checked", "take_answers with nonsense under a key that was never asked", (open_ones, before), saw)
    mine, known = dict(open_ones), dict(before)
    answer.take_answers(mine, known, {"a": said("ana")})
    trial.expect("changes_arguments", "take_answers: its arguments afterwards", (open_ones, before), (mine, known))
    for bad in (said(7), {"action": "accept"}, {"action": "perhaps"}, said("x", "other")):
        saw = code_of(lambda: answer.take_answers(dict(open_ones), {}, {"b": said("bea"), "a": bad}))
        trial.expect("not_checked", f"take_answers with one response that fits, and {bad}", -32602, saw)


class Person(main.Context):
    """A context in which a person answers, and that keeps what was asked."""

    def __init__(self, answer: dict):
        super().__init__()
        self.answer, self.asked = answer, []

    def ask_all(self, questions: dict) -> dict:
        self.asked += [(key, method, params) for key, (method, params) in questions.items()]
        return dict.fromkeys(questions, self.answer)


@check(points=3)
def gates_publishing(answer, trial):
    for reply, expected, mistake in ((said(True, "confirmar"), True, "no_yes"), (said(False, "confirmar"), False, "accept_is_no_yes"),
                                     ({"action": "decline"}, False, "decline_publishes"), ({"action": "cancel"}, False, "decline_publishes"),
                                     ({"action": "decline", "content": {"confirmar": True}}, False, "decline_publishes")):
        person = Person(reply)
        try:
            saw = answer.approved(person)
        except (KeyError, TypeError) as error:
            saw = f"{type(error).__name__}: {error}"
        trial.expect(mistake, f"approved(), answered with {reply}", expected, saw)
    trial.expect("other_key", "approved(): the keys it asked under", ["approve_publish_v1"], [key for key, _, _ in person.asked])
    _, method, params = person.asked[0]
    trial.expect("other_method", "approved(): the method it asked with", "elicitation/create", method)
    message = params.get("message")
    trial.require(isinstance(message, str) and message.strip(), "no_message", "approved(): the message that the person reads", "a text", message)
    schema = params.get("requestedSchema", {})
    shape = (schema.get("properties", {}).get("confirmar", {}).get("type"), schema.get("required"))
    trial.expect("no_form", "approved(): the type of confirmar, and what is required", ("boolean", ["confirmar"]), shape)


@check(points=1)
def asks_what_was_declared(answer, trial):
    for capabilities, method, expected in (({"elicitation": {}}, "elicitation/create", True), ({"elicitation": {"form": {}}}, "elicitation/create", True),
                                           ({"sampling": {}}, "elicitation/create", False), ({}, "sampling/createMessage", False),
                                           ({"elicitation": None}, "elicitation/create", False),
                                           ({"elicitation": True}, "elicitation/create", False), ({"roots": {}}, "roots/list", True), ({"x": {}}, "x/y", False)):
        trial.expect("undeclared_asked", f"can_be_asked({capabilities}, {method!r})", expected, answer.can_be_asked(capabilities, method))


def opened(answer: Any, state: Any, owner: Any = ME, params: dict = CALL, now: int = NOW, secret: bytes = SECRET, method: str = "tools/call") -> Any:
    """What unseal gives, or the code it refuses with."""
    return code_of(lambda: answer.unseal(secret, owner, method, {**params, "requestState": state}, now))


@check(points=4)
def seals_the_state(answer, trial):
    answers = {"asked": {"a": form()}, "given": {"b": said("ż")}}
    state = answer.seal(SECRET, ME, "tools/call", CALL, answers, NOW)
    trial.require(isinstance(state, str), "no_text", "seal(...)", "a text", state)
    trial.expect("answers_lost", "unseal of what seal gave", answers, opened(answer, state))
    trial.expect("absent", "unseal without a requestState", {}, answer.unseal(SECRET, ME, "tools/call", CALL, NOW))
    trial.expect("other_secret", "unseal with another secret", -32602, opened(answer, state, secret=b"t" * 32))
    for place in (0, len(state) // 2, len(state) - 5):
        changed = state[:place] + ("A" if state[place] != "A" else "B") + state[place + 1:]
        trial.expect("tampered", f"unseal of a state with letter {place} changed", -32602, opened(answer, changed))
    for place, letter in enumerate(state[:-1]):
        if letter.isdigit() and state[place + 1].isalnum():    # a last letter may have bits that mean nothing
            changed = state[:place] + str((int(letter) + 1) % 10) + state[place + 1:]
            trial.expect("tampered", f"unseal of a state with the digit at {place} changed", -32602, opened(answer, changed))
    for odd in ("x", "żółw", 7, {}, base64.b64encode(b'{"answers": {}}').decode(), state[:-8]):
        trial.expect("tampered", f"unseal of {str(odd)[:30]!r}", -32602, opened(answer, odd))


@check(points=4)
def binds_the_state(answer, trial):
    state = answer.seal(SECRET, ME, "tools/call", CALL, {"given": {}}, NOW)
    trial.expect("other_owner", "unseal for another subject", -32602, opened(answer, state, owner=("acme", "bob")))
    trial.expect("other_owner", "unseal for another tenant", -32602, opened(answer, state, owner=("other", "ana")))
    trial.expect("other_call", "unseal for other arguments", -32602, opened(answer, state, params={"name": "audit", "arguments": {"n": 2}}))
    trial.expect("other_call", "unseal for another tool", -32602, opened(answer, state, params={**CALL, "name": "delete"}))
    trial.expect("other_call", "unseal for another method", -32602, opened(answer, state, method="prompts/get"))
    trial.expect("too_short", "unseal just before it is over", {"given": {}}, opened(answer, state, now=NOW + 599_999))
    trial.expect("never_over", "unseal when it is over", -32602, opened(answer, state, now=NOW + 600_001))


RUNS: list[str] = []


def two_names(arguments: dict, ctx: main.Context) -> dict:
    """Asks twice at once, and then does something that must happen once."""
    answers = ctx.ask_all({key: ("elicitation/create", form()["params"]) for key in ("first", "second")})
    RUNS.append("ran")
    return main.text_result(" ".join(answers[key]["content"]["name"] for key in ("first", "second")))


def one_name(arguments: dict, ctx: main.Context) -> dict:
    """Asks before there is a task."""
    return main.text_result("hello " + ctx.ask("name", "elicitation/create", form()["params"])["content"]["name"])


def serving(answer: Any, trial: Trial) -> contextlib.AbstractContextManager:
    """The 2026 server with the learner's piece in it."""
    RUNS.clear()
    anything = {"type": "object", "properties": {}}
    tools = {"names": Tool2026("names", "n", "n", anything, "required", two_names), "hello": Tool2026("hello", "h", "h", anything, "forbidden", one_name)}
    return running(trial, tools, dataclasses.replace(solutions(), input=answer))


@check(points=3)
def resumes_a_task(answer, trial):
    with serving(answer, trial) as caller:
        task_id = caller.tool("names")["taskId"]
        update = lambda **responses: caller.call("tasks/update", {"taskId": task_id, "inputResponses": responses})
        trial.expect("not_asked", "tasks/get: the questions", ["first", "second"], sorted(caller.until(task_id, "input_required", *main.TERMINAL).get("inputRequests", {})))
        update(unknown=said("x"))
        update(first=said("ana"))
        task = caller.call("tasks/get", {"taskId": task_id})
        trial.expect("partial_lost", "after one of two answers: status and open questions", ("input_required", ["second"]),
                     (task["status"], sorted(task.get("inputRequests", {}))))
        update(first=said("eve"))
        trial.expect("bad_taken", "tasks/update with a number for a name", -32602, update(second=said(7)).get("error"))
        in_parallel([lambda: main.Client(caller.server.url, wire=main.MODERN).call("tasks/update", {
            "taskId": task_id, "inputResponses": {"second": said("bea")}})] * 6)
        task = caller.until(task_id, *main.TERMINAL)
        trial.expect("wrong_end", "the result in the end", "ana bea", task.get("result", {}).get("content", [{}])[0].get("text"))
        trial.expect("ran_twice", "six updates at once: how often the rest of the tool ran", 1, len(RUNS))


@check(points=3)
def asks_before_a_task(answer, trial):
    with serving(answer, trial) as caller:
        first = caller.tool("hello")
        trial.expect("no_question", "a call that needs input: resultType and questions", ("input_required", ["name"]),
                     (first.get("resultType"), sorted(first.get("inputRequests", {}))))
        trial.require(isinstance(first.get("requestState"), str), "no_state", "a call that needs input: requestState", "a text", first.get("requestState"))
        again = lambda **more: caller.call("tools/call", {"name": "hello", "arguments": {}, "requestState": first.get("requestState"), **more})
        second = again(inputResponses={})
        trial.expect("not_asked_again", "the same call without the answer: resultType", "input_required", second.get("resultType"))
        done = again(inputResponses={"name": said("ana"), "extra": said("x")})
        trial.expect("not_completed", "the same call with the answer: its text", "hello ana", (done.get("content") or [{}])[0].get("text"))
        other = caller.call("tools/call", {"name": "hello", "arguments": {"x": 1}, "requestState": first.get("requestState"), "inputResponses": {"name": said("eve")}})
        trial.expect("state_for_another_call", "that state on a call with other arguments: code", -32602, other.get("error"))
