"""What the 2026-07-28 server offers: the tools of main.py, unchanged, and auditar_site."""
from __future__ import annotations

import main
from lessons.auditing import auditar_site
from lessons.pieces import Pieces


def tools_of(pieces: Pieces) -> dict[str, main.Tool]:
    """All tools by name, with the exercises' pieces in them."""
    return {**main.TOOLS, "auditar_site": auditar_site(pieces.audit)}
