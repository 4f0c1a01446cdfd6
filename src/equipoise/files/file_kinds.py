"""What a file is, by its first bytes: a wrong kind of file is named in one line, with what reads it.

Only kinds that are certain are here.  Whatever else is wrong with a file, its reader says.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from equipoise.core.plain_data import OF_ALL
from equipoise.errors import InputError
from equipoise.files.result_titles import are_results, result_title
from equipoise.teams.request_fields import all_fields

#: Bytes that are looked at.
HEAD = 1 << 16  # effort


class FileKind(NamedTuple):
    """What a file is.

    Parameters
    ----------
    name : str
        What readers that take this kind call it.
    shown : str
        What messages call it, as ``"a picture (PNG)"``.
    remedy : str
        What reads it, or what to do.
    """

    name: str
    shown: str
    remedy: str


#: What each reader takes; kinds that are not certain are left to it.
READERS: Mapping[str, frozenset[str]] = {
    "players": frozenset({"players"}),
    "plan": frozenset({"players", "lobbies"}),
    "matches": frozenset({"matches", "parquet", "arrays", "results", "spreadsheet"}),
    "logs": frozenset({"log", "matches", "compressed", "zip"}),
    "results": frozenset({"results", "spreadsheet"}),
    "receipt": frozenset({"receipt"}),
    "request": frozenset({"request"}),
    "export": frozenset({"parquet"}),
}

_AS_TEXT = "copy its text into a file"
_COMPRESSED = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"BZh": "bzip2", b"\x28\xb5\x2f\xfd": "zstd"}
_PICTURES = {
    b"\x89PNG\r\n": "PNG", b"\xff\xd8\xff": "JPEG", b"GIF8": "GIF", b"BM": "BMP", b"RIFF": "WebP",
}  # fmt: skip
_SPREADSHEET = FileKind(
    "spreadsheet",
    "a spreadsheet",
    "save it as CSV ('equipoise import-results' reads past results from it as it is)",
)
#: What a zip file is, by the names of what it holds, and of old files of an office suite nothing but that.
_ZIPPED = {
    b"xl/": _SPREADSHEET,
    b"application/vnd.oasis.opendocument.spreadsheet": _SPREADSHEET,
    b"word/": FileKind("document", "a text document", _AS_TEXT),
    b"application/vnd.oasis.opendocument.text": FileKind("document", "a text document", _AS_TEXT),
    b".npy": FileKind("arrays", "a file of matches as arrays", "'equipoise rate' reads it"),
}
#: What a request has beside its players, and a roster has not: a roster has its scale too.
_ASKED = frozenset(all_fields()) - {*OF_ALL}
_MATCHES = FileKind("matches", "a file of matches", "'equipoise rate' and 'equipoise ingest' read it")
_RESULTS = FileKind(
    "results", "a table of results", "'equipoise rate' and 'equipoise import-results' read it"
)
_LOBBIES = FileKind("lobbies", "a table of lobbies", "'equipoise lobbies' fills them with players")
_RECEIPT = FileKind("receipt", "a receipt", "'equipoise verify' checks it")
_PLAYERS = FileKind("players", "a list of players", "'equipoise balance' divides them")


def check(content: bytes, where: str, reader: str) -> None:
    r"""Refuse a file of another kind than a reader takes.

    Parameters
    ----------
    content : bytes
        The file, or its beginning.
    where : str
        What messages call it.
    reader : str
        One of :data:`READERS`.

    Raises
    ------
    InputError
        If it is of a kind that something else reads.

    Examples
    --------
    >>> check(b":logversion:3\n:gamestart:tdm_aggressor:1\n", "games.log", "matches")
    Traceback (most recent call last):
    equipoise.errors.InputError: games.log is the log of a Nexuiz server; 'equipoise ingest' reads it
    """
    if (wrong := mistaken(content, where, reader)) is not None:
        raise InputError(wrong)


def mistaken(content: bytes, where: str, reader: str) -> str | None:
    """Return what to say of a file that is of another kind than a reader takes; None of all others."""
    kind = kind_of(content, where)
    # A request may be no more than its players.
    asks = reader == "players" or (reader == "request" and b"players" in content[:HEAD])
    if kind is None and not asks and _lists_players(content):
        kind = _PLAYERS
    if kind is None or kind.name in READERS[reader]:
        return None
    return f"{where} is {kind.shown}; {kind.remedy}"


def kind_of(content: bytes, where: str = "FILE") -> FileKind | None:
    r"""Return what a file is that no text of names is, None where that is not certain.

    Parameters
    ----------
    content : bytes
        The file, or its beginning.
    where : str
        Its path, for what is to be typed.

    Examples
    --------
    >>> kind_of(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").shown
    'a picture (PNG)'
    """
    head = content[:HEAD]
    text = head.lstrip(b" \t\r\n\xef\xbb\xbf")
    if text[:1] in (b"{", b"["):
        return _json_kind(content, text, where)
    if text[:1] == b"<":
        return _marked_up(text[:1000].lower())
    return _binary(head, content, where) or _table(text) or _log(head)


def _binary(head: bytes, content: bytes, where: str) -> FileKind | None:
    """Return what a file is by the bytes that its format begins with."""
    if head.startswith(b"SQLite format 3\0"):
        return FileKind("archive", "an SQLite database", f"an archive is given as --store sqlite:///{where}")
    if head.startswith(b"PAR1"):
        return FileKind(
            "parquet",
            "a Parquet file",
            "'equipoise rate' reads matches from it, 'equipoise archive import' an archive",
        )
    if head.startswith(b"%PDF-"):
        return FileKind("document", "a PDF document", _AS_TEXT)
    if head.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return _SPREADSHEET
    if head.startswith(b"PK\x03\x04"):
        inside = (kind for mark, kind in _ZIPPED.items() if mark in content)
        return next(inside, FileKind("zip", "a zip archive", "unpack it first"))
    for magic, name in _COMPRESSED.items():
        if head.startswith(magic) and not head.isascii():
            return _unpacked(content) or FileKind("compressed", f"compressed ({name})", "unpack it first")
    for magic, name in _PICTURES.items():
        if head.startswith(magic) and b"\0" in head:
            return FileKind("picture", f"a picture ({name})", "write what it shows as text")
    return None


def _unpacked(content: bytes) -> FileKind | None:
    """Return what is compressed, where it is the log of a game."""
    import zlib

    with suppress(zlib.error):
        return _log(zlib.decompressobj(wbits=31).decompress(content, HEAD))
    return None


def _json_kind(content: bytes, text: bytes, where: str) -> FileKind | None:
    """Return what a file of JSON is."""
    if b'"equipoise receipt' in text:
        return _RECEIPT
    data = None
    for piece in (text.partition(b"\n")[0], content):
        with suppress(ValueError, RecursionError):
            data = json.loads(piece.decode("utf-8-sig"))
            break
    if isinstance(data, list):
        data = data[0] if data else None
    if not isinstance(data, dict):
        return None
    if "teams" in data and "players" not in data and not data.keys().isdisjoint(("ended", "ranks", "scores")):
        return _MATCHES
    if "players" in data and not data.keys().isdisjoint(_ASKED):
        return FileKind("request", "a request", f"'equipoise balance --request {where}' answers it")
    return None


def _marked_up(text: bytes) -> FileKind | None:
    if b"<svg" in text:
        return FileKind("picture", "a picture (SVG)", "write what it shows as text")
    if b"<html" in text or b"<!doctype html" in text:
        return FileKind("document", "a web page", _AS_TEXT)
    return None


def _table(text: bytes) -> FileKind | None:
    """Return what a table is, by the names of its columns."""
    first, _, rest = text.partition(b"\n")
    titles_line = rest.partition(b"\n")[0] if first.lower().startswith(b"sep=") else first
    header = titles_line.decode("utf-8", "replace").lower()
    titles = [cell.strip().strip('"') for cell in re.split(r"[,;\t]", header)]
    columns = set(titles)
    if columns >= {"match", "ended", "team", "player"}:
        return _MATCHES
    if "name" in columns and not columns.isdisjoint(("target", "min_teams", "max_teams")):
        return _LOBBIES
    if are_results(titles):
        return _RESULTS
    columns |= {result_title(each) for each in titles}
    outcome = {"result", "winner", "win", "winners", "score"}
    if "date" in columns and any(name in outcome or "score" in name for name in columns):
        return _RESULTS
    won = {"result", "winner", "winners"} & columns
    if won and (columns & {"match", "loser", "losers"} or not columns & {"name", "player", "nick", "weight"}):
        return _RESULTS
    return None


def _log(head: bytes) -> FileKind | None:
    """Return whether it is the log of a game that is known."""
    from equipoise.games.log_reader import guess_game

    with suppress(InputError):
        guess = guess_game(head)
        if guess.game.server:
            return FileKind("log", f"the log of {guess.game.server}", "'equipoise ingest' reads it")
    return None


def _lists_players(content: bytes) -> bool:
    """Tell whether a text is a list or a table of players and nothing else."""
    from equipoise.files.read_roster import parse_roster

    head = content[:HEAD]
    text = head if len(content) <= HEAD else head[: head.rfind(b"\n") + 1]
    first = text.lstrip().partition(b"\n")[0]
    if b"{" in text and not text.lstrip().startswith((b"{", b"[")):
        return False
    with suppress(InputError):
        players = parse_roster(text, "")
        # A table without a column of names is read as lines of names, one of which is its header.
        named = any(player.rating is not None for player in players)
        return len(players) > 1 and (named or not any(mark in first for mark in (b",", b";", b"\t", b"|")))
    return False
