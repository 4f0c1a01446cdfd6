"""Codes by which somebody in a chat shows that an id in a game is theirs too.

A code is asked for where a service vouches for who asks (Discord), and typed where the other id is sure: in
the chat of a game server, of another chat, or on the page of an evening.  It holds for a quarter of an hour,
once; the archive keeps its hash.  Whoever bears two ids is one person from then on, with all that either has
played.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
from collections.abc import Sequence
from typing import TYPE_CHECKING

from equipoise.archive.archive import TakenMeanwhileError
from equipoise.errors import InputError
from equipoise.play.evening_records import DISCORD, Record
from equipoise.service.merging import merge

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive

#: How often a code is looked up again, as somebody else has kept something meanwhile.
TIMES = 8

#: Seconds that a code holds, its letters (none that are mistaken for others), and how many it has.
HOLDS, LETTERS, LENGTH = 900.0, "abcdefghjkmnpqrstuvwxyz23456789", 8


def _hashed(code: str) -> str:
    plain = "".join(sign for sign in code.lower() if sign in LETTERS)
    return hashlib.sha256(f"link {plain}".encode()).hexdigest()[:32]


def new_code(archive: Archive, who: str, now: float) -> str:
    """Return a code for somebody, which holds from now on."""
    code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
    record = {"kind": DISCORD, "at": now, "who": who, "code": _hashed(code)}
    archive.add_night_events([record], None)
    return f"{code[:4]}-{code[4:]}"


def redeem(archive: Archive, code: str, player: str, now: float, beside: Sequence[Record] = ()) -> str:
    """Let whoever asked for a code be a player of this id, and return who that is.

    That it is used is kept with it, as are the records ``beside`` it, so that of two who type it at the same
    moment one is linked.

    Raises
    ------
    InputError
        If the code does not hold, or they cannot be one, as :func:`link` says.
    """
    hashed = _hashed(code)
    for _ in range(TIMES):
        records = archive.night_events()
        who = ""
        for record in records:
            if record["kind"] == DISCORD and record.get("code") == hashed:
                holds = "player" not in record and 0.0 <= now - record["at"] <= HOLDS
                who = record["who"] if holds else ""
        if not who:
            msg = "this code does not hold: ask for another one"
            raise InputError(msg)
        used = {"kind": DISCORD, "at": now, "who": who, "code": hashed, "player": player}
        with contextlib.suppress(TakenMeanwhileError):
            link(archive, who, player, [used, *beside], len(records))
            return who
    msg = "too much is being done elsewhere; type it again"
    raise InputError(msg)


def link(
    archive: Archive, who: str, player: str, records: Sequence[Record] = (), known: int | None = None
) -> None:
    """Let two ids be one person, of whichever either is already.

    Parameters
    ----------
    archive : Archive
        What knows of both.
    who, player : str
        Their ids, in a chat and in a game.
    records : sequence of mappings
        Records that are kept with it.
    known : int, optional
        How many records the caller knows of, where others would matter.

    Raises
    ------
    InputError
        If they are one already, are in one game that goes on, or have played against each other.
    TakenMeanwhileError
        If somebody else has added a record meanwhile.
    """
    root = archive.merged().get(who, who)
    one, other = (player, who) if root == who else (root, player)
    merge(archive, one, other, unseen=(one, other), records=records, known=known)
    archive.update_ratings()
