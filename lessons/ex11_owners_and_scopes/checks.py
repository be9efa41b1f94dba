"""The checks of exercise 11: whose token, whose task, and what may be written down."""
from __future__ import annotations

import contextlib
import dataclasses
import hmac
import io
import json
import logging
import re
import sqlite3
import time
import urllib.request
from typing import Any, Iterator

import main
from lessons.authorization import AUDIT, PUBLISH, Authority, Forbidden, Unauthorized, base64url, issue, sign
from lessons.ex07_task_handles.checks import Caller, running
from lessons.grader import Trial, check
from lessons.observing import JsonLines
from lessons.pieces import solutions
from lessons.server_2026 import Tool2026
from lessons.task_table import TaskTable

NAMES = ("own_row", "bearer", "verify", "owner_of", "require_scopes", "challenge", "check_issuer", "client_id_for", "redact", "HIDDEN")
STARTER_FAILS = "finds_its_own/not_written"
KEY, NOW = b"k" * 32, 1_000_000
HOUSE = Authority("https://issuer.example", "http://127.0.0.1:8013/mcp", KEY)
MARKER = "M4RK3R-5ecret"


@check(points=2)
def finds_its_own(answer, trial):
    table = TaskTable(trial.folder / "tasks.db")
    owners = [("acme", "ana"), ("acme", "bob"), ("other", "ana"), ("acm", "eana"), ("%", "%"), ("ACME", "Ana"), ("o'neil", "x' OR '1' = '1")]
    ids = {owner: table.create(owner, "slow", {}, {}, {}).task_id for owner in owners}
    with contextlib.closing(table), table.connections.borrow() as db:
        for mine in owners:
            try:
                saw = answer.own_row(db, "task_id, tool", ids[mine], mine)
            except sqlite3.Error as error:
                trial.fail("injected", f"own_row of a task of {mine}", "a row", str(error))
            trial.expect("not_found", f"own_row of {mine}'s own task", (ids[mine], "slow"), saw and tuple(saw))
            for other in owners:
                if other != mine:
                    trial.expect("not_theirs", f"own_row of {other}'s task, asked for by {mine}", None, answer.own_row(db, "task_id", ids[other], mine))
        trial.expect("not_theirs", "own_row of a task that never was", None, answer.own_row(db, "task_id", "task_x", owners[0]))
        trial.expect("injected", "own_row with a task id like SQL", None, answer.own_row(db, "task_id", "x' OR '1' = '1", owners[0]))


def refusal(call: Any) -> Any:
    """What a call gives, or the kind of error that it raises."""
    try:
        return call()
    except (Unauthorized, Forbidden) as error:
        return type(error).__name__


@check(points=2)
def reads_the_header(answer, trial):
    for value, expected in (("Bearer abc.def-_~+/x==", "abc.def-_~+/x=="), ("bearer   abc", "abc"), ("BEARER abc", "abc")):
        trial.expect("good_refused", f"bearer with Authorization: {value}", expected, refusal(lambda: answer.bearer({"authorization": value})))
    for value in (None, "", "Bearer", "Bearer ", "Basic abc", "abc", "Bearer abc def", "Bearer ab,c", "Bearer a=b", "Bearer\tabc", "Bearer ąbc", "xBearer abc", "Bearer abc\n"):
        headers = {} if value is None else {"authorization": value}
        trial.expect("bad_taken", f"bearer with Authorization: {value!r}", "Unauthorized", refusal(lambda: answer.bearer(headers)))
        try:
            answer.bearer(headers)
        except Unauthorized as error:
            trial.expect("wrong_error", f"the error code with Authorization: {value!r}", "", error.error)


FULL = {"iss": HOUSE.issuer, "aud": HOUSE.audience, "sub": "ana", "tenant": "acme", "exp": NOW + 60}


def sha512(claims: dict) -> str:
    """A token that is signed with the right key in another way, and says so."""
    signed = ".".join(base64url(json.dumps(part).encode()) for part in ({"alg": "HS512"}, claims))
    return f"{signed}.{base64url(hmac.digest(KEY, signed.encode(), 'sha512'))}"


