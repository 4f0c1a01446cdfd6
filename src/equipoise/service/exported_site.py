"""A folder of pages that was written from an archive: its manifest, and keeping it right after corrections.

The archive notes with each correction which folders are due, until their pages are written again.
The manifest lists every page with the hash of what was written.  What is not listed is never touched; nor is
a listed page that somebody else has changed since; a warning names it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from equipoise.core.plain_data import printable
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.archive.kept_chronicle import KeptChronicle
    from equipoise.pages.html.site import Site

#: The name of the manifest in its folder, its layout, and earlier ones that are read.
MANIFEST, FORMAT, READ = "equipoise-pages.json", 2, (1, 2)

#: The name of the list of pages that are being written; it is there while they are.
UNDER_WAY = "equipoise-pages.writing"

#: The page of the board, and what stands for the hash of a page that was about to be written.
BOARD, BEING_WRITTEN = "board.html", ""


class Written(NamedTuple):
    """What became of a folder: how many pages it has, and were written or removed, and which were left."""

    pages: int
    written: int
    removed: int
    left: tuple[str, ...]


class Manifest(NamedTuple):
    """What a folder has.

    Parameters
    ----------
    pages : dict
        The hash of each page.
    of : tuple of str
        What the pages follow from besides matches: the lineage of the chronicle, and how pages are made.
    matches : int
        How many matches they are of.
    """

    pages: dict[str, str]
    of: tuple[str, ...] = ()
    matches: int = 0


def site_of(archive: Archive, split: float | None, *, language: str = "en") -> tuple[Site, KeptChronicle]:
    """Return the pages of an archive, and the chronicle that they show."""
    from equipoise.pages.html.site import Site

    known = archive.keep_chronicle(archive.chronicle(whole=False))
    return Site(known.chronicle, language=language, split=split), known


def write_site(archive: Archive, folder: Path, split: float | None, language: str = "en") -> Written:
    """Write a page for everything, and the board; remove pages of before that are no longer right.

    Of a folder that was written before only those pages are made that matches since have changed, where
    nothing else has.
    """
    from equipoise.pages.html.changed_pages import changed_pages, look

    keep_compiled_templates()
    before = listed(folder)
    left: list[str] = []
    folder.mkdir(parents=True, exist_ok=True)
    site, known = site_of(archive, split, language=language)
    of = (known.lineage, look(), repr(split), language)
    goes_on = before.of == of and before.matches <= len(known.chronicle)
    if goes_on:
        there = _there(folder)
        due = before.pages.keys() - there
        due.update(path for path, given in before.pages.items() if given == BEING_WRITTEN)
        due.update(changed_pages(site, before.matches))
    else:
        due = {BOARD, *site.paths()}
    pages = dict(before.pages) if goes_on else {}
    if due or not goes_on:
        begun = due.union(path for path, given in before.pages.items() if given == BEING_WRITTEN)
        _put(folder / UNDER_WAY, msgspec.json.encode(sorted(begun)))
    written = 0
    for path in sorted(due):
        page = _page(site, path)
        if page is None:
            continue
        content = page.encode()
        pages[path] = _hash(content)
        target = folder / path
        if target.is_file() and _hash(target.read_bytes()) == pages[path]:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        written += 1
    removed = 0
    for path in before.pages.keys() - pages.keys():
        target = folder / path
        if not target.is_file():
            continue
        if before.pages[path] not in (BEING_WRITTEN, _hash(target.read_bytes())):
            left.append(path)
            continue
        target.unlink()
        removed += 1
    if due or not goes_on:
        keep_manifest(folder, Manifest(pages, of, len(known.chronicle)))
        (folder / UNDER_WAY).unlink(missing_ok=True)  # another process may have written the same
    return Written(len(pages), written, removed, tuple(sorted(left)))


def keep_compiled_templates() -> None:
    """Compile the templates of pages once for all processes of this user, where there is a place for that."""
    from jinja2 import FileSystemBytecodeCache

    from equipoise.pages.html.site import environment

    with contextlib.suppress(OSError, RuntimeError):  # the folder is not this user's alone
        environment().bytecode_cache = FileSystemBytecodeCache()


def _page(site: Site, path: str) -> str | None:
    from equipoise.pages.html.board import board_html

    return board_html() if path == BOARD else site.page(path)


def _there(folder: Path) -> set[str]:
    """Return the paths of all files of a folder and of those in it."""
    found: set[str] = set()
    for each in os.scandir(folder):
        if each.is_dir():
            found.update([f"{each.name}/{name}" for name in os.listdir(each.path)])
        else:
            found.add(each.name)
    return found


def listed(folder: Path) -> Manifest:
    """Return what a folder has, nothing where it has no manifest.

    Raises
    ------
    InputError
        If the manifest is that of something else.
    """
    path, begun = folder / MANIFEST, folder / UNDER_WAY
    try:
        found = Manifest({})
        if path.exists():
            kept = msgspec.json.decode(path.read_bytes(), type=_Kept)
            if kept.format not in READ:
                raise ValueError
            found = Manifest(kept.pages, kept.of, kept.matches)
        if begun.exists():  # an export was interrupted
            due = msgspec.json.decode(begun.read_bytes(), type=list[str])
            found.pages.update(dict.fromkeys(due, BEING_WRITTEN))
        if not _are_inside(found.pages):
            raise ValueError
        return found
    except (ValueError, msgspec.MsgspecError) as error:
        msg = f": {path} is not a list of pages that equipoise wrote; remove it, or name another folder"
        raise InputError(msg, "out") from error


class _Kept(msgspec.Struct):
    """The manifest in its file."""

    format: int
    pages: dict[str, str]
    of: tuple[str, ...] = ()
    matches: int = 0


def _are_inside(paths: Iterable[str]) -> bool:
    """Tell whether paths stay in their folder: a manifest may have been changed."""
    every = "\n" + "".join([f"{path}\n" for path in paths])
    return not any(sign in every for sign in ("..", ":", "\n/", "\n\n", "\\"))


def keep_manifest(folder: Path, kept: Manifest) -> None:
    """Write the list of a folder's pages, as a whole or not at all."""
    pages = {path: kept.pages[path] for path in sorted(kept.pages)}
    plain = _Kept(FORMAT, pages, kept.of, kept.matches)
    _put(folder / MANIFEST, msgspec.json.format(msgspec.json.encode(plain), indent=1) + b"\n")


