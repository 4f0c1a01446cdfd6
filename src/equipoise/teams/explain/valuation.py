"""What a split is worth, and what one is worse than another: arithmetic on its totals, no search.

A :class:`Yardstick` is made once from a request.  In it everyone is a block alone and no rule holds, so any
split can be measured with it, whatever rules that breaks, and all swaps of a player at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Any

import numpy as np

from equipoise.core.arrays import Bools, Floats, Labels
from equipoise.core.player import NO_SIDE
from equipoise.core.registry import OBJECTIVES, RERANKERS, resolve
from equipoise.core.sides import EVEN_SIDES
from equipoise.core.ties import EQUAL
from equipoise.errors import InputError
from equipoise.teams.balance import bot_weight, check_positive, split_of, value_of, weights_of
from equipoise.teams.objectives.composed import priced
from equipoise.teams.objectives.objective import Criterion, Objective, Units
from equipoise.teams.objectives.units import compose
from equipoise.teams.problem.build import Besides, build
from equipoise.teams.problem.current_teams import matched
from equipoise.teams.problem.preferences import Outcome
from equipoise.teams.problem.problem import N_FEATURES, Problem, SizeRules
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solution import Split

#: What a chance must change by to count: below it is rounding.
ROUNDING = 1e-12

#: The keys in JSON of fields that go by another name there.
KEYS = {"imbalance": "distance", "preference": "wish", "preferences": "wishes", "split": "division"}


def as_json(facts: Any) -> dict[str, Any]:
    """Return a dataclass in plain lists and numbers, its fields by their keys in JSON."""
    return asdict(facts, dict_factory=lambda items: {KEYS.get(name, name): value for name, value in items})


@dataclass(frozen=True, slots=True)
class TeamFacts:
    """One team in numbers: players by name, and bots, sum, mean and standard deviation with bots, chance."""

    players: tuple[str, ...]
    bots: int
    total: float
    mean: float
    deviation: float
    win_probability: float


@dataclass(frozen=True, slots=True)
class Valuation:
    """A split in numbers.

    Parameters
    ----------
    teams : tuple of TeamFacts
        One for each team.
    imbalance : float
        The largest imbalance of a team's win probability from even.
    values : tuple of (str, float)
        Every registered objective and criterion that can judge the split, without the prices of preferences,
        and what is asked for.
    preferences : tuple of Outcome
        What became of the preferences that have a price.
    """

    teams: tuple[TeamFacts, ...]
    imbalance: float
    values: tuple[tuple[str, float], ...]
    preferences: tuple[Outcome, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers."""
        outcomes = [outcome.as_dict() for outcome in self.preferences]
        return {**as_json(replace(self, preferences=())), "values": dict(self.values), "wishes": outcomes}


