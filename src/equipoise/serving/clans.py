"""Clan tags in names: those who bear the same one play together."""

from __future__ import annotations

import re

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