def _put(path: Path, content: bytes) -> None:
    """Write a file, as a whole or not at all."""
    new = path.with_name(f"{path.name}.new")
    new.write_bytes(content)
    new.replace(path)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def export(archive: Archive, folder: Path, split: float | None, language: str = "en") -> Written:
    """Write the pages of an archive to a folder, see :func:`write_site`, which corrections reach from now on.

    The archive knows of the folder before anything is there, so that they reach it after a kill too.
    """
    name = str(folder.resolve())
    asked = {"folder": name, "split": split, "language": language}
    before = next((site for site in archive.sites() if site["folder"] == name), {})
    if archive.writable and asked.items() - before.items():
        archive.keep_site(asked)
    due = next((site.get("due") for site in archive.sites() if site["folder"] == name), None)
    try:
        written = write_site(archive, folder, split, language)
    except (OSError, ValueError):
        if archive.writable and not before and not _is_begun(folder):
            archive.let_go_of_site(name)
        raise
    if due is not None and archive.writable:
        archive.end_site(name, due)
    return written


def _is_begun(folder: Path) -> bool:
    """Tell whether there is anything in a folder that equipoise has written there."""
    return (folder / MANIFEST).is_file() or (folder / UNDER_WAY).is_file()


@contextlib.contextmanager
def corrected(archive: Archive, say: Callable[[str], None]) -> Iterator[None]:
    """Finish what a correction within makes due, or where it is refused, what an earlier one has left."""
    try:
        yield
    except InputError:
        finish(archive, say)
        raise
    finish(archive, say)


def finish(archive: Archive, say: Callable[[str], None], *, missing: bool = True) -> None:
    """Write again the pages that corrections have made wrong, where their folders are; say what was done.

    Whoever was killed in the middle of a correction has left some; what is forgotten is then scrubbed first.

    Parameters
    ----------
    archive : Archive
        One that may be read alone is left as it is.
    say : callable
        Called with what was done, and what could not be.
    missing : bool
        Whether to say which folders are not here.
    """
    if not archive.writable:
        return
    try:
        if archive.scrub():
            say("the archive is rewritten without who was forgotten: that was interrupted")
    except InputError as error:
        say(f"what was forgotten could not be overwritten in the archive: {error}")
    for site in archive.sites():
        if site.get("due") is not None:
            _write_again(archive, site, say, missing=missing)


def _write_again(
    archive: Archive, site: Mapping[str, Any], say: Callable[[str], None], *, missing: bool
) -> None:
    """Write the pages of one folder again; they stay due if it is not here or not writable."""
    folder = Path(site["folder"])
    if not _is_begun(folder):
        if missing:
            say(f"pages were written to {folder}, which is not here; write them again there")
        return
    try:
        written = write_site(archive, folder, site["split"], site.get("language", "en"))
    except (OSError, InputError) as error:
        say(f"the pages in {folder} could not be written again: {error}")
        return
    archive.end_site(site["folder"], site["due"])
    say(f"{folder}: {written.pages} pages are right again, {written.removed} removed")
    say_left(folder, written.left, say)


def say_left(folder: Path, left: Iterable[str], warn: Callable[[str], None]) -> None:
    """Say which pages somebody else has changed, so that they stay."""
    for path in left:
        shown = printable(str(folder / path))
        warn(f"{shown} was changed by somebody else and stays; it is no page of the archive now")
