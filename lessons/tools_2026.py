"""What the 2026-07-28 server offers: the tools of main.py, unchanged, and auditar_site."""
from __future__ import annotations

import main
from lessons.auditar_site import AUDITAR_SITE

TOOLS = {**main.TOOLS, AUDITAR_SITE.name: AUDITAR_SITE}
