"""Who waits, and what they are given: tickets and matches, frozen and checked once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter
from typing import Any

from equipoise.core.copies import copies
from equipoise.core.plain_data import fail, name_of, names_of, object_of, players_of, real_of
from equipoise.core.player import Player, Rating, players_named
from equipoise.errors import InputError


@dataclass(frozen=True, slots=True)
class QueueTicket:
    """A party that waits for a match: one player or several who stay together.

    Parameters
    ----------
    id : str
        What tells this ticket from all others.
    players : sequence of Player
        Who waits.  Of a player the rating counts, the roles, whom they avoid (by id), always: they are never
        in one match, and whom they prefer (by id): they are in one team of a match of both if it stays even.
    since : float
        When the waiting began, in seconds of any clock.
    latencies : mapping of str to float
        The milliseconds to each region that can host; empty for those to whom every region is the same.
    ruleset : str
        What is played; tickets meet only in the same.
    vetoes : sequence of str
        Maps that must not be played.
    backfill : bool
        Whether a seat in a running match does.
    returned : int
        How many matches of this ticket others did not accept; who returned is in front.

    Raises
    ------
    InputError
        If there is no id or no player, or a player twice.
    """

    id: str
    players: tuple[Player, ...]
    since: float
    latencies: tuple[tuple[str, float], ...] = ()
    ruleset: str = ""
    vetoes: tuple[str, ...] = ()
    backfill: bool = False
    returned: int = 0

    def __post_init__(self) -> None:
        if not (isinstance(self.id, str) and self.id):
            msg = f"must be text that is not empty, got {self.id!r}"
            raise InputError(msg, "id")
        given: tuple[object, ...] = (self.players, self.latencies, self.vetoes)
        if any(each.__class__ is not tuple for each in given):
            if isinstance(self.latencies, Mapping):
                object.__setattr__(self, "latencies", tuple(self.latencies.items()))
            for field in ("players", "latencies", "vetoes"):
                object.__setattr__(self, field, tuple(getattr(self, field)))
        if not self.players:
            msg = f"of ticket {self.id!r} must be at least 1, got 0"
            raise InputError(msg, "players")
        if len(self.players) > 1 and len({player.id for player in self.players}) < len(self.players):
            msg = f"of ticket {self.id!r} must differ"
            raise InputError(msg, "players")
        for name, latency in self.latencies:
            if not 0.0 <= latency < float("inf"):
                msg = f"of ticket {self.id!r} to {name!r} must be at least 0, got {latency:g}"
                raise InputError(msg, "latencies")
        if not abs(self.since) < float("inf"):
            msg = f"of ticket {self.id!r} must be a finite number, got {self.since!r}"
            raise InputError(msg, "since")

    @classmethod
    def from_dict(cls, data: Any, where: str = "ticket") -> QueueTicket:
        """Return the ticket that plain data holds, such as JSON; its players are as in a roster.

        Raises
        ------
        InputError
            If a field is unknown or does not hold what it should; the message begins with ``where``.

        Examples
        --------
        >>> data = {"id": "t1", "players": [{"name": "Ann", "weight": 1500}], "since": 3}
        >>> ticket = QueueTicket.from_dict(data)
        >>> ticket.size, ticket.since
        (1, 3.0)
        """
        row = object_of(data, where, tuple(_READERS))
        missing = [name for name in ("id", "players", "since") if name not in row]
        if missing:
            fail(where, f"the field {missing[0]!r} is missing; a ticket has id, players and since")
        values = {name: _READERS[name](value, f"{where}: {name}") for name, value in row.items()}
        try:
            return cls(**values)
        except InputError as error:
            fail(where, str(error))

    def to_dict(self) -> dict[str, Any]:
        """Return the ticket as plain data, which :meth:`from_dict` reads; what has its default is left out.

        Examples
        --------
        >>> QueueTicket("t1", [Player("Ann", 1500)], 3.0).to_dict()
        {'id': 't1', 'players': [{'name': 'Ann', 'mu': 1500.0, 'sigma': 0.0}], 'since': 3.0}
        """
        rest = {
            "latencies": dict(self.latencies),
            "ruleset": self.ruleset,
            "vetoes": list(self.vetoes),
            "backfill": self.backfill,
        }
        players = [_player_data(player) for player in self.players]
        given = {name: value for name, value in rest.items() if value}
        return {"id": self.id, "players": players, "since": self.since, **given}

    @property
    def size(self) -> int:
        """Players of the party."""
        return len(self.players)

    def without_role(self, roles: Iterable[str]) -> str:
        """Return a player who plays some roles, but none of those given; nothing if there is none."""
        known = set(roles)
        for player in self.players:
            if known and player.roles and known.isdisjoint(dict(player.roles)):
                return player.id
        return ""

    def since_when(self, since: float, returned: int) -> QueueTicket:
        """Return the ticket with another beginning of its waiting; nothing else is checked again."""
        ticket = object.__new__(QueueTicket)
        keep = object.__setattr__
        keep(ticket, "id", self.id)
        keep(ticket, "players", self.players)
        keep(ticket, "since", since)
        keep(ticket, "latencies", self.latencies)
        keep(ticket, "ruleset", self.ruleset)
        keep(ticket, "vetoes", self.vetoes)
        keep(ticket, "backfill", self.backfill)
        keep(ticket, "returned", returned)
        return ticket


#: What stays of a ticket whose waiting begins at another time.
_KEPT = ("id", "players", "latencies", "ruleset", "vetoes", "backfill")


def waiting_since(tickets: Sequence[QueueTicket], since: float) -> list[QueueTicket]:
    """Return tickets whose waiting begins now, as :meth:`QueueTicket.since_when` does, many at once."""
    kept = {name: map(attrgetter(name), tickets) for name in _KEPT}
    return copies(QueueTicket("any", (Player("any"),), since), len(tickets), **kept)


def names_all_ids(player: Player, same: Mapping[str, Sequence[str]]) -> Player:
    """Return a player who avoids and prefers others by all ids that these have.

    Examples
    --------
    >>> ann = Player("Ann", 1500, avoid=["bob"])
    >>> [name for name, _ in names_all_ids(ann, {"bob": ["bob", "rob"], "rob": ["bob", "rob"]}).avoid]
    ['bob', 'rob']
    """
    named = [name for name, _ in (*player.avoid, *player.prefer)]
    if same.keys().isdisjoint(named):
        return player
    avoid, prefer = (
        tuple({each: price for name, price in some for each in same.get(name, (name,))}.items())
        for some in (player.avoid, player.prefer)
    )
    return replace(player, avoid=avoid, prefer=prefer)


def by_all_ids(ticket: QueueTicket, same: Mapping[str, Sequence[str]]) -> QueueTicket:
    """Return a ticket whose players do what :func:`names_all_ids` says."""
    if not any(player.avoid or player.prefer for player in ticket.players):
        return ticket
    return replace(ticket, players=tuple(names_all_ids(player, same) for player in ticket.players))


def check_time(now: float) -> None:
    """Refuse a time that is no finite number, as which nobody would ever be overdue.

    Examples
    --------
    >>> check_time(float("nan"))
    Traceback (most recent call last):
    equipoise.errors.InputError: now must be a finite number, got nan
    """
    if not abs(now) < float("inf"):
        msg = f"must be a finite number, got {now!r}"
        raise InputError(msg, "now")


def soloists(weights: Mapping[str, Rating | float | None], since: float) -> list[QueueTicket]:
    """Return the tickets of many people who come alone, each with the id of its player, from columns.

    Parameters
    ----------
    weights : mapping of str to Rating, float or None
        What is known of each of them, by id.
    since : float
        When their waiting began.

    Raises
    ------
    InputError
        If a name is empty, or a number is none or out of range.

    Examples
    --------
    >>> soloists({"Ann": 1500.0}, 3.0) == [QueueTicket("Ann", [Player("Ann", 1500)], 3.0)]
    True
    """
    players = players_named(weights)
    one = QueueTicket("any", (Player("any"),), since)
    return copies(one, len(players), id=list(weights), players=[(player,) for player in players])


def _player_data(player: Player) -> dict[str, Any]:
    """Return what counts of a player in a queue, as a row of a roster."""
    rating = player.rating
    row: dict[str, Any] = {"name": player.id}
    if isinstance(rating, Rating):
        row |= {"mu": rating.mu, "sigma": rating.sigma}
    if player.roles:
        row["roles"] = [name for name, _ in player.roles]
    for field in ("prefer", "avoid"):
        if getattr(player, field):
            row[field] = [name for name, _ in getattr(player, field)]
    return row


def _players(value: Any, at: str) -> tuple[Player, ...]:
    return tuple(players_of(value, at, strict=True))


def _latencies(value: Any, at: str) -> tuple[tuple[str, float], ...]:
    return tuple((str(name), real_of(each, f"{at}: {name}")) for name, each in object_of(value, at).items())


def _yes_or_no(value: Any, at: str) -> bool:
    if not isinstance(value, bool):
        fail(at, f"must be true or false, got {value!r}")
    return value


#: How each field of a ticket is read from plain data; who returned is for the state machine alone.
_READERS: Mapping[str, Callable[[Any, str], Any]] = {
    "id": name_of,
    "players": _players,
    "since": real_of,
    "latencies": _latencies,
    "ruleset": name_of,
    "vetoes": names_of,
    "backfill": _yes_or_no,
}


@dataclass(frozen=True, slots=True)
class FoundMatch:
    """A match that was made of tickets.

    Parameters
    ----------
    teams : tuple of tuple of QueueTicket
        The tickets of each team.
    ruleset : str
        What is played.
    region : str
        The region in which the slowest player is fastest; empty where nobody named one.
    maps : tuple of str
        The maps that nobody vetoed.
    difference : float
        By how much the totals of the strongest and the weakest team differ.
    imbalance : float
        How far the chance of the stronger of these two is from even.
    spread : float
        How far apart the highest and the lowest party are, by their means.
    joins : str
        The running match whose free seats these tickets take; empty for a match of its own.
    """

    teams: tuple[tuple[QueueTicket, ...], ...]
    ruleset: str
    region: str
    maps: tuple[str, ...]
    difference: float
    imbalance: float
    spread: float
    joins: str = ""

    @property
    def tickets(self) -> tuple[QueueTicket, ...]:
        """All tickets, team by team."""
        return tuple(chain.from_iterable(self.teams))