@dataclass(frozen=True, slots=True)
class TeamChanges:
    """A player by name, and the teams, from 0, that are left and joined."""

    player: str
    origin: int
    team: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What one split is worse than another.

    Parameters
    ----------
    win_probability : float
        By how much a team's chance is further from even, 0 to 1; below 0 where it is nearer.
    value : float
        By how much the objective is worse, in the number it is known by; below 0 where it is better.
    preferences : float
        By how much more is paid for preferences that are broken, in win probability.
    values : tuple of float
        Of an order of objectives, by how much each is worse; empty where there is only one.
    """

    win_probability: float
    value: float
    preferences: float = 0.0
    values: tuple[float, ...] = ()

    @property
    def numbers(self) -> tuple[float, ...]:
        """All of them."""
        return (self.win_probability, self.preferences, *self.values, self.value)

    def minus(self, other: Cost) -> Cost:
        """Return what this costs more than another."""
        return Cost(
            rounded(self.win_probability - other.win_probability),
            rounded(self.value - other.value),
            rounded(self.preferences - other.preferences),
            tuple(rounded(mine - its) for mine, its in zip_longest(self.values, other.values, fillvalue=0.0)),
        )


def rounded(difference: float) -> float:
    """Return a difference, 0 where it is rounding."""
    return 0.0 if abs(difference) < ROUNDING else difference


@dataclass(frozen=True, eq=False)
class Yardstick:
    """What splits of a request are measured with.

    Parameters
    ----------
    request : BalanceRequest
        What was asked, folded: see :meth:`BalanceRequest.folded`.
    """

    request: BalanceRequest

    @cached_property
    def index(self) -> dict[str, int]:
        """Where each player, by id, is in the roster."""
        return {player.id: place for place, player in enumerate(self.request.players)}

    @cached_property
    def problem(self) -> Problem:
        """Everyone as a block, and no rule."""
        asked = self.request
        n, k = len(asked.players), asked.teams
        any_size = SizeRules((0,) * k, (n,) * k, n, asked.size_rules.seats)
        roles, counted = dict(asked.roles), asked.counts_moves
        besides = Besides(asked.preferences, asked.side_price, roles, stay=asked.stay, counted=counted)
        return _for_few(build(asked.roster, k, any_size, asked.bots, besides=besides, counted=asked.counted))

    @cached_property
    def strict(self) -> Problem:
        """The same with every rule but the parties, who are blocks in a problem that is solved."""
        asked = self.request
        besides = Besides((), 0.0, dict(asked.roles), asked.rules, moves=asked.moves)
        rules = (), asked.apart, asked.fixed, besides
        sizes, bots = asked.size_rules, asked.bots
        return _for_few(build(asked.roster, asked.teams, sizes, bots, *rules, counted=asked.counted))

    @cached_property
    def unpriced(self) -> tuple[Objective, Units]:
        """What is asked for without the prices of preferences, and its units."""
        return self.request.asked

    @cached_property
    def objective(self) -> Objective:
        """What is asked for, the prices of preferences included."""
        asked, units = self.unpriced
        return asked if self.problem.prices is None else priced(asked, units)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the objectives that are asked for: several of an order, else one."""
        asked = self.request.objective
        if isinstance(asked, tuple) and len(asked) > 1:
            return tuple(compose(entry, self.unpriced[1]).name for entry in asked)
        return (self.objective.name,)

    @cached_property
    def grows(self) -> tuple[bool, ...]:
        """Whether each criterion of the order is known by a number that grows with fairness, as ``ratio``."""
        return tuple(criterion.shown(0.0) > criterion.shown(1.0) for criterion, _ in self.unpriced[0].order)

    @cached_property
    def registered(self) -> tuple[tuple[str, Criterion], ...]:
        """The criterion of every registered objective that can judge this roster, by its name."""
        able = []
        for name in OBJECTIVES:
            try:
                objective, _ = self.request.judged_by(name)
                check_positive(objective, self.problem)
            except InputError:
                continue
            able.append((name, objective.criterion))
        return tuple(able)

    @cached_property
    def interchangeable(self) -> bool:
        """Whether the teams differ in nothing but their numbers."""
        asked = self.request
        equal = not isinstance(asked.sizes, tuple) or len(set(asked.sizes)) == 1
        sides = any(player.side != NO_SIDE for player in asked.players)
        named = any(not isinstance(who, str) for rule in asked.rules for who in rule.terms)
        now = any(player.team_now is not None for player in asked.players)
        told_apart = sides or named or now or asked.side_chance != EVEN_SIDES
        return equal and not asked.fixed and not told_apart

    def teams_of(self, split: Split) -> list[int]:
        """Return the team of every player of the roster in a split.

        Raises
        ------
        InputError
            If the split is not one of this roster.
        """
        team_of = {player.id: n for n, team in enumerate(split.teams) for player in team}
        if team_of.keys() != self.index.keys():
            msg = ": its players are not those of the roster"
            raise InputError(msg, "split")
        return [team_of[player.id] for player in self.request.players]

    def split(self, teams: Sequence[int]) -> Split:
        """Return the split with these teams for the roster, whatever rules it breaks."""
        labels = np.array(teams, dtype=np.int8)
        totals = self.problem.totals(labels[None, :])
        value = value_of(self.objective.criterion, totals)
        units = self.unpriced[1]
        return split_of(self.request, self.problem, self.objective, units, labels, totals, value)

    def value(self, split: Split) -> Valuation:
        """Return a split in numbers: its teams, and what every objective and criterion says of it."""
        labels = np.array(self.teams_of(split), dtype=np.int8)
        # Registered objectives are shown without prices.
        totals = np.ascontiguousarray(self.problem.totals(labels[None, :])[:, :, :N_FEATURES])
        values = {name: value_of(criterion, totals) for name, criterion in self.registered}
        asked = split.values[-len(self.names) :] if len(self.names) > 1 else (split.value,)
        for name, value in zip(self.names, asked, strict=True):
            values.setdefault(name, value)
        weights = weights_of(split, bot_weight(self.problem) or 0.0)
        for name in RERANKERS:
            values[name] = float(resolve("rerank", RERANKERS, name)(weights))
        return Valuation(_facts(split, weights), split.imbalance, tuple(values.items()), split.preferences)

    def cost(self, split: Split, than: Split) -> Cost:
        """Return what a split is worse than another."""
        grows = self.grows

        def worse(more: float, less: float, higher_is_better: bool) -> float:
            return rounded(less - more if higher_is_better else more - less)

        # Prices that count before everything else stand first among the values, and are shown as such.
        both = zip(split.values[-len(grows) :], than.values[-len(grows) :], grows, strict=False)
        values = tuple(worse(*entry) for entry in both) if len(grows) > 1 else ()
        return Cost(
            rounded(split.imbalance - than.imbalance),
            worse(split.value, than.value, grows[-1]),
            rounded(paid(split) - paid(than)),
            values if any(values) else (),
        )

    def betters(self, gained: Cost) -> bool:
        """Tell whether a difference from the best split found can be one: a worse one is none.

        Where only one objective counts it has to gain by it; else any number may.
        """
        return gained.value > 0.0 if len(self.grows) == 1 else any(number > 0.0 for number in gained.numbers)

    def aligned(self, split: Split, than: Split) -> Split:
        """Return a split with teams that differ in nothing numbered so that few players change theirs."""
        if not self.interchangeable:
            return split
        common = np.zeros((self.request.teams, self.request.teams), dtype=np.int64)
        np.add.at(common, (self.teams_of(split), self.teams_of(than)), 1)
        order = matched(common)
        return replace(
            split,
            teams=tuple(split.teams[n] for n in order),
            bots=tuple(split.bots[n] for n in order),
            totals=tuple(split.totals[n] for n in order),
            win_probability=tuple(split.win_probability[n] for n in order),
            roles=tuple(split.roles[n] for n in order) if split.roles else (),
        )

    def moves(self, before: Split, after: Split) -> tuple[TeamChanges, ...]:
        """Return who is in another team afterwards."""
        teams = zip(self.request.players, self.teams_of(before), self.teams_of(after), strict=True)
        return tuple(
            TeamChanges(player.label, origin, team) for player, origin, team in teams if origin != team
        )

    def legal(self, labels: Labels) -> Bools:
        """Tell which splits keep every rule, shape (m,), for the team of each player, (m, n_players)."""
        legal = self.strict.legal(labels)
        for party in self.request.parties:
            members = labels[:, [self.index[who] for who in party]]
            legal &= (members == members[:, :1]).all(axis=1)
        return legal

    def fairest(self, labels: Labels) -> int:
        """Return which of some splits, shape (m, n_players), is the best by what is asked for.

        As in a search, each criterion of an order leaves those within its tolerance to the next.
        """
        totals = self.problem.totals(labels)
        left = np.arange(len(labels))
        for criterion, tolerance in self.objective.order:
            costs = criterion.cost(totals[left])
            rounding = criterion.error(self.problem.rounding)
            left = left[costs <= costs.min() + tolerance + EQUAL * rounding]
        return int(left[0])


def _for_few(problem: Problem) -> Problem:
    """Return a problem of which few splits are looked at."""
    return problem if problem.roles is None else replace(problem, roles=replace(problem.roles, few=True))


def paid(split: Split) -> float:
    """Return what a split pays for the preferences it breaks."""
    return sum(outcome.paid for outcome in split.preferences)


def _facts(split: Split, weights: Sequence[Floats]) -> tuple[TeamFacts, ...]:
    columns = (split.teams, split.bots, split.totals, weights, split.win_probability)
    return tuple(
        TeamFacts(
            players=tuple(player.label for player in team),
            bots=bots,
            total=total,
            mean=float(each.mean()) if len(each) else 0.0,
            deviation=float(each.std()) if len(each) else 0.0,
            win_probability=chance,
        )
        for team, bots, total, each, chance in zip(*columns, strict=True)
    )