def forged(**changes: Any) -> str:
    """A token of the house with other claims; None takes one away."""
    claims = {"iss": HOUSE.issuer, "aud": HOUSE.audience, "sub": "ana", "tenant": "acme", "scope": AUDIT, "exp": NOW + 60, **changes}
    return sign({"alg": "HS256"}, {name: value for name, value in claims.items() if value is not None}, KEY)


@check(points=5)
def trusts_no_token_unseen(answer, trial):
    verify = lambda token: refusal(lambda: answer.verify(token, HOUSE, NOW))
    whose = lambda token: saw["sub"] if isinstance(saw := verify(token), dict) else saw
    for what, token in (("a good token", forged()), ("a token for several audiences", forged(aud=["http://else", HOUSE.audience])),
                        ("a token that begins now", forged(nbf=NOW)), ("a token with claims that nobody knows", forged(extra={"a": 1})),
                        ("a token with a typ", sign({"alg": "HS256", "typ": "at+jwt"}, FULL, KEY)), ("the same token, for the second time", forged()), ("a token made now", forged(iat=NOW, jti="1")),
                        ("a token with one second left", forged(exp=NOW + 1)), ("a token with a fraction of a second left", forged(exp=NOW + 0.5))):
        trial.expect("good_refused", f"verify of {what}: whose it is", "ana", whose(token))
    header, claims, signature = forged().split(".")
    other = base64url(json.dumps({"iss": HOUSE.issuer, "aud": HOUSE.audience, "sub": "eve", "tenant": "acme", "exp": NOW + 60}).encode())
    full, signing = FULL, base64url(hmac.digest(KEY, f"{header}.{other}".encode(), "sha256"))
    for mistake, what, token in (
            ("unsigned", "other claims under an old signature", f"{header}.{other}.{signature}"), ("unsigned", "no signature", f"{header}.{claims}."),
            ("unsigned", "another key", sign({"alg": "HS256"}, full, b"x" * 32)), ("unsigned", "half a signature", f"{header}.{claims}.{signature[:20]}"),
            ("unsigned", "the house's claims under another header", f"{base64url(b'{}')}.{claims}.{signature}"),
            ("its_own_algorithm", 'alg "none", unsigned', f"{base64url(json.dumps({'alg': 'none'}).encode())}.{claims}."),
            ("its_own_algorithm", 'alg "none", signed all the same', sign({"alg": "none"}, full, KEY)), ("its_own_algorithm", 'alg "hs256"', sign({"alg": "hs256"}, full, KEY)),
            ("its_own_algorithm", 'alg "HS512", with our signature', sign({"alg": "HS512"}, full, KEY)), ("its_own_algorithm", 'alg "HS512", signed with SHA-512', sha512(full)), ("its_own_algorithm", "no alg", sign({}, full, KEY)),
            ("critical_ignored", "a header with crit", sign({"alg": "HS256", "crit": ["x"], "x": 1}, full, KEY)), ("critical_ignored", "an empty crit", sign({"alg": "HS256", "crit": []}, full, KEY)),
            ("other_issuer", "another issuer", forged(iss="https://issuer.example.evil")), ("other_issuer", "no issuer", forged(iss=None)), ("other_issuer", "an issuer with a slash more", forged(iss=HOUSE.issuer + "/")),
            ("other_audience", "another server's audience", forged(aud="http://127.0.0.1:9999/mcp")), ("other_audience", "no audience", forged(aud=None)),
            ("other_audience", "a longer audience", forged(aud=HOUSE.audience + "/x")), ("other_audience", "a part of the audience", forged(aud="http://127.0.0.1:8013")),
            ("other_audience", "a list without us", forged(aud=["http://else"])), ("other_audience", "an audience that is an object", forged(aud={HOUSE.audience: 1})),
            ("expired", "one second over its time", forged(exp=NOW - 1)), ("expired", "its last moment", forged(exp=NOW)), ("expired", "no exp", forged(exp=None)),
            ("expired", "exp true", forged(exp=True)), ("expired", "exp as a text", forged(exp=str(NOW + 60))), ("too_early", "nbf to come", forged(nbf=NOW + 1)),
            ("expired", "exp Infinity", forged(exp=float("inf"))), ("expired", "exp NaN", forged(exp=float("nan"))), ("expired", "exp 10**400", forged(exp=10 ** 400)),
            ("too_early", "nbf as a text", forged(nbf="0")), ("too_early", "nbf null", sign({"alg": "HS256"}, {**full, "nbf": None}, KEY)),
            ("no_token", "one part", header), ("no_token", "four parts", f"{forged()}.x"), ("no_token", "nothing", ""), ("no_token", "dots", ".."),
            ("no_token", "padding", f"{header}=.{claims}.{signature}"), ("no_token", "letters that are no base64", "ż.ż.ż"), ("no_token", "claims that are a list", sign({"alg": "HS256"}, ["a"], KEY)),
            ("no_token", "a header that is a text", sign("HS256", full, KEY)), ("no_token", "claims that are no JSON", f"{header}.{base64url(b'{')}.{signature}"),
            ("no_token", "5000 brackets for a header", f"{base64url(b'[' * 5000)}.{claims}.{signature}")):
        trial.expect(mistake, f"verify of a token with {what}", "Unauthorized", verify(token))
    keeps_it_to_itself(answer, trial, f"{header}.{other}", signature, signing)


