"""Preferences that may be broken at a price: who prefers to be together, apart, or on a side.

A price is in win probability: a preference that is worth 0.01 is broken where keeping it would cost the game
more than one percent of win probability.  Here are the preferences as they are asked for, what a split
pays for those it breaks, and what became of each: between players, for a side, and to stay in a team.  Rules
are in :mod:`equipoise.teams.problem.problem`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from equipoise.core.arrays import Floats, Labels
from equipoise.core.player import NO_SIDE, Player, as_floats
from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.core.match import Match

#: What a preference is worth where no price is named: one percent of win probability.
PREFERENCE_PRICE = 0.01

#: Matches that count as recent: with the price halved each time, those before are worth next to nothing.
RECENT_MATCHES = 5

#: The kinds of preferences between players.
KINDS = ("together", "apart")


@dataclass(frozen=True, slots=True)
class Preference:
    """Players who prefer to be in one team, or no two of them, and what that is worth.

    Parameters
    ----------
    kind : str
        ``"together"`` or ``"apart"``.
    players : sequence of str
        Two ids or names, or more.
    price : float
        In win probability, from 0 to 1, for each player who is elsewhere than the most of them
        (``"together"``), or for each but one in a team (``"apart"``).

    Raises
    ------
    InputError
        If a field is out of range.

    Examples
    --------
    >>> Preference("apart", ["Ann", "Bob"], 0.02).players
    ('Ann', 'Bob')
    """

    kind: str
    players: tuple[str, ...]
    price: float = PREFERENCE_PRICE

    def __post_init__(self) -> None:
        object.__setattr__(self, "players", tuple(self.players))
        if self.kind not in KINDS:
            msg = f"preference must be {' or '.join(map(repr, KINDS))}, got {self.kind!r}"
            raise InputError(msg)
        if len(self.players) < 2 or len(set(self.players)) < len(self.players):
            named = ", ".join(map(repr, self.players)) or "nobody"
            msg = f"preference must name at least two different players, got {named}"
            raise InputError(msg)
        as_floats(self, "price")
        if not 0.0 <= self.price <= 1.0:
            msg = f"price must be a win probability from 0 to 1, got {self.price!r}"
            raise InputError(msg)


class Group(NamedTuple):
    """A preference between players, with the block of each."""

    together: bool
    blocks: tuple[int, ...]
    price: float


@dataclass(frozen=True, eq=False)
class Prices:
    """What splits pay for preferences they break.

    Parameters
    ----------
    groups : tuple of Group
        The preferences between players.
    sides : ndarray, shape (n_blocks, n_teams)
        What a block pays for being in a team.
    """

    groups: tuple[Group, ...]
    sides: Floats

    @property
    def blocks(self) -> set[int]:
        """The blocks that any preference is about."""
        named = {block for group in self.groups for block in group.blocks}
        return named | set(np.flatnonzero(self.sides.any(axis=1)).tolist())

    def paid(self, labels: Labels) -> Floats:
        """Return what each team's players pay, shape (m, n_teams), for labels of shape (m, n_blocks)."""
        n_teams = self.sides.shape[1]
        paid = np.zeros((len(labels), n_teams))
        if self.sides.any():
            for team in range(n_teams):
                paid[:, team] = ((labels == team) * self.sides[:, team]).sum(axis=1)
        for group in self.groups:
            paid += group.price * broken_for(group, labels, n_teams)
        return paid


def broken_for(group: Group, labels: Labels, n_teams: int) -> Floats:
    """Return for how many players of each team a preference is broken, shape (m, n_teams)."""
    members = labels[:, group.blocks]
    counts = np.stack([(members == team).sum(axis=1) for team in range(n_teams)], axis=1).astype(np.float64)
    if not group.together:
        return np.maximum(counts - 1.0, 0.0)
    counts[np.arange(len(counts)), counts.argmax(axis=1)] = 0.0
    return counts


def prices_of(
    groups: Sequence[tuple[Preference, Sequence[int]]],
    side_price: float,
    moved: Floats | None,
    players: Sequence[Player],
    blocks: tuple[list[int], int],
    n_teams: int,
) -> Prices | None:
    """Return what breaking preferences costs; None where there are none.

    Parameters
    ----------
    groups : sequence of (Preference, sequence of int)
        The preferences between players, with the players of each by index.
    side_price : float
        What a whole side preference is worth.
    moved : ndarray, shape (n_blocks, n_teams), or None
        What is paid for those who move, by the team each block is in.
    players : sequence of Player
        Everyone.
    blocks : (list of int, int)
        The block of each player, and how many blocks there are.
    n_teams : int
        How many teams there are.
    """
    block_of, n_blocks = blocks
    sides = np.zeros((n_blocks, n_teams))
    if side_price:
        np.add.at(sides, block_of, side_prices(players, n_teams, side_price))
    if moved is not None:
        sides += moved
    if not groups and not sides.any():
        return None
    named = (
        Group(preference.kind == "together", tuple(block_of[index] for index in members), preference.price)
        for preference, members in groups
    )
    return Prices(tuple(named), sides)


def side_prices(players: Sequence[Player], n_teams: int, price: float) -> Floats:
    """Return what each player pays for being in each team, shape (n_players, n_teams).

    The teams stand evenly from -1 (the first) to 1 (the last), and a side is a ``w`` from -1 to 1 likewise.
    In a team at ``u`` the share ``(|w| - w u) / 2`` of the price is paid: nothing on the wanted side, all of
    ``|w|`` on the other, half of it in the middle.

    Examples
    --------
    >>> side_prices([Player("Ann", side=1.0), Player("Bob", side=0.25)], 3, 0.02)
    array([[0.02 , 0.01 , 0.   ],
           [0.   , 0.005, 0.01 ]])
    """
    preference = np.array([2.0 * (player.side - NO_SIDE) for player in players])[:, None]
    place = np.linspace(-1.0, 1.0, n_teams)
    paid = price * (np.abs(preference) - preference * place) / 2.0
    return np.asarray(np.where(preference == 0.0, 0.0, paid) + 0.0)


