"""From a roster, sizes and rules to a problem (:mod:`equipoise.teams.problem.problem`), or a contradiction.

Players are bound into blocks here: who is in a party, who is fixed to a team, and who is kept apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from operator import eq
from typing import cast

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.player import MOST_PLAYERS, Bots, Player, Rating, players_named, rated_by_roles
from equipoise.errors import InputError, again, nearest
from equipoise.teams.problem.exactness import AS_WRITTEN, CommonUnit, centre_of, mean
from equipoise.teams.problem.linear_rules import Rule, rows_of
from equipoise.teams.problem.preferences import Preference, prices_of
from equipoise.teams.problem.problem import MU, Moving, Problem, SizeRules, check_team, moves_of
from equipoise.teams.problem.roles import roles_of
from equipoise.teams.problem.two_team_components import Contradiction, SignedUnion, components


def fixed_teams(players: Sequence[Player], n_teams: int, fixed: Iterable[tuple[int, int]]) -> list[int]:
    """Return the team each player is fixed to, -1 for none; besides those of the players, by place.

    Raises
    ------
    InputError
        If there is no such team, or somebody is fixed to two.
    """
    team_of = [-1 if player.team is None else player.team for player in players]
    for player in players:
        check_team(player, "team", n_teams)
    for place, team in fixed:
        name = players[place].label
        if not 0 <= team < n_teams:
            msg = f": {name!r} is fixed to team {team + 1}; there are teams 1 to {n_teams}"
            raise InputError(msg, "fixed")
        if team_of[place] not in (-1, team):
            msg = f": {name!r} is fixed to team {team + 1}, but comes with team {team_of[place] + 1}"
            raise InputError(msg, "fixed")
        team_of[place] = team
    return team_of


def block_teams(team_of: list[int], block_of: list[int], n_blocks: int) -> tuple[int, ...]:
    """Return the team each block is fixed to, -1 for none, from the team of each player.

    Raises
    ------
    Contradiction
        If a block is fixed to two.
    """
    team, holder = [-1] * n_blocks, [-1] * n_blocks
    for place, preference in enumerate(team_of):
        block = block_of[place]
        if preference >= 0:
            if team[block] not in (-1, preference):
                reason = "they are in one party, but fixed to different teams"
                raise Contradiction(holder[block], place, reason)
            team[block], holder[block] = preference, place
    return tuple(team)


def apart_pairs(
    groups: Iterable[Sequence[int]],
    n_teams: int,
    block_of: list[int],
    block_team: tuple[int, ...],
) -> list[tuple[int, int]]:
    """Return the pairs of players who must not be in one team, from groups; all by place in the roster.

    Raises
    ------
    Contradiction
        If two of a group must be together, or there are too many of them.
    """
    listed = list(groups)
    if max(block_team, default=-1) < 0 and {*map(len, listed)} == {2}:  # there may be millions
        blocks = list(map(block_of.__getitem__, chain.from_iterable(listed)))
        if not any(map(eq, blocks[::2], blocks[1::2])):
            return [(one, other) for one, other in listed]
    pairs = []
    team_of = [block_team[block] for block in block_of]
    for places in listed:
        if len(places) > n_teams:
            reason = f"{len(places)} players must be apart from each other, but there are {n_teams} teams"
            raise Contradiction(places[0], places[-1], reason)
        for i, one in enumerate(places[1:], start=1):
            for other in places[:i]:
                if block_of[one] == block_of[other]:
                    raise Contradiction(other, one, "they must be apart, but are in one party")
                if team_of[one] == team_of[other] >= 0:
                    raise Contradiction(other, one, "they must be apart, but are fixed to one team")
                pairs.append((other, one))
    return pairs


#: What everyone weighs in a roster where nobody has a weight: the middle of the 0..100 scale.
MIDDLE_WEIGHT = 50.0


@dataclass(frozen=True)
class Roster:
    """Players with a rating each, and how to find them by id or name.

    Parameters
    ----------
    players : tuple of Player
        Everyone, with a rating.
    default : float or None
        What those without a rating were given; None where everyone had one.
    unrated : int
        How many were given it.
    """

    players: tuple[Player, ...]
    default: float | None
    unrated: int

    @property
    def ratings(self) -> list[Rating]:
        """Everyone's rating."""
        return [player.rating for player in self.players if isinstance(player.rating, Rating)]

    @cached_property
    def mu(self) -> Floats:
        """Everyone's weight, shape (n_players,), roster units."""
        return np.array([rating.mu for rating in self.ratings])

    @cached_property
    def sigma(self) -> Floats:
        """Everyone's uncertainty, shape (n_players,), roster units."""
        return np.array([rating.sigma for rating in self.ratings])

    @cached_property
    def _by_id(self) -> dict[str, list[int]]:
        return {player.id: [place] for place, player in enumerate(self.players)}

    @cached_property
    def _by_name(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for place, player in enumerate(self.players):
            places.setdefault(player.name, []).append(place)
        return places

    @cached_property
    def _places(self) -> dict[str, int]:
        """The place of each id, and of each name that only one player has."""
        named = {name: places[0] for name, places in self._by_name.items() if len(places) == 1}
        return named | {who: places[0] for who, places in self._by_id.items()}

    def find(self, argument: str, who: str) -> int:
        """Return the place of a player known by id or by name.

        Raises
        ------
        InputError
            If nobody or more than one is known by it.
        """
        place = self._places.get(who)
        if place is not None:
            return place
        if who in self._by_name:
            msg = f": {len(self._by_name[who])} players are named {who!r}; their ids tell them apart"
            raise InputError(msg, argument)
        near = nearest(who, [*self._by_name, *self._by_id])
        names = ", ".join(player.label for player in self.players[:10])
        more = ", ..." if len(self.players) > 10 else ""
        hint = f"the roster has {names}{more}" if near is None else f"did you mean {near!r}?"
        msg = f": there is no player {who!r}; {hint}"
        raise InputError(msg, argument)

    def find_each(self, argument: str, group: Sequence[str]) -> list[int]:
        """Return the places of a group's players, none of whom may come twice.

        Raises
        ------
        InputError
            As :meth:`find`, and if somebody does.
        """
        places = [self.find(argument, who) for who in group]
        if len(set(places)) < len(places):
            msg = f": {self.players[places[again(places)]].label!r} comes twice in one group"
            raise InputError(msg, argument)
        return places

    def find_all(self, argument: str, groups: Sequence[Sequence[str]]) -> list[Sequence[int]]:
        """Return what :meth:`find_each` does of every group, millions of pairs in a second."""
        if {*map(len, groups)} == {2}:
            flat = list(map(self._places.get, chain.from_iterable(groups)))
            pairs = list(zip(flat[::2], flat[1::2], strict=True))
            if None not in flat and not any(map(eq, flat[::2], flat[1::2])):
                return cast("list[Sequence[int]]", pairs)
        return [self.find_each(argument, group) for group in groups]


@dataclass(frozen=True)
class Besides:
    """What may be asked for besides parties, who is apart and who is fixed.

    Parameters
    ----------
    preferences : tuple of Preference
        Preferences between players, with their prices.
    side_price : float
        What a whole side preference is worth, in win probability.
    roles : mapping from str to int, or None
        How many of each role a team needs.
    rules : tuple of Rule
        Linear rules.
    stay : float
        The price of each player who changes team, in win probability.
    moves : int or None
        How many players may change team.
    counted : bool
        Whether an objective counts who does.
    """

    preferences: tuple[Preference, ...] = ()
    side_price: float = 0.0
    roles: Mapping[str, int] | None = None
    rules: tuple[Rule, ...] = ()
    stay: float = 0.0
    moves: int | None = None
    counted: bool = False


def rated(players: Iterable[Player] | Mapping[str, float | Rating | None], default: float | None) -> Roster:
    """Return the roster with a rating for everyone.

    Parameters
    ----------
    players : iterable of Player, or mapping from name to weight
        Who is here.
    default : float or None
        The weight of players without one; None is the mean of the others, or 50 where nobody has one.

    Raises
    ------
    InputError
        If an id comes twice.
    """
    if isinstance(players, Mapping):
        players = players_named(players)
    everyone = tuple(players)
    _check_players(everyone)
    if any(player.rating is None and player.roles for player in everyone):
        everyone = tuple(map(rated_by_roles, everyone))
    if len({player.id for player in everyone}) < len(everyone):
        seen: set[str] = set()
        for player in everyone:
            if player.id in seen:
                msg = f": {player.label!r} comes twice; every id must be there once"
                raise InputError(msg, "players")
            seen.add(player.id)
    unrated = sum(player.rating is None for player in everyone)
    if not unrated:
        return Roster(everyone, None, 0)
    if default is None:
        known = [player.rating.mu for player in everyone if isinstance(player.rating, Rating)]
        default = mean(np.array(known)) if known else MIDDLE_WEIGHT
    filled = tuple(p if p.rating is not None else replace(p, rating=Rating(default)) for p in everyone)
    return Roster(filled, default, unrated)


def _check_players(everyone: Sequence[object]) -> None:
    for place, player in enumerate(everyone, start=1):
        if not isinstance(player, Player):
            msg = f"players must be Players, or names with weights, got {player!r:.40} as entry {place}"
            raise InputError(msg)


@dataclass(frozen=True)
class Sizes:
    """How large teams are wanted to be.

    Parameters
    ----------
    exact : tuple of int or None
        The size of each team.
    minimum, maximum : int or None
        How many players of the roster each team may have.
    max_difference : int or None
        By how many such players the teams may differ; by default one, or any number where sizes or
        limits are given.

    Raises
    ------
    InputError
        If a number is below 0 or above a million, or the limits exclude each other.
    """

    exact: tuple[int, ...] | None = None
    minimum: int | None = None
    maximum: int | None = None
    max_difference: int | None = None

    def __post_init__(self) -> None:
        numbers: list[tuple[str, int | None]] = [("sizes", size) for size in self.exact or ()]
        numbers += [("min_size", self.minimum), ("max_size", self.maximum)]
        numbers += [("max_difference", self.max_difference)]
        for name, number in numbers:
            if number is not None and not 0 <= number <= MOST_PLAYERS:
                msg = f"must be from 0 to {MOST_PLAYERS}, got {number}"
                raise InputError(msg, name)
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            msg = f"must be at most max_size, which is {self.maximum}, got {self.minimum}"
            raise InputError(msg, "min_size")


def size_rules(n: int, n_teams: int, sizes: Sizes, bots: Bots | None) -> SizeRules:
    """Return the rules for a roster of n players.

    Raises
    ------
    InputError
        If no split has such sizes.
    """
    if sizes.exact is not None:
        return _exact(n, n_teams, sizes.exact, sizes.max_difference, bots)
    limited = sizes.minimum is not None or sizes.maximum is not None
    minimum = int(bots is None and n >= n_teams) if sizes.minimum is None else sizes.minimum
    maximum = n if sizes.maximum is None else sizes.maximum
    if minimum * n_teams > n or maximum * n_teams < n:
        msg = f": {n_teams} teams of {minimum} to {maximum} players do not hold {n} players exactly"
        raise InputError(msg, "sizes")
    difference = sizes.max_difference
    if difference is None:
        difference = n if limited else 1
    seats = bots.seats(n_teams) if bots is not None else 0
    return SizeRules((minimum,) * n_teams, (maximum,) * n_teams, difference, (seats,) * n_teams)


def _exact(
    n: int, n_teams: int, exact: tuple[int, ...], difference: int | None, bots: Bots | None
) -> SizeRules:
    """Return the rules for teams of given sizes, which with bots are seats to be filled up."""
    if len(exact) != n_teams:
        msg = f"must have one size for each of {n_teams} teams, got {len(exact)}"
        raise InputError(msg, "sizes")
    seats = sum(exact)
    if seats < n or (seats > n and bots is None):
        least = "" if bots is None else "at least "
        msg = f"must add up to {least}{n}, the number of players, got {'+'.join(map(str, exact))} = {seats}"
        raise InputError(msg, "sizes")
    if bots is None:
        return SizeRules(exact, exact, n if difference is None else difference, exact)
    if bots.minimum or bots.target or bots.maximum is not None:
        msg = "fix how large the teams are; leave out the minimum, maximum and target of the bots"
        raise InputError(msg, "sizes")
    if difference is None:
        difference = max(1, max(exact) - min(exact))
    return SizeRules((0,) * n_teams, exact, difference, exact)


def build(
    roster: Roster,
    n_teams: int,
    rules: SizeRules,
    bots: Bots | None,
    parties: Iterable[Sequence[str]] = (),
    apart: Iterable[Sequence[str]] = (),
    fixed: Iterable[tuple[str, int]] = (),
    besides: Besides | None = None,
    counted: CommonUnit = AS_WRITTEN,
) -> Problem:
    """Return the problem a roster and its preferences make, in the unit in which it is counted.

    Raises
    ------
    InputError
        If the arguments are at fault.
    Contradiction
        If two players can be neither together nor apart; ``one`` and ``other`` are places in the roster.
    """
    players = roster.players
    n = len(players)
    block_of, members = _blocks(roster, parties)
    bound = [(roster.find("fixed", who), team) for who, team in fixed]
    block_team = (-1,) * len(members)
    if bound or any(player.team is not None for player in players):
        block_team = block_teams(fixed_teams(players, n_teams, bound), block_of, len(members))
    parted = roster.find_all("apart", tuple(apart))
    pairs = apart_pairs(parted, n_teams, block_of, block_team) if parted else []
    mu, sigma = counted.weights(roster.mu), counted.unit.each_counted(roster.sigma)
    side = np.array([player.side for player in players])
    centre = counted.centre(centre_of(mu))
    each = np.stack([np.ones(n), mu, (mu - centre) ** 2, sigma * sigma, side], axis=1)
    if len(members) < n:
        of_players, each = each, np.zeros((len(members), each.shape[1]))
        np.add.at(each, block_of, of_players)
    filler = None
    if bots is not None:
        mean = float(mu.mean()) if n else 0.0
        weight = mean if bots.weight is None else counted.unit.counted(bots.weight)
        filler = np.array([1.0, weight, (weight - centre) ** 2, 0.0, 0.5])
    prices, roles, rows, moving = None, None, None, None
    changes = moves_of(players, n_teams) if any(player.team_now is not None for player in players) else None
    if besides is not None:
        if changes is not None and (besides.stay or besides.counted or besides.moves is not None):
            most = besides.moves
            if most is not None and most >= changes.max(axis=1).sum():
                most = None
            moving = Moving(np.zeros((len(members), n_teams)), most, besides.stay)
            np.add.at(moving.each, block_of, changes)
        moved = besides.stay * moving.each if besides.stay and moving is not None else None
        if besides.preferences or besides.side_price or moved is not None:
            groups = [(one, roster.find_each("preferences", one.players)) for one in besides.preferences]
            blocks = block_of, len(members)
            prices = prices_of(groups, besides.side_price, moved, players, blocks, n_teams)
        if besides.rules:
            rows = rows_of(besides.rules, n_teams, block_of, len(members), roster.find)
        if besides.roles:
            slack = (n_teams - 1) * rules.difference
            least = max(min(rules.minimum), -((slack - n) // n_teams))
            most = min(max(rules.maximum), (n + slack) // n_teams)
            roles = roles_of(players, besides.roles, centre, members, (least, most), counted)
    problem = Problem(
        features=each,
        min_size=rules.minimum,
        max_size=rules.maximum,
        max_difference=rules.difference,
        seats=rules.seats,
        filler=filler,
        apart=tuple(pairs) if n == len(members) else tuple((block_of[a], block_of[b]) for a, b in pairs),
        fixed=block_team,
        centre=centre,
        unit=counted.unit,
        exact=counted.whole and (filler is None or float(filler[MU]).is_integer()),
        members=members,
        prices=prices,
        roles=roles,
        rows=rows,
        moving=moving,
    )
    if n_teams == 2 and pairs:
        try:
            components(problem)
        except Contradiction as clash:
            pair = problem.apart.index((clash.one, clash.other))
            raise Contradiction(*pairs[pair], clash.reason) from None
    return problem


def _blocks(
    roster: Roster, parties: Iterable[Sequence[str]]
) -> tuple[list[int], tuple[tuple[int, ...], ...]]:
    """Return each player's block, and each block's players: those in a party, directly or not, are one."""
    n = len(roster.players)
    if not any(player.party is not None for player in roster.players) and not (parties := tuple(parties)):
        return list(range(n)), tuple((place,) for place in range(n))
    union = SignedUnion(n)
    leader: dict[str, int] = {}
    for place, player in enumerate(roster.players):
        if player.party is not None:
            union.bind(leader.setdefault(player.party, place), place, 1)
    for party in parties:
        places = roster.find_each("parties", party)
        for place in places[1:]:
            union.bind(places[0], place, 1)
    members: dict[int, list[int]] = {}
    for place in range(len(roster.players)):
        members.setdefault(union.find(place)[0], []).append(place)
    block_of = [0] * len(roster.players)
    for block, together in enumerate(members.values()):
        for place in together:
            block_of[place] = block
    return block_of, tuple(tuple(together) for together in members.values())