def keeps_it_to_itself(answer: Any, trial: Trial, signed: str, signature: str, right: str) -> None:
    """Neither a refusal's words nor its time tell what would have been the right signature."""
    for token in (f"{signed}.{signature}", f"{signed}.{signature}x", forged(exp=1)):
        try:
            answer.verify(token, HOUSE, NOW)
        except Unauthorized as error:
            trial.require(right not in error.message and token not in error.message, "tells_too_much", "the message of a refusal", "neither the token nor the signature that would be right", error.message)
    asked, compare = [], hmac.compare_digest
    hmac.compare_digest = lambda one, two: asked.append(1) or compare(one, two)
    try:
        refusal(lambda: answer.verify(f"{signed}.{signature}", HOUSE, NOW))
    finally:
        hmac.compare_digest = compare
    trial.require(asked, "letter_by_letter", "verify: how the signatures are compared", "with hmac.compare_digest, called as that", "with something else")


@check(points=2)
def knows_who_and_what(answer, trial):
    trial.expect("wrong_owner", "owner_of", ("acme", "ana"), answer.owner_of({"tenant": "acme", "sub": "ana", "jti": "1", "exp": 5, "client_id": "c"}))
    trial.expect("wrong_owner", "owner_of", ("Acme", "Ana "), answer.owner_of({"tenant": "Acme", "sub": "Ana "}))
    for claims in ({}, {"tenant": "acme", "sub": "a\ud800"}, {"tenant": 7, "sub": "ana"}, {"sub": "ana"}, {"tenant": "acme"}, {"tenant": "", "sub": "ana"}, {"tenant": "acme", "sub": ""}, {"tenant": "acme", "sub": 7}, {"tenant": None, "sub": "ana"}):
        trial.expect("nobody_taken", f"owner_of {claims}", "Unauthorized", refusal(lambda: answer.owner_of(claims)))
    both = (AUDIT, PUBLISH)
    for scope, needed, expected in ((f"{AUDIT} {PUBLISH}", both, None), (f"{PUBLISH} x {AUDIT}", both, None), (AUDIT, (AUDIT,), None), ("", (), None),
                                    (AUDIT, both, "Forbidden"), ("", (AUDIT,), "Forbidden"), (f"{AUDIT}s", (AUDIT,), "Forbidden"), ("sites:", (AUDIT,), "Forbidden"),
                                    (None, (AUDIT,), "Forbidden"), ([AUDIT], (AUDIT,), "Forbidden"), (AUDIT.upper(), (AUDIT,), "Forbidden")):
        saw = refusal(lambda: answer.require_scopes({"scope": scope}, needed))
        trial.expect("scope_missed" if expected else "scope_refused", f"require_scopes of {scope!r}, needed {needed}", expected, saw)
    trial.expect("scope_missed", "require_scopes without the claim", "Forbidden", refusal(lambda: answer.require_scopes({}, both)))
    trial.expect("scope_refused", "require_scopes without the claim, when nothing is needed", None, refusal(lambda: answer.require_scopes({}, ())))
    try:
        answer.require_scopes({"scope": AUDIT}, both)
    except Forbidden as error:
        trial.expect("one_by_one", "the scopes that Forbidden names", both, error.scopes)


