"""How much work a question is, told from its body before anybody answers it.

A balance of a dozen players into two teams is one look at 462 splits at most, some 2 ms whatever the numbers
are: less than it takes another process to get a core where many want one.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

#: Players of a balance that is answered where the connections are, and of one that is short.
HERE_PLAYERS, SHORT_PLAYERS = 12, 16

#: Bytes of the longest body of each, and of names as people write them.
HERE_BYTES, SHORT_BYTES, SHORT_TEXT = 4096, 16384, 512

#: What players may have without the search becoming another one.
PLAIN = frozenset(("name", "id", "weight", "mu", "sigma", "party"))


class Effort(Enum):
    """How long an answer takes: no longer than a turn of this process, some milliseconds, or anything."""

    HERE = "here"
    SHORT = "short"
    LONG = "long"


class _Short(msgspec.Struct, forbid_unknown_fields=True):
    """A balance that takes little time; whatever else is in one may take more."""

    players: (
        Annotated[list[Any], Meta(max_length=SHORT_PLAYERS)]
        | Annotated[dict[str, Any], Meta(max_length=SHORT_PLAYERS)]
    ) = []
    text: Annotated[str, Meta(max_length=SHORT_TEXT)] = ""
    read: str | None = None
    teams: Literal[2] = 2
    objective: str | None = None
    beta: float | None = None
    parties: list[Any] = []
    apart: list[Any] = []


def effort(kind: str, body: bytes) -> Effort:
    """Return how much work a question is.

    Parameters
    ----------
    kind : str
        What is asked.
    body : bytes
        The request, which may be wrong.

    Examples
    --------
    >>> effort("balance", b'{"players": {"Ann": 3, "Bob": 2}}'), effort("rate", b"{}")
    (<Effort.HERE: 'here'>, <Effort.LONG: 'long'>)
    """
    if len(body) > SHORT_BYTES or kind not in ("balance", "late"):
        return Effort.LONG
    if kind == "late":  # it is arithmetic
        return Effort.SHORT
    try:
        asked = msgspec.json.decode(body, type=_Short)
    except msgspec.ValidationError:
        return Effort.LONG
    except (ValueError, RecursionError):  # it is no JSON, which is soon said
        return Effort.SHORT
    if len(body) > HERE_BYTES or len(asked.players) > HERE_PLAYERS:
        return Effort.SHORT
    is_plain = all(map(_is_plain, asked.players)) and not (asked.text or asked.parties or asked.apart)
    return Effort.HERE if is_plain else Effort.SHORT


def _is_plain(player: Any) -> bool:
    """Tell whether a player of a list is there with a weight and nothing that changes the search."""
    return isinstance(player, str) or (isinstance(player, dict) and PLAIN.issuperset(player))
