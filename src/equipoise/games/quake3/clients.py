"""Who is on a server of the Quake 3 family: what lines about a client say.

What clients do is in :mod:`equipoise.games.quake3.game`.
"""

from __future__ import annotations

import re

from equipoise.games.quake3.rules import COLOUR
from equipoise.logs.play import ALONE, NAME, bot_id, text_from

_INFO = re.compile(rb" ?(\d{1,9}) n\\([^\\]*)\\t\\(\d+)(?:\\|\s*$)")
_SKILL = re.compile(rb"\\skill\\ *(\d{1,3}(?:\.\d{1,6})?)")
_GUID = re.compile(rb"\\id\\([^\\\r]+)")
_USERINFO = re.compile(rb" ?(\d{1,9}) \\")
_CL_GUID = re.compile(rb"\\cl_guid\\([^\\\r]+)")
_NAME_IN = re.compile(rb"\\name\\([^\\\r]*)")
_STRONG_GUID = re.compile(r"[0-9A-Za-z]{8,64}")

#: Teams of ``ClientUserinfoChanged``: who plays for themselves, red, blue; anybody else only watches.
RED, BLUE = 1, 2
_SIDES = {b"0": ALONE, b"1": RED, b"2": BLUE}


class ClientInfo:
    r"""What a ``ClientUserinfoChanged`` says of a client.

    Examples
    --------
    >>> client = ClientInfo.of(rb" 4 n\Xan\t\2\skill\ 3.00\tt\0")
    >>> client.slot, client.identity, client.side
    (b'4', 'bot:Xan:3', 2)
    """

    __slots__ = ("identity", "name", "side", "slot")

    def __init__(self, slot: bytes, identity: str, name: str, side: int | None) -> None:
        self.slot, self.identity, self.name, self.side = slot, identity, name, side

    @staticmethod
    def of(rest: bytes) -> ClientInfo | None:
        """Return what a line says; None where it is damaged."""
        info = _INFO.match(rest)
        if info is None:
            return None
        name = text_from(info[2])
        return ClientInfo(info[1], _identity(rest, name), name, _SIDES.get(info[3]))

    def may_be(self, known: str) -> bool:
        """Tell whether this may be who it was; a person without _GUID may change the name."""
        return known.partition("#")[0] == self.identity or (
            known.startswith(NAME) and self.identity.startswith(NAME)
        )


def _identity(info: bytes, name: str) -> str:
    """Return who a client is: a bot by name and level, a person by _GUID, or else by name without colours."""
    skill = _SKILL.search(info)
    if skill is not None:
        return bot_id(name, float(skill[1]))
    guid = _GUID.search(info)
    return NAME + (COLOUR.sub("", name) or name) if guid is None else _guid(guid[1])


def _guid(content: bytes) -> str:
    known = text_from(content)
    return known if _STRONG_GUID.fullmatch(known) else f"guid:{known}"


def identity_of(rest: bytes) -> tuple[bytes, str | None] | None:
    """Return a client and who a ``ClientUserinfo`` says it is, if it does; None where the line is damaged."""
    info = _USERINFO.match(rest)
    if info is None:
        return None
    guid, name = _CL_GUID.search(rest), _NAME_IN.search(rest)
    skill = _SKILL.search(rest) if b"\\characterfile\\" in rest or guid is None else None
    if skill is not None and name is not None:
        return info[1], bot_id(text_from(name[1]), float(skill[1]))
    return info[1], None if guid is None else _guid(guid[1])
