"""A folder of pages that was written from an archive: its manifest, and keeping it right after corrections.

The manifest lists every page with the hash of what was written.  What is not listed is never touched; nor is
a listed page that somebody else has changed since; a warning names it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from equipoise.core.plain_data import printable
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.pages.html.site import Site

#: The name of the manifest in its folder, and its layout.
MANIFEST, FORMAT = "equipoise-pages.json", 1

#: The page of the board, and what stands for the hash of a page that was about to be written.
BOARD, BEING_WRITTEN = "board.html", ""

#: How the folders to which an archive was written are kept among its places.
PLACE = "pages:"


class Written(NamedTuple):
    """What became of a folder: how many pages it has, how many were removed, and which were left."""

    pages: int
    removed: int
    left: tuple[str, ...]


def site_of(archive: Archive, split: float | None) -> Site:
    """Return the pages of an archive."""
    from equipoise.pages.html.site import Site
    from equipoise.ratings.timeline import chronicle_of

    if archive.writable and archive.is_behind():
        archive.update_ratings()
    names = archive.standing().names
    return Site(chronicle_of(archive.model, archive.matches(), names), split=split)


def write_site(archive: Archive, folder: Path, split: float | None) -> Written:
    """Write a page for everything, and the board; remove pages of before that are no longer right."""
    before = listed(folder)
    pages: dict[str, str] = {}
    left: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    site = site_of(archive, split)
    _keep(folder, {**before, **dict.fromkeys((BOARD, *site.paths()), BEING_WRITTEN)})
    for path, page in _pages(site):
        content = page.encode()
        pages[path] = _hash(content)
        target = folder / path
        if target.is_file() and _hash(target.read_bytes()) == pages[path]:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    removed = 0
    for path in before.keys() - pages.keys():
        target = folder / path
        if not target.is_file():
            continue
        if before[path] not in (BEING_WRITTEN, _hash(target.read_bytes())):
            left.append(path)
            continue
        target.unlink()
        removed += 1
    _keep(folder, pages)
    return Written(len(pages), removed, tuple(sorted(left)))


def _pages(site: Site) -> Iterator[tuple[str, str]]:
    from equipoise.pages.html.board import board_html

    yield BOARD, board_html()
    for path in site.paths():
        page = site.page(path)
        if page is not None:
            yield path, page


def listed(folder: Path) -> dict[str, str]:
    """Return the pages of a folder with their hashes, none where it has no manifest.

    Raises
    ------
    InputError
        If the manifest is that of something else.
    """
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        pages = {str(name): str(each) for name, each in plain["pages"].items()}
        if plain["format"] != FORMAT or not all(map(_is_inside, pages)):
            raise ValueError
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        msg = f": {path} is not a list of pages that equipoise wrote; remove it, or name another folder"
        raise InputError(msg, "out") from error
    return pages


def _is_inside(path: str) -> bool:
    """Tell whether a path stays in its folder: a manifest may have been changed."""
    parts = Path(path).parts
    return bool(parts) and not Path(path).is_absolute() and ".." not in parts


def _keep(folder: Path, pages: dict[str, str]) -> None:
    text = json.dumps({"format": FORMAT, "pages": dict(sorted(pages.items()))}, indent=1)
    (folder / f"{MANIFEST}.new").write_text(f"{text}\n", encoding="utf-8")
    (folder / f"{MANIFEST}.new").replace(folder / MANIFEST)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def remember(archive: Archive, folder: Path, split: float | None) -> None:
    """Note in an archive where its pages were written, so that corrections reach them."""
    name = str(folder.resolve())
    place = {"folder": name, "split": split}
    if archive.writable and archive.place(PLACE + name) != place:
        archive.keep_place(PLACE + name, place)


def renew(archive: Archive, warn: Callable[[str], None]) -> None:
    """Write again the pages of an archive that were corrected, where their folders are; say what was done."""
    for place in archive.places(PLACE):
        folder = Path(place["folder"])
        if not (folder / MANIFEST).is_file():
            warn(f"pages were written to {folder}, which is not here; write them again there")
            continue
        try:
            written = write_site(archive, folder, place["split"])
        except (OSError, InputError) as error:
            warn(f"the pages in {folder} could not be written again: {error}")
            continue
        warn(f"{folder}: {written.pages} pages are right again, {written.removed} removed")
        say_left(folder, written.left, warn)


def say_left(folder: Path, left: Iterable[str], warn: Callable[[str], None]) -> None:
    """Say which pages somebody else has changed, so that they stay."""
    for path in left:
        shown = printable(str(folder / path))
        warn(f"{shown} was changed by somebody else and stays; it is no page of the archive now")
