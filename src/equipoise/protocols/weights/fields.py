"""The fields of a line of the weight protocol: names, members, seats and numbers, read and written."""

from __future__ import annotations

import re
from collections.abc import Sequence

from equipoise.players import Seats
from equipoise.protocols.weights.requests import Named, Refusal

#: Longest name: four times what any game server of the trade allows.
LONGEST_NAME = 200

#: Most teams of a game; no game server of the trade has more than 8.
MOST_TEAMS = 16

_CONTROL = re.compile(rb"[\x00-\x1f\x7f]")
_WHOLE = re.compile(rb"[0-9]{1,3}")
_DECIMAL = re.compile(rb"-?[0-9]{1,15}(\.[0-9]{1,9})?")


class Wrong(Exception):  # noqa: N818 -- never leaves the protocol
    """A line that is answered with a refusal."""

    def __init__(self, why: Refusal) -> None:
        self.why = why


def name_in(raw: bytes, more: list[bytes], why: Refusal = Refusal.BAD_NAME) -> str:
    """Return a name that stands to the end of the line."""
    if not raw or more or _CONTROL.search(raw):
        raise Wrong(why)
    name = decoded(raw)
    if len(name) > LONGEST_NAME:
        raise Wrong(why)
    return name


def decoded(raw: bytes) -> str:
    """Return a name as text: UTF-8, or else Latin-1, which is what old engines write.

    Examples
    --------
    >>> decoded("Zoë".encode()) == decoded("Zoë".encode("latin-1"))
    True
    """
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def sayable(name: str) -> bool:
    r"""Tell whether a line can hold a name.

    Examples
    --------
    >>> sayable("Ann Lee"), sayable("a\tb"), sayable("")
    (True, False, False)
    """
    try:
        raw = name.encode()
    except UnicodeEncodeError:  # half a surrogate pair, which some logs have
        return False
    return 0 < len(name) <= LONGEST_NAME and not _CONTROL.search(raw)


def member_in(raw: bytes, why: Refusal) -> Named:
    """Return a member: ``PLAYER`` or ``BOT`` and a name."""
    verb, _, rest = raw.partition(b" ")
    if verb not in (b"PLAYER", b"BOT"):
        raise Wrong(why)
    return Named(verb == b"BOT", name_in(rest, [], why), raw)


def placed_in(raw: bytes, teams: int) -> tuple[Named, int | None]:
    """Return a member, and the team in which it is already."""
    number, _, rest = raw.partition(b" ")
    if not _WHOLE.fullmatch(number):
        return member_in(raw, Refusal.BAD_FIELD), None
    return member_in(rest, Refusal.BAD_FIELD), whole(number, 0, teams - 1)


def refuse_more(rest: bytes, more: list[bytes]) -> None:
    """Refuse what stands after a command that takes nothing."""
    if rest or more:
        raise Wrong(Refusal.BAD_FIELD)


def whole(raw: bytes, least: int, most: int) -> int:
    """Return a whole number within limits."""
    if not _WHOLE.fullmatch(raw) or not least <= int(raw) <= most:
        raise Wrong(Refusal.BAD_NUMBER)
    return int(raw)


def decimal(raw: bytes) -> float:
    """Return a decimal number."""
    if not _DECIMAL.fullmatch(raw):
        raise Wrong(Refusal.BAD_NUMBER)
    return float(raw)


def full(seats: Seats) -> Seats:
    """Return seats where every team has somebody."""
    if not all(seats):
        raise Wrong(Refusal.TOO_FEW_MEMBERS)
    return seats


def plain(number: float) -> str:
    """Return a number as the protocol writes it: four decimals, never an exponent.

    Examples
    --------
    >>> plain(61.25), plain(1e-7)
    ('61.2500', '0.0000')
    """
    return f"{number + 0.0:.4f}"


def decimals(numbers: Sequence[float]) -> str:
    """Return numbers as the protocol writes them, separated by spaces."""
    return " ".join(map(plain, numbers))