@check(points=4)
def hides_what_is_secret(answer, trial):
    pieces = (({"Authorization": MARKER}, "under a key"), ({"a": [{"b": {"ACCESS_TOKEN": MARKER}}]}, "deep inside"), ([["Cookie", MARKER], ["Accept", "x"]], "in a list of pairs"),
              ({"x-api-key": MARKER, "apiKey": MARKER, "client_secret": [MARKER], "password": {"a": MARKER}}, "under several names"), (f"GET https://x/y?token={MARKER}&b=1 done", "in a query"),
              (f"https://user:{MARKER}@x/y", "before a host"), (f"https://x/#access_token={MARKER}", "in a fragment"), (f"sent Bearer {MARKER} to x", "after Bearer"),
              (f'Authorization: Digest a="x,y", response="{MARKER}"', "in Digest"), (str({"Authorization": f"Basic {MARKER}"}), "in a dict that Python has printed"),
              (json.dumps({"deep": json.dumps({"token": MARKER})}), "in JSON inside JSON"), (f"Authorization: Bearer\n  {MARKER}\nnext", "on a second line"),
              (f"password={MARKER}", "after password="), (f"failed: api_key = '{MARKER}' (401)", "in quotes"), (f"token eyJhbGciOiJIUzI1NiJ9.{base64url(MARKER.encode())}.abc", "as a token"),
              ([["X-Api-Key", MARKER], ["authorization", MARKER]], "in pairs with other names"), (f"sent Basic {MARKER} to x", "after Basic, in a sentence"), (f"sent bearer {MARKER}", "after bearer"), (f'with Digest username="a", response="{MARKER}"', "in Digest, without a name before it"),
              (f"https://{MARKER}@github.com", "alone before a host"), (f"https://user:p@{MARKER}@x/", "before a host, with an @ in it"), (f"https://x/y?{MARKER}", "as a query"), (json.dumps([["Cookie", MARKER]]), "in a JSON list"),
              ({"password": 4711, "n": 1}, "that is a number"), (f"Cookie: a=1; sid={MARKER}", "in the second of two cookies"), (f"client_secret={MARKER}", "after client_secret="), (f"credential: {MARKER}", "after credential:"),
              (f'password="a\\"{MARKER}"', "behind an escaped quote"), ({f"https://x/?token={MARKER}": 1}, "in a key"), (f"X-Token-Value: {MARKER}", "after a name with more behind it"),
              ("".join(f"x {name}: {MARKER}\n" for name in ("Set-Cookie", "X-Auth-Token", "X-Signature")), "after headers' names"))
    hidden = lambda text: MARKER not in text and base64url(MARKER.encode()) not in text and "4711" not in text
    for value, where in pieces:
        saw = answer.redact(value)
        trial.require(hidden(str(saw)), "leaks", f"redact of a secret {where}", "no trace of it", str(saw))
        trial.require("redacted" in str(saw), "no_sign", f"redact of a secret {where}", f"{answer.HIDDEN} in its place", str(saw))
    inside = answer.redact(json.dumps({"token": "x", "n": 1}))
    trial.expect("no_json_left", "redact of a text that is JSON: a text, and the same, read again", (True, {"token": answer.HIDDEN, "n": 1}), (isinstance(inside, str), reread(inside)))
    around = answer.redact("GET https://x/y?k=v failed with 404")
    trial.require(isinstance(around, str) and around.startswith("GET https://x/y") and around.endswith("failed with 404"), "hides_all", "redact of 'GET https://x/y?k=v failed with 404'", "the rest of it", around)
    for word in ("." * 12_000, "a." * 8_000, "-" * 12_000, "token" * 4_000, "https://" * 3_000, "?" * 20_000, "eyJ" * 7_000, "a:" * 10_000, "[" * 10_000):
        began = time.process_time()
        answer.redact(word)
        trial.require(time.process_time() - began < 1.0, "stops_the_server", f"redact of {len(word)} letters like {word[:12]!r}", "an answer in less than a second", "one that took longer; with twice the letters it takes four times as long")
    for harmless in ("tools/call of task_0123 took 5 ms", {"method": "tasks/get", "urls": 6, "none": None, "list": [1, 2.5, True]}, "3 de 8 URLs auditadas", ["a", "b"], 7, None, "https://x/y",
                     "why? because", "a = b"):
        trial.expect("hides_all", "redact of something harmless", harmless, answer.redact(harmless))
    original = {"a": {"token": "x"}}
    copied = answer.redact(original)
    trial.expect("changes_its_argument", "the argument of redact afterwards", {"a": {"token": "x"}}, original)
    trial.require(copied is not original, "changes_its_argument", "what redact gives", "a copy", "the same object")


