"""Clan tags in names: those who bear the same one play together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from equipoise.core.player import Player

#: Colour codes of the Quake family, which stand anywhere in a name.
_COLOURS = re.compile(r"\^[0-9a-zA-Z]")

#: Signs that enclose a tag, at either end of a name, and signs that part it from the name.
_ENCLOSED = re.compile(
    r"^[\[({<|=\-]+\s*([^\[\](){}<>|=\-\s]{1,8})\s*[\])}>|=\-]+|[\[({<|=\-]+([^\[\](){}<>|=\-\s]{1,8})[\])}>|=\-]+$"
)
_PARTED = re.compile(r"^([^\s|.]{2,6})(?:\||\.|::|//)(?=\S)")


def clan_tag(name: str) -> str:
    """Return the clan tag of a name in lower case, empty where it has none.

    Examples
    --------
    >>> [clan_tag(name) for name in ("[UT] Ann", "-=UT=-Bob", "ut|Cid", "Dan{UT}", "^1UT^7|Eve", "Fay")]
    ['ut', 'ut', 'ut', 'ut', 'ut', '']
    """
    plain = _COLOURS.sub("", name).strip()
    found = _ENCLOSED.search(plain) or _PARTED.match(plain)
    return next((group for group in found.groups() if group), "").lower() if found else ""


def without_tag(name: str) -> str:
    """Return a name without colour codes and its clan tags; the name itself where nothing else is left.

    Examples
    --------
    >>> [without_tag(name) for name in ("[UT] Ann", "-=UT=-Bob", "ut|Cid", "Dan{UT}", "^1UT^7|Eve", "[UT]")]
    ['Ann', 'Bob', 'Cid', 'Dan', 'Eve', '[UT]']
    >>> without_tag("[UT][xo]Ann{UT}")
    'Ann'
    """
    plain = _COLOURS.sub("", name).strip()
    rest = plain
    while (less := _ENCLOSED.sub("", rest, count=1).strip()) not in ("", rest):
        rest = less
    if rest == plain:
        rest = _PARTED.sub("", plain, count=1).strip(" |.:/")
    return rest or plain or name


def with_clans(players: Iterable[Player]) -> list[Player]:
    """Return players with those of one clan tag as a party; who is in a party, bots and lone ones stay.

    Examples
    --------
    >>> players = with_clans([Player("[UT] Ann"), Player("Bob|UT|"), Player("ut|Cid"), Player("x|Dan")])
    >>> [player.party for player in players]
    ['clan ut', 'clan ut', 'clan ut', None]
    """
    everyone = list(players)
    tags = ["" if player.bot or player.party is not None else clan_tag(player.label) for player in everyone]
    shared = {tag for tag, count in Counter(tags).items() if tag and count > 1}
    return [
        replace(player, party=f"clan {tag}") if tag in shared else player
        for player, tag in zip(everyone, tags, strict=True)
    ]
