# caught by: hides_what_is_secret/no_sign
"""Takes secrets out so that nobody sees there were any."""
import json

from lessons.ex11_owners_and_scopes.solution import *


def redact(value):
    if isinstance(value, dict):
        return {key: redact(item) for key, item in value.items() if not SECRET_NAME.search(key)}
    if isinstance(value, (list, tuple)):
        if len(value) == 2 and isinstance(value[0], str) and SECRET_NAME.search(value[0]):
            return [value[0], HIDDEN]          # a list of pairs, as headers often are
        return [redact(item) for item in value]
    return redact_text(value) if isinstance(value, str) else value


def redact_text(text):
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.dumps(redact(json.loads(text)), ensure_ascii=False)
        except (ValueError, RecursionError):
            pass
    for pattern, instead in SECRET_TEXT:
        text = pattern.sub(instead, text)
    return text
