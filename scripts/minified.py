"""Makes the board's script as it is served from its readable parts, for ``generated.py``."""

from __future__ import annotations

from pathlib import Path

import minify

from equipoise.pages.html.board import MINIFIED, SCRIPTS

FOLDER = Path("src/equipoise/pages/html/board")
ROOT = Path(__file__).resolve().parent.parent


def made() -> dict[str, str]:
    """Return the script by its path, a line for each part; what its parts share keeps its name."""
    parts = ((ROOT / FOLDER / name).read_text(encoding="utf-8") for name in SCRIPTS)
    lines = [minify.string("application/javascript", part) for part in parts]
    return {str(FOLDER / MINIFIED): "".join(f"{line}\n" for line in lines)}