def reread(text: Any) -> Any:
    """The JSON in a text, or the text."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def fields_of(header: Any) -> Any:
    """A challenge's fields, or the header if it is none."""
    if not isinstance(header, str) or not re.fullmatch(r'Bearer \w+="[^"]*"(, *\w+="[^"]*")*', header):
        return header
    return dict(re.findall(r'(\w+)="([^"]*)"', header))


@check(points=3)
def says_what_is_missing(answer, trial):
    where = "http://127.0.0.1:8013/.well-known/oauth-protected-resource/mcp"
    trial.expect("wrong_challenge", "challenge(authority)", {"scope": AUDIT, "resource_metadata": where}, fields_of(answer.challenge(HOUSE)))
    full = {"error": "insufficient_scope", "scope": f"{AUDIT} {PUBLISH}", "resource_metadata": where, "error_description": "more"}
    trial.expect("wrong_challenge", "challenge with everything", full, fields_of(answer.challenge(HOUSE, "insufficient_scope", (AUDIT, PUBLISH), "more")))
    elsewhere = Authority("https://i.example", "https://mcp.example/a/mcp", KEY)
    trial.expect("wrong_challenge", "challenge of another server, for no scope", {"resource_metadata": "https://mcp.example/.well-known/oauth-protected-resource/a/mcp"},
                 fields_of(answer.challenge(elsewhere, scopes=())))
    with guarded(answer, trial) as (caller, authority):
        metadata = json.loads(urllib.request.urlopen(caller.server.url.replace("/mcp", "/.well-known/oauth-protected-resource/mcp"), timeout=5).read())
        trial.expect("no_metadata", "the metadata that anybody may read: resource", authority.audience, metadata["resource"])
        for token, expected in (("", (401, None)), ("nonsense", (401, "invalid_token")), (issue(authority, time.time() - 9_999, "ana"), (401, "invalid_token"))):
            status, header, _ = raw(caller.server, token, "tools/list", {})
            fields = fields_of(header)
            trial.require(isinstance(fields, dict), "no_challenge", f"tools/list with the token {token[:9]!r}: WWW-Authenticate", "Bearer and fields", str(header))
            trial.expect("wrong_status", f"tools/list with the token {token[:9]!r}: (HTTP status, error)", expected, (status, fields.get("error")))
        token = issue(authority, time.time(), "ana", scopes=(AUDIT,))
        call = {"name": "site", "arguments": {"urls": [], "publicar": True}}
        status, header, _ = raw(caller.server, token, "tools/call", call)
        trial.expect("scope_not_asked", "a call that publishes, with a token for auditing: (HTTP status, error, scope)", (403, "insufficient_scope", f"{AUDIT} {PUBLISH}"),
                     (status, *(dict(fields_of(header) or {}).get(name) for name in ("error", "scope"))))
        status, _, _ = raw(caller.server, "", f"tools/list?access_token={token}", {})
        trial.expect("token_in_the_url", "tools/list with a good token in the URL: HTTP status", 401, status)


def publishing(arguments: dict) -> tuple[str, ...]:
    """The scopes of the tool `site`."""
    return (AUDIT, PUBLISH) if arguments.get("publicar") else (AUDIT,)


def leaky(arguments: dict, ctx: main.Context) -> dict:
    """A tool that is careless with what it was given."""
    kind = arguments.get("kind")
    if kind == "wait":
        main.rest(ctx, 60.0)
    if kind == "raises":
        raise ValueError(f"cannot fetch https://x/?key={MARKER} with Authorization: Digest a=\"x,y\", response=\"{MARKER}\"")
    if kind == "says":
        raise main.ToolError(f"https://user:{MARKER}@x/ refused token={MARKER}")
    if kind == "rpc":
        raise main.RpcError(main.INTERNAL_ERROR, f"gone: Bearer {MARKER}", {"headers": {"Authorization": MARKER}})
    ctx.progress(0.5, f"at https://x/?token={MARKER}")
    return main.text_result("done")


