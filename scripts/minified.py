"""Makes the board's script as it is served from its readable parts, for ``generated.py``."""

from __future__ import annotations

from pathlib import Path

import minify

from equipoise.pages.html.board import MINIFIED, SCRIPTS

FOLDER = Path("src/equipoise/pages/html/board")
#: What every part begins with, after its comment.
STRICT = '"use strict";\n'
ROOT = Path(__file__).resolve().parent.parent


def made() -> dict[str, str]:
    """Return the script by its path: all parts as one function, so that what they share is short too."""
    parts = ((ROOT / FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    whole = "".join(part.replace(STRICT, "") for part in parts)
    short = minify.string("application/javascript", f"(()=>{{{STRICT}{whole}}})()")
    return {str(FOLDER / MINIFIED): f"{short}\n"}
