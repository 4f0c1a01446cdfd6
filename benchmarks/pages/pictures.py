"""Pictures to look at: a page of each kind at phone and desk size, light and dark, and as it is printed.

``python -m benchmarks pictures SITE OUT`` takes the largest page of each kind in a folder that
``equipoise pages`` wrote, and writes PNG and PDF files into another.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.pages.browsers import Browser

#: Sizes of a phone and a desk.
SIZES = ((390, 844), (1280, 900))


def kinds(site: Path) -> dict[str, Path]:
    """Return the largest page of each kind, indices apart."""
    pages: dict[str, Path] = {}
    for path in sorted(site.rglob("*.html"), key=lambda path: path.stat().st_size):
        folder = path.parent.name if path.parent != site else ""
        pages[f"{folder}-index" if folder and path.stem == "index" else folder or path.stem] = path
    return pages


def main() -> int:
    """Take the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path, help="a folder that 'equipoise pages' wrote")
    parser.add_argument("out", type=Path, help="where the pictures go")
    given = parser.parse_args()
    site, out = given.site, given.out
    out.mkdir(parents=True, exist_ok=True)
    with Browser() as browser:
        for name, page in kinds(site).items():
            browser.open(page.absolute().as_uri())
            for width, height in SIZES:
                for dark in (False, True):
                    browser.look(width, height, dark=dark)
                    browser.picture(out / f"{name}-{width}-{'dark' if dark else 'light'}.png")
            browser.printed(out / f"{name}.pdf")
    return 0