URLS = {"type": "object", "properties": {"urls": {"type": "array"}, "publicar": {"type": "boolean"}, "kind": {"type": "string"}}}


@contextlib.contextmanager
def guarded(answer: Any, trial: Trial) -> Iterator[tuple[Caller, Authority]]:
    """A server that takes tokens, and what it trusts."""
    authority = dataclasses.replace(HOUSE, key=b"g" * 32)
    tools = {"site": Tool2026("site", "s", "s", URLS, "required", leaky, scopes=publishing), "quick": Tool2026("quick", "q", "q", URLS, "forbidden", leaky)}
    with running(trial, tools, dataclasses.replace(solutions(), owners=answer), authority=authority) as caller:
        yield caller, authority


def raw(server: Any, token: str, method: str, params: dict) -> tuple[int, str | None, bytes]:
    """(HTTP status, WWW-Authenticate, body) of a request with this token."""
    method, _, query = method.partition("?")
    client = main.Client(server.url, wire=main.MODERN, token=token)
    message = client.frame({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    request = urllib.request.Request(server.url + ("?" + query if query else ""), main.encode(message), client.headers(message))
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.headers.get("WWW-Authenticate"), response.read()
    except urllib.error.HTTPError as error:
        return error.code, error.headers.get("WWW-Authenticate"), error.read()


@check(points=4)
def keeps_strangers_out(answer, trial):
    with guarded(answer, trial) as (caller, authority):
        token = lambda subject, tenant="acme", **more: issue(authority, time.time(), subject, tenant, **more)
        ana = token("ana", lives_s=600)
        created = json.loads(raw(caller.server, ana, "tools/call", {"name": "site", "arguments": {"urls": [], "kind": "wait"}})[2])
        task_id = created.get("result", {}).get("taskId")
        trial.require(task_id, "not_created", "tools/call with a good token", "a task", str(created.get("error")))
        nowhere = "task_" + "0" * 32
        for who, stranger in (("another subject", token("bob")), ("another tenant", token("ana", "other"))):
            for method, more in (("tasks/get", {}), ("tasks/update", {"inputResponses": {}}), ("tasks/cancel", {})):
                theirs, never = (raw(caller.server, stranger, method, {"taskId": one, **more}) for one in (task_id, nowhere))
                trial.note(who, f"{method} of ana's task", f"HTTP {theirs[0]}")
                trial.expect("not_theirs", f"{method} by {who}: is it answered like one that never was, byte for byte?", True, theirs == never)
            heard = raw(caller.server, stranger, "subscriptions/listen", {"notifications": {"taskIds": [task_id]}})[2]
            trial.expect("heard_by_others", f"subscriptions/listen by {who}: is the id in what comes?", False, task_id.encode() in heard)
        mine = json.loads(raw(caller.server, token("ana"), "tasks/get", {"taskId": task_id})[2])
        trial.expect("not_mine_tomorrow", "tasks/get by the same person with another token: status", "working", mine.get("result", {}).get("status"))
        caller.server.table._clock = lambda: time.time() + 3_000
        trial.expect("opens_for_ever", "tasks/get with the first token after its end: HTTP status", 401, raw(caller.server, ana, "tasks/get", {"taskId": task_id})[0])
        fresh = issue(authority, time.time() + 3_000, "ana", "acme")
        mine = json.loads(raw(caller.server, fresh, "tasks/get", {"taskId": task_id})[2])
        trial.expect("not_mine_tomorrow", "tasks/get with a new token after that: status", "working", mine.get("result", {}).get("status"))
        raw(caller.server, fresh, "tasks/cancel", {"taskId": task_id})


@check(points=3)
def checks_whose_code_it_is(answer, trial):
    here, says_so = "https://as.example", {"authorization_response_iss_parameter_supported": True}

    def verdict(metadata: dict, response: dict) -> str:
        try:
            answer.check_issuer(here, metadata, response)
        except ValueError:
            return "refused"
        return "used"
    for metadata, response, expected in ((says_so, {"code": "c", "iss": here}, "used"), (says_so, {"code": "c"}, "refused"), ({}, {"code": "c"}, "used"),
                                         ({}, {"code": "c", "iss": here}, "used"), ({}, {"code": "c", "iss": "https://evil.example"}, "refused"),
                                         (says_so, {"code": "c", "iss": here + "/"}, "refused"), (says_so, {"code": "c", "iss": here.upper()}, "refused"),
                                         (says_so, {"code": "c", "iss": here + ":443"}, "refused"), (says_so, {"error": "denied", "iss": "https://evil.example"}, "refused"),
                                         (says_so, {"error": "denied"}, "refused"), ({}, {"code": "c", "iss": ""}, "refused"),
                                         ({"authorization_response_iss_parameter_supported": False}, {"code": "c"}, "used"),
                                         ({"issuer": "https://evil.example"}, {"code": "c", "iss": "https://evil.example"}, "refused")):
        trial.expect("mixed_up" if expected == "refused" else "good_refused", f"check_issuer({here!r}, {metadata}, {response})", expected, verdict(metadata, response))
    mine, document, everything = {here: {"client_id": "7"}}, "https://app.example/client.json", {"client_id_metadata_document_supported": True, "registration_endpoint": here + "/register"}
    for arguments, expected, mistake in (((here, everything, mine, document), ("registered", {"client_id": "7"}), "not_preferred"), ((here, everything, {}, document), ("document", document), "not_preferred"),
                                         (("https://new.example", everything, mine, document), ("document", document), "others_credentials"),
                                         (("https://new.example", {"registration_endpoint": "r"}, mine, document), ("register", "r"), "document_unsupported"),
                                         ((here, {**everything, "client_id_metadata_document_supported": False}, {}, document), ("register", here + "/register"), "document_unsupported"),
                                         ((here, everything, {}, None), ("register", here + "/register"), "no_document"), ((here, {}, {}, document), ("ask", None), "nothing_left"),
                                         ((here + "/", {}, mine, None), ("ask", None), "others_credentials")):
        trial.expect(mistake, f"client_id_for{arguments}", expected, answer.client_id_for(*arguments))


@check(points=3)
def one_secret_is_found_nowhere(answer, trial):
    stream, log = io.StringIO(), logging.getLogger("lesson-13")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLines(answer.redact))
    log.addHandler(handler)
    level = log.level
    log.setLevel(logging.INFO)
    said = []
    try:
        with guarded(answer, trial) as (caller, authority):
            token = issue(authority, time.time(), "ana", "acme", jti=MARKER)
            for name, kinds in (("site", ("raises", "says", "rpc", "")), ("quick", ("raises", "says", "rpc"))):
                for kind in kinds:
                    _, header, body = raw(caller.server, token, "tools/call", {"name": name, "arguments": {"kind": kind, "urls": [f"https://x/?key={MARKER}"]}})
                    said.append(f"{header} {body.decode()}")
                    task_id = json.loads(body).get("result", {}).get("taskId")
                    trial.require(name != "site" or task_id, "never_arrived", "tools/call with a good token", "a task", body.decode()[:200])
                    for _ in range(500 if task_id else 0):
                        said[-1] = raw(caller.server, token, "tasks/get", {"taskId": task_id})[2].decode()
                        if '"working"' not in said[-1]:
                            break
                        time.sleep(0.01)
            said += [str(raw(caller.server, other, "tools/list", {})) for other in (f"{token[:-3]}.{MARKER}", MARKER, f"x.{MARKER}.y")]
            said.append(raw(caller.server, token, "tools/call", {"name": f"no?token={MARKER}"})[2].decode())
            with sqlite3.connect(caller.server.table.file) as db:
                rows = str(db.execute("SELECT * FROM mcp_tasks").fetchall())
            db.close()
    finally:
        log.removeHandler(handler)
        log.setLevel(level)
    for what, text in (("the answers", " ".join(said)), ("the log", stream.getvalue()), ("the rows of finished tasks", rows)):
        found = re.search(f".{{0,60}}{MARKER}.{{0,20}}", text)
        trial.require(found is None, "found", f"one secret, looked for in {what}", "no trace of it", found and found[0])
    trial.require(stream.getvalue().count('"event": "request"') >= 9, "silent", "the log of nine calls", "a line each", stream.getvalue()[:200])
