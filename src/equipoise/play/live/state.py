"""Who is on a server, what is known of them, and what the admin wants: what decisions are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.player import Bots, Player, Rating
from equipoise.errors import InputError
from equipoise.play.live.events import Announced, Changed, Event, Joined, Left, RatingsKnown
from equipoise.teams.advantage import team_sums


@dataclass(frozen=True, slots=True)
class Policy:
    """What the admin wants.

    Parameters
    ----------
    target : int
        How many players there should be, bots included, within what the map is made for.
    bots : bool
        Whether bots fill up.
    stay : float
        The price of each player who is moved before a game, in win probability.
    clans : bool
        Whether those with one clan tag stay together.
    levers : bool
        Whether the weaker team gets a bot more, or one of another skill.
    level : float or None
        The skill of bots where no lever changes it.
    move_alive : bool
        Whether somebody may be moved while playing where nobody volunteers.
    worth : float
        How uneven a running game must be for that, in win probability.
    volunteer_seconds : float
        How long volunteers are waited for.
    last_seconds : float
        From how long before the end nobody is moved.
    grace_seconds : float
        How long after the start teams that were chosen are still applied.
    retry_seconds : float
        After which a command that had no effect is given again.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    target: int = 0
    bots: bool = True
    stay: float = 0.01
    clans: bool = False
    levers: bool = False
    level: float | None = None
    move_alive: bool = False
    worth: float = 0.15
    volunteer_seconds: float = 20.0
    last_seconds: float = 120.0
    grace_seconds: float = 15.0
    retry_seconds: float = 4.0

    def __post_init__(self) -> None:
        for name in ("target", "volunteer_seconds", "last_seconds", "grace_seconds"):
            if not 0 <= getattr(self, name) < 1e6:
                msg = f"must be from 0 to 1000000, got {getattr(self, name)!r}"
                raise InputError(msg, name)
        for name, most in (("stay", 1.0), ("worth", 0.5)):
            if not 0 <= getattr(self, name) <= most:
                msg = f"must be from 0 to {most:g}, got {getattr(self, name)!r}"
                raise InputError(msg, name)
        if not 0 < self.retry_seconds < 1e6:
            msg = f"must be above 0, got {self.retry_seconds!r}"
            raise InputError(msg, "retry_seconds")
        if self.level is not None and not 1.0 <= self.level <= 5.0:
            msg = f"must be from 1 to 5, got {self.level!r}"
            raise InputError(msg, "level")


@dataclass(slots=True)
class Seat:
    """Somebody on the server.

    Parameters
    ----------
    slot, id, name, bot, team, level
        As in :class:`~equipoise.play.live.events.Joined`; ids are unique here.
    since : float
        When this was last heard of.
    watching : bool
        Whether they went to watch by themselves.
    carrying : bool
        Whether they carry a flag.
    free_until : float
        Until when they can be moved without harm, where a move kills those who are alive.
    """

    slot: int
    id: str
    name: str
    bot: bool
    team: int | None
    level: float | None
    since: float
    watching: bool = False
    carrying: bool = False
    free_until: float = float("inf")


@dataclass(slots=True)
class State:
    """Everything a session remembers of who is there, and where they are to be.

    Parameters
    ----------
    policy : Policy
        What the admin wants.
    match : Announced
        What is played.
    known : RatingsKnown
        What ratings say.
    seats : dict of int to Seat
        Who is there, by slot.
    plan : dict of str to int
        The team of each player, by id.
    bots : tuple of tuples
        The levels of the bots that each team is to have.
    """

    policy: Policy
    match: Announced = field(default_factory=Announced)
    known: RatingsKnown = field(default_factory=RatingsKnown)
    seats: dict[int, Seat] = field(default_factory=dict)
    plan: dict[str, int] = field(default_factory=dict)
    bots: tuple[tuple[float | None, ...], ...] = ()

    def people(self) -> Iterator[Seat]:
        """Give those who play or are about to, bots that fill up left out."""
        return (seat for seat in self.seats.values() if not seat.bot and not seat.watching)

    def astray(self) -> Iterator[Seat]:
        """Give those who are not where they are to be."""
        return (seat for seat in self.people() if seat.id in self.plan and seat.team != self.plan[seat.id])

    def rating(self, seat: Seat) -> Rating:
        """Return what is known of somebody: of a bot never seen, what its level or the mean bot is worth."""
        known = self.known.ratings.get(seat.id.partition("#")[0])
        if known is not None:
            return known
        return self.known.skills.of(seat.level) if seat.bot else self.known.default

    def unique(self, identity: str) -> str:
        """Return an id that nobody else here has."""
        taken = {seat.id for seat in self.seats.values()}
        number, unique = 1, identity
        while unique in taken:
            number += 1
            unique = f"{identity}#{number}"
        return unique

    def corrections(
        self, teams: Mapping[int, int | None], gone: Mapping[int, Seat], heard: float
    ) -> list[Event]:
        """Return what must have happened unheard, as a server's own list shows.

        Parameters
        ----------
        teams : mapping from slot to team
            The list.
        gone : mapping from slot to Seat
            Who has left.
        heard : float
            Players heard of after this time are left as they are: the list may be older.
        """
        found: list[Event] = []
        for slot, seat in self.seats.items():
            if seat.since > heard:
                continue
            if slot not in teams:
                found.append(Left(slot))
            elif seat.team != teams[slot]:
                found.append(Changed(slot, teams[slot]))
        back = [(slot, gone[slot]) for slot in teams if slot not in self.seats and slot in gone]
        return found + [
            Joined(slot, seat.id.partition("#")[0], seat.name, seat.bot, teams[slot], seat.level)
            for slot, seat in back
        ]

    def has_room(self, team: int) -> bool:
        """Tell whether teams stay equal, as nearly as possible, with one more player in a team."""
        sizes = self.sizes()
        sizes[team] += 1
        return max(sizes) - min(sizes) <= 1

    def sizes(self) -> list[int]:
        """Return how many people each team is to have."""
        counts = [0] * self.match.teams
        for seat in self.people():
            if seat.id in self.plan:
                counts[self.plan[seat.id]] += 1
        return counts

    def filling(self) -> Bots:
        """Return how bots fill up."""
        match = self.match
        return Bots(self.known.skills.mean.mu, match.minimum, match.maximum, self.policy.target)

    def filled(self, sizes: list[int]) -> list[int]:
        """Return how many bots each team is to have: what the map wants, and at least the largest team."""
        if not self.policy.bots:
            return [0] * len(sizes)
        seats = max(self.filling().seats(len(sizes)), *sizes)
        return [seats - size for size in sizes]

    def players(self) -> list[Player]:
        """Return everyone who plays, where they are to be; bots as they will be."""
        people = [
            Player(seat.id, self.rating(seat), team=self.plan[seat.id])
            for seat in self.people()
            if seat.id in self.plan
        ]
        return people + [
            Player(f"bot {team} {n}", self.known.skills.of(level), team=team, bot=True)
            for team, levels in enumerate(self.bots)
            for n, level in enumerate(levels)
        ]

    def sums(self, players: list[Player] | None = None) -> tuple[Floats, Floats, float]:
        """Return the features of each team, of its bots, and the centre of the squares."""
        players = self.players() if players is None else players
        weights = [player.rating.mu for player in players if isinstance(player.rating, Rating)]
        centre = float(np.mean(weights)) if weights else 0.0
        sums, bots = team_sums(players, self.match.teams, centre)
        return sums, bots, centre