def preferences_of(players: Iterable[Player]) -> list[Preference]:
    """Return the preferences that come with the players."""
    return [
        Preference(kind, (player.id, other), PREFERENCE_PRICE if price is None else price)
        for player in players
        if player.prefer or player.avoid
        for kind, named in (("together", player.prefer), ("apart", player.avoid))
        for other, price in named
    ]


def recent_preferences(
    matches: Sequence[Match], here: Collection[str], price: float, n_matches: int = RECENT_MATCHES
) -> list[Preference]:
    """Return preferences to be apart for those who were in one team in the last matches.

    Parameters
    ----------
    matches : sequence of Match
        The history, in any order; the last ones by their end count.
    here : collection of str
        The ids of those who play now.
    price : float
        What a pair of the last match is worth, in win probability; half of it for the match before, and so
        on.  Pairs that were together several times are worth the sum.
    n_matches : int
        How many matches count.

    Examples
    --------
    >>> from equipoise.core.match import Contest, Match, Ruleset
    >>> game = Match((Contest(Ruleset(), (["Ann", "Bob"], ["Cid", "Dan"]), (1, 2)),))
    >>> recent_preferences([game], {"Ann", "Bob", "Cid"}, 0.01)
    [Preference(kind='apart', players=('Ann', 'Bob'), price=0.01)]
    """
    from equipoise.core.match import replay_key  # only where there is a history

    prices: dict[tuple[str, str], float] = {}
    newest = sorted(matches, key=lambda one: (one.ended or 0.0, replay_key(one.id)), reverse=True)
    last = newest[:n_matches]
    for match in last:
        mates = {
            (min(one, other), max(one, other))
            for contest in match.contests
            for team in contest.teams
            for one, other in combinations([player for player, _ in team if player in here], 2)
        }
        for pair in mates:
            prices[pair] = prices.get(pair, 0.0) + price
        price /= 2.0
    return [Preference("apart", pair, min(worth, 1.0)) for pair, worth in sorted(prices.items())]


class Priced(Protocol):
    """What is to be known of a problem to say what became of its preferences."""

    @property
    def prices(self) -> Prices | None:
        """The prices of breaking them."""

    @property
    def members(self) -> tuple[tuple[int, ...], ...]:
        """The players of each block, by index."""

    @property
    def n_teams(self) -> int:
        """How many teams there are."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a preference in a split.

    Parameters
    ----------
    kind : str
        ``"together"``, ``"apart"``, ``"side"`` or ``"stay"``.
    players : tuple of str
        Who wanted it, as they are shown.
    price : float
        What breaking it costs, for each player it is broken for.
    paid : float
        What this split pays for it; 0 where it is met.
    """

    kind: str
    players: tuple[str, ...]
    price: float
    paid: float

    @property
    def met(self) -> bool:
        """Whether nothing is paid."""
        return self.paid == 0.0

    def as_dict(self) -> dict[str, object]:
        """Return the outcome in plain lists and numbers."""
        return {
            "kind": self.kind,
            "players": list(self.players),
            "price": self.price,
            "paid": self.paid,
            "met": self.met,
        }


def outcomes(
    problem: Priced,
    preferences: Sequence[Preference],
    side_price: float,
    stay: float,
    players: Sequence[Player],
    labels: Labels,
) -> tuple[Outcome, ...]:
    """Return what became of every preference in a split: between players, for a side, to stay in a team.

    Parameters
    ----------
    problem : Problem
        With prices made of the preferences, in their order.
    preferences : sequence of Preference
        The preferences between players.
    side_price : float
        What a whole side preference is worth.
    stay : float
        What it is worth to stay in the current team.
    players : sequence of Player
        The roster.
    labels : ndarray of int8, shape (n_blocks,)
        The split.
    """
    if problem.prices is None:
        return ()
    label_of = {key: player.label for player in players for key in (player.name, player.id) if key}
    found = [
        Outcome(
            preference.kind,
            tuple(label_of[who] for who in preference.players),
            preference.price,
            float(group.price * broken_for(group, labels[None, :], problem.n_teams).sum()),
        )
        for preference, group in zip(preferences, problem.prices.groups, strict=True)
    ]
    if side_price:
        each = side_prices(players, problem.n_teams, side_price)
        for places, team in zip(problem.members, labels.tolist(), strict=True):
            found += [
                Outcome("side", (players[place].label,), float(each[place].max()), float(each[place, team]))
                for place in places
                if players[place].side != NO_SIDE
            ]
    if stay:
        found += [
            Outcome("stay", (players[place].label,), stay, stay if team != players[place].team_now else 0.0)
            for places, team in zip(problem.members, labels.tolist(), strict=True)
            for place in places
            if players[place].team_now is not None
        ]
    return tuple(found)


def check_named(players: Sequence[Player], find: Callable[[str, str], int]) -> None:
    """Refuse who prefers or avoids somebody who is not there, or nobody else."""
    for player in players:
        own = (("prefer", player.prefer), ("avoid", player.avoid))
        for field_name, named in own if player.prefer or player.avoid else ():
            for other, _ in named:
                try:
                    found = players[find(field_name, other)]
                except InputError as error:
                    msg = f"of {player.label!r}{error.problem}"
                    raise InputError(msg, field_name, player.id) from None
                if found.id == player.id:
                    msg = f"of {player.label!r} must name others, got {other!r}"
                    raise InputError(msg, field_name, player.id)
