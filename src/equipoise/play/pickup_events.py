"""What happens in lobbies (events), what follows for the world (commands), and both as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.errors import InputError
from equipoise.play import event_codec
from equipoise.play.night import Setup

Teams = tuple[tuple[str, ...], ...]


# Events.  ``who`` is the id of the one who acts; ``admin`` says that this is one of those in charge.


@dataclass(frozen=True, slots=True)
class Add:
    """Somebody waits in a lobby."""

    who: str
    lobby: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Somebody waits no longer in a lobby, or in any where none is named; who is in a game asks to go."""

    who: str
    lobby: str = ""


@dataclass(frozen=True, slots=True)
class Remove:
    """Somebody in charge takes a player out of all lobbies."""

    who: str
    player: str
    admin: bool = False


@dataclass(frozen=True, slots=True)
class Late:
    """Somebody who is asked to be ready needs more time."""

    who: str


@dataclass(frozen=True, slots=True)
class Duo:
    """Somebody plays with another, once that one says so too; with nobody, alone again."""

    who: str
    other: str = ""


@dataclass(frozen=True, slots=True)
class Prefer:
    """Somebody prefers to play with another (``"prefer"``), without (``"avoid"``), or no longer minds."""

    who: str
    other: str
    kind: str


@dataclass(frozen=True, slots=True)
class Ready:
    """Somebody is ready to play."""

    who: str


@dataclass(frozen=True, slots=True)
class Vote:
    """Somebody votes on teams: ``"yes"``, ``"no"`` (others) or ``"captains"``."""

    who: str
    choice: str


@dataclass(frozen=True, slots=True)
class Pick:
    """A captain picks a player."""

    who: str
    player: str


@dataclass(frozen=True, slots=True)
class Veto:
    """A side strikes a map."""

    who: str
    map: str


@dataclass(frozen=True, slots=True)
class Sub:
    """Somebody in a game asks for a substitute."""

    who: str


@dataclass(frozen=True, slots=True)
class Fill:
    """Somebody takes the place of another who asked for a substitute, of anyone where nobody is named."""

    who: str
    instead: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A player reports how the game ended: a rank for each team, lower is better."""

    who: str
    ranks: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Confirm:
    """A player of another side says that what was reported is true."""

    who: str


@dataclass(frozen=True, slots=True)
class Correct:
    """Somebody in charge says how a game ended, whatever was reported."""

    who: str
    game: str
    ranks: tuple[float, ...]
    admin: bool = False


@dataclass(frozen=True, slots=True)
class Undo:
    """A result is taken back: by somebody in charge, or once a player of each side says so."""

    who: str
    game: str
    admin: bool = False


@dataclass(frozen=True, slots=True)
class Cancel:
    """Somebody in charge calls a game off."""

    who: str
    game: str
    admin: bool = False


@dataclass(frozen=True, slots=True)
class Divided:
    """The answer to :class:`Divide`; no teams where there are none that keep the rules.

    ``price`` is that of meeting again: teams that were seen come only where no others lie within it.
    """

    game: str
    teams: Teams
    chances: tuple[float, ...] = ()
    price: float = 0.0


@dataclass(frozen=True, slots=True)
class Tick:
    """Time has passed."""


Event = (
    Add | Leave | Remove | Late | Duo | Prefer | Ready | Vote | Pick | Veto | Sub | Fill | Report
    | Confirm | Correct | Undo | Cancel | Divided | Tick
)  # fmt: skip

KINDS: Mapping[str, type[Event]] = {
    kind.__name__.lower(): kind
    for kind in (Add, Leave, Remove, Late, Duo, Prefer, Ready, Vote, Pick, Veto, Sub, Fill, Report,
                 Confirm, Correct, Undo, Cancel, Divided, Tick)
}  # fmt: skip


# Commands


@dataclass(frozen=True, slots=True)
class Divide:
    """Find teams and answer with :class:`Divided`.

    They are none of those that were seen while others lie within the price of meeting again.
    """

    game: str
    setup: Setup
    seen: frozenset[frozenset[frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep a result; one that was kept before under the same id is corrected by it."""

    game: str
    lobby: str
    teams: Teams
    ranks: tuple[float, ...]
    map: str
    parties: Teams
    picks: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TakeBack:
    """A result no longer counts."""

    game: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something to say: to these players, or to everyone in the lobby where nobody is named.

    Parameters
    ----------
    kind : str
        What happened; :mod:`equipoise.pages.text.pickup` has the words.
    lobby : str
        Where; empty where it is of none.
    to : tuple of str
        Whom it is for.
    facts : mapping
        What there is to say of it.
    """

    kind: str
    lobby: str = ""
    to: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


Command = Divide | Keep | TakeBack | Notice


@dataclass(frozen=True, slots=True)
class ChatPlace:
    """A place in a game that is kept for somebody in a chat without accounts.

    Parameters
    ----------
    nick : str
        What they are called there; empty where they have left.
    sign : str
        When their connection began, as the server writes it; empty where unknown.
    """

    nick: str = ""
    sign: str = ""


def as_plain(event: Event) -> dict[str, Any]:
    """Return an event as plain data.

    Examples
    --------
    >>> as_plain(Add("ann", "ctf"))
    {'type': 'add', 'who': 'ann', 'lobby': 'ctf'}
    """
    return {"type": type(event).__name__.lower(), **event_codec.as_plain(event)}


def from_plain(data: Mapping[str, Any]) -> Event:
    """Return the event of plain data.

    Raises
    ------
    InputError
        If it is none.
    """
    kind = KINDS.get(data.get("type", ""))
    if kind is None:
        msg = f"event: there is no {data.get('type')!r:.40}; allowed: {', '.join(KINDS)}"
        raise InputError(msg)
    given = {name: value for name, value in data.items() if name != "type"}
    return event_codec.from_plain(kind, given, f"event: {data['type']}")
