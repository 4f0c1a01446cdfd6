"""How dear a question is, told from its body before anybody answers it.

A balance of up to sixteen players into two teams is a look at 6,435 splits at most, some milliseconds
whatever the numbers are; of anything else only its time limit is known.  The fair queue orders by it, and
what is long never has all workers.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

#: Players of a short balance, bytes of its body, and characters of names as people write them.
SHORT_PLAYERS, SHORT_BYTES, SHORT_TEXT = 16, 16384, 512

#: About how many seconds a short answer takes.
SHORT = 0.005


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


_SHORT = msgspec.json.Decoder(_Short)


def seconds_of(kind: str, body: bytes, limit: float) -> float:
    """Return about how many seconds an answer takes.

    Parameters
    ----------
    kind : str
        What is asked.
    body : bytes
        The request, which may be wrong.
    limit : float
        The seconds that a search may take.

    Examples
    --------
    >>> seconds_of("balance", b'{"players": {"Ann": 3, "Bob": 2}}', 1.0), seconds_of("rate", b"{}", 1.0)
    (0.005, 1.0)
    """
    if len(body) > SHORT_BYTES or kind not in ("balance", "late"):
        return limit
    if kind == "late":  # it is arithmetic
        return SHORT
    try:
        _SHORT.decode(body)
    except msgspec.ValidationError:
        return limit
    except (ValueError, RecursionError):  # it is no JSON, which is soon said
        return SHORT
    return SHORT
