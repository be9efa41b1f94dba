"""What the 2026-07-28 server offers: the tools of main.py, unchanged, and auditar_site."""
from __future__ import annotations

import dataclasses

import main
from lessons.auditing import auditar_site
from lessons.authorization import FILES
from lessons.pieces import Pieces
from lessons.server_2026 import Tool2026, modern


def reading(arguments: dict) -> tuple[str, ...]:
    """What a token must allow: the lab's own texts are for everybody, a folder of the server is not."""
    return (FILES,) if "folder" in arguments else ()


def tools_of(pieces: Pieces) -> dict[str, Tool2026]:
    """All tools by name, with the exercises' pieces in them."""
    files = {name: dataclasses.replace(modern(tool), scopes=reading) for name, tool in main.TOOLS.items()}
    return {**files, "auditar_site": auditar_site(pieces.audit)}
