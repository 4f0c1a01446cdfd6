"""What :func:`equipoise.balance` is asked, as a value: to change a wish, ask again, and compare the answers.

Everything is answered by ``balance`` itself, so whatever it can be asked for can be explained.
What is made of the answers is in ``explaining`` and ``editing``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from equipoise.errors import InputError
from equipoise.players import NO_SIDE, Bots, Player
from equipoise.registry import CRITERIA, OBJECTIVES, resolve
from equipoise.teams.balancing import balance
from equipoise.teams.explaining.judging import Cost, Moved, TeamFacts, Valuation, rounded
from equipoise.teams.objectives.composing import compose
from equipoise.teams.objectives.objective import Units
from equipoise.teams.problem.roster import Roster, rated
from equipoise.teams.problem.rules import Rule
from equipoise.teams.problem.sizes import SizeRules, Sizes, size_rules
from equipoise.teams.problem.wishes import Wish, wishes_of
from equipoise.teams.request import DEFAULT_OBJECTIVE
from equipoise.teams.solution import Solution, Split
from equipoise.teams.solvers import stages


@dataclass(frozen=True, eq=False)
class Request:
    """Players and the settings of ``balance``, each wish in one place only.

    Parameters
    ----------
    roster : Roster
        Everyone, with a rating and without party and team: those are among the wishes.
    settings : mapping of str to object
        The arguments of :func:`equipoise.balance` that are not wishes about players.
    parties : tuple of tuples of int
        Who stays together, as places in the roster.
    apart : tuple of (int, int)
        Which two are kept apart.
    fixed : tuple of (int, int)
        A place in the roster and the team, from 0, it is fixed to.
    wishes : tuple of Wish
        The wishes between players that have a price, those that come with the players first.
    rules : tuple of Rule
        The rules of one's own.
    """

    roster: Roster
    settings: Mapping[str, Any]
    parties: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()
    wishes: tuple[Wish, ...] = ()
    rules: tuple[Rule, ...] = ()

    @property
    def n_teams(self) -> int:
        """How many teams there are."""
        return int(self.settings.get("teams", 2))

    @cached_property
    def interchangeable(self) -> bool:
        """Whether the teams differ in nothing but their numbers."""
        sizes = self.settings.get("sizes")
        equal = sizes is None or isinstance(sizes, int) or len(set(sizes)) == 1
        sides = any(player.side != NO_SIDE for player in self.roster.players)
        named = any(not isinstance(who, str) for rule in self.rules for who in rule.terms)
        return equal and not self.fixed and not sides and not named

    @cached_property
    def grows_with_fairness(self) -> tuple[bool, ...]:
        """Whether each objective of the order is known by a number that does, as ``ratio`` is."""
        asked = compose(self.settings.get("objective", DEFAULT_OBJECTIVE), Units())
        order = (*(criterion for criterion, _ in asked.first), asked.criterion)
        return tuple(criterion.shown(0.0) > criterion.shown(1.0) for criterion in order)

    @property
    def needed(self) -> Mapping[str, int]:
        """How many of each role every team needs."""
        return self.settings.get("roles") or {}

    @property
    def side_price(self) -> float:
        """What a whole side wish is worth, in win probability."""
        return float(self.settings.get("side_price", 0.0))

    @cached_property
    def sizes(self) -> SizeRules:
        """The rules on team sizes."""
        given = self.settings
        exact = given.get("sizes")
        each = (exact,) * self.n_teams if isinstance(exact, int) else None if exact is None else tuple(exact)
        wished = Sizes(each, *(given.get(name) for name in ("min_size", "max_size", "max_difference")))
        bots = Bots() if given.get("bots") is True else given.get("bots") or None
        return size_rules(len(self.roster.players), self.n_teams, wished, bots)

    @property
    def largest_difference(self) -> int:
        """By how many players the teams may differ."""
        return min(self.sizes.difference, max(self.sizes.maximum) - min(self.sizes.minimum))

    def holds(self, counts: Sequence[int]) -> bool:
        """Tell whether teams of these sizes keep the rules on sizes."""
        rules = zip(self.sizes.minimum, counts, self.sizes.maximum, strict=True)
        return all(low <= n <= high for low, n, high in rules) and (
            max(counts) - min(counts) <= self.sizes.difference
        )

    def ask(self, **changes: Any) -> Solution:
        """Return what ``balance`` says, with some settings changed.

        What the solver that is asked for cannot do with them is left to one that can.
        """
        ids = [player.id for player in self.roster.players]
        given = {
            "parties": [[ids[place] for place in party] for party in self.parties],
            "apart": [[ids[place] for place in group] for group in self.apart],
            "fixed": {ids[place]: team for place, team in self.fixed},
            "wishes": self.wishes,
            "rules": self.rules,
            **self.settings,
            **changes,
        }
        try:
            return balance(self.roster.players, **given)
        except InputError as error:
            if not str(error).startswith("solver:"):
                raise
            return balance(self.roster.players, **{**given, "solver": "auto"})

    def place(self, argument: str, who: str) -> int:
        """Return the place of a player known by id or name; see :meth:`Roster.find`."""
        return self.roster.find(argument, who)

    def label(self, place: int) -> str:
        """Return what a player is called."""
        return self.roster.players[place].label

    def teams_of(self, split: Split) -> list[int]:
        """Return the team of every place of the roster in a split.

        Raises
        ------
        InputError
            If the split is not one of this roster.
        """
        team_of = {player.id: n for n, team in enumerate(split.teams) for player in team}
        if set(team_of) != {player.id for player in self.roster.players}:
            msg = "split: its players are not those of the roster"
            raise InputError(msg)
        return [team_of[player.id] for player in self.roster.players]

    def judge(self, teams: Sequence[int], **changes: Any) -> Split:
        """Return the division with these teams for the roster's places, whatever rules it breaks."""
        ids = [player.id for player in self.roster.players]
        sizes = _sizes_that_hold([teams.count(team) for team in range(self.n_teams)], self.settings)
        free = {"parties": (), "apart": (), "rules": (), "fixed": dict(zip(ids, teams, strict=True))}
        alone = {"solver": stages.as_fixed, "rerank": None, "keep": 1}
        asked = {"objective": DEFAULT_OBJECTIVE, **self.settings, **changes}["objective"]
        split = self.ask(**{**free, **sizes, **alone, **changes, "objective": self._as_asked(asked)}).best
        return replace(split, values=()) if isinstance(asked, str) else split

    def _as_asked(self, objective: Any) -> Any:
        """Return an objective that heeds sides as in the request, where everybody is fixed to be judged."""
        exact = self.settings.get("sizes")
        unequal = exact is not None and not isinstance(exact, int) and len(set(exact)) > 1
        if self.fixed or unequal or all(player.side == NO_SIDE for player in self.roster.players):
            return objective
        if isinstance(objective, Sequence) and not isinstance(objective, str):
            return [self._as_asked(entry) for entry in objective]
        return lambda scale: compose(objective, replace(scale, signed=False))

    def cost(self, split: Split, than: Split) -> Cost:
        """Return what a split is worse than another."""
        grows = self.grows_with_fairness

        def worse(more: float, less: float, higher_is_better: bool) -> float:
            return rounded(less - more if higher_is_better else more - less)

        # Prices that count before everything else stand first among the values, and are told as such.
        both = zip(split.values[-len(grows) :], than.values[-len(grows) :], grows, strict=False)
        values = tuple(worse(*entry) for entry in both) if len(grows) > 1 else ()
        return Cost(
            rounded(split.distance - than.distance),
            worse(split.value, than.value, grows[-1]),
            rounded(paid(split) - paid(than)),
            values if any(values) else (),
        )

    def betters(self, gained: Cost) -> bool:
        """Tell whether a difference from the best division found can be one: a worse one is none.

        Where only one objective counts it has to gain by it; else any number may.
        """
        alone = len(self.grows_with_fairness) == 1
        return gained.value > 0.0 if alone else any(number > 0.0 for number in gained.numbers)

    def aligned(self, split: Split, than: Split) -> Split:
        """Return a split with teams that differ in nothing numbered so that few players change theirs."""
        if not self.interchangeable:
            return split
        order = _renaming(self.teams_of(than), self.teams_of(split), self.n_teams)
        return replace(
            split,
            teams=tuple(split.teams[n] for n in order),
            bots=tuple(split.bots[n] for n in order),
            totals=tuple(split.totals[n] for n in order),
            win_probability=tuple(split.win_probability[n] for n in order),
            roles=tuple(split.roles[n] for n in order) if split.roles else (),
        )

    def moves(self, before: Split, after: Split) -> tuple[Moved, ...]:
        """Return who is in another team afterwards."""
        teams = zip(self.teams_of(before), self.teams_of(after), strict=True)
        return tuple(
            Moved(self.label(place), origin, team)
            for place, (origin, team) in enumerate(teams)
            if origin != team
        )

    def value(self, split: Split, solution: Solution) -> Valuation:
        """Return a split in numbers: its teams, and what every objective and criterion says of it."""
        teams = self.teams_of(split)
        values: dict[str, float] = {}
        unpriced = {"wishes": (), "side_price": 0.0, "tolerances": None}
        for name in OBJECTIVES:
            try:
                values[name] = self.judge(teams, objective=name, **unpriced).value
            except InputError:  # it cannot judge this roster, as ``ratio`` where weights are negative
                continue
        for name, value in zip(*self._asked(split, solution), strict=True):
            values.setdefault(name, value)
        weights = [
            np.array([*team, *[solution.bot_weight or 0.0] * bots])
            for team, bots in zip(split.weights, split.bots, strict=True)
        ]
        for name in CRITERIA:
            values[name] = float(resolve("criterion", CRITERIA, name)(weights))
        facts = tuple(
            TeamFacts(
                players=tuple(player.label for player in team),
                bots=bots,
                total=total,
                mean=float(each.mean()) if len(each) else 0.0,
                deviation=float(each.std()) if len(each) else 0.0,
                win_probability=chance,
            )
            for team, bots, total, each, chance in zip(
                split.teams, split.bots, split.totals, weights, split.win_probability, strict=True
            )
        )
        return Valuation(facts, split.distance, tuple(values.items()), split.wishes)

    def _asked(self, split: Split, solution: Solution) -> tuple[list[str], list[float]]:
        """Return the names of the objectives that are asked for, and what they say of a split."""
        several = len(self.grows_with_fairness)
        names = solution.objective.split(", ")
        if several == 1 or len(names) != several or len(split.values) < several:
            return [solution.objective], [split.value]
        return names, list(split.values[-several:])


def request_of(players: Iterable[Player] | Mapping[str, Any], settings: Mapping[str, Any]) -> Request:
    """Return a request from the arguments of :func:`equipoise.balance`.

    Raises
    ------
    InputError
        If a wish names somebody who is not in the roster.
    """
    roster = rated(players, settings.get("default"))
    wishes = (*wishes_of(roster.players), *(settings.get("wishes") or ()))
    alone = tuple(replace(player, party=None, team=None, prefer=(), avoid=()) for player in roster.players)
    tags: dict[str, list[int]] = {}
    for place, player in enumerate(roster.players):
        if player.party is not None:
            tags.setdefault(player.party, []).append(place)
    groups = {
        argument: [tuple(roster.find(argument, who) for who in group) for group in settings.get(wish) or ()]
        for wish, argument in (("parties", "party"), ("apart", "apart"))
    }
    fixed = {place: player.team for place, player in enumerate(roster.players) if player.team is not None}
    fixed |= {roster.find("fixed", who): team for who, team in (settings.get("fixed") or {}).items()}
    return Request(
        roster=Roster(alone, roster.default, roster.unrated),
        settings={name: given for name, given in settings.items() if name not in WISHES},
        parties=tuple(
            dict.fromkeys(tuple(party) for party in [*tags.values(), *groups["party"]] if len(party) > 1)
        ),
        apart=tuple(dict.fromkeys(pair for group in groups["apart"] for pair in combinations(group, 2))),
        fixed=tuple(fixed.items()),
        wishes=wishes,
        rules=tuple(settings.get("rules") or ()),
    )


#: The arguments of ``balance`` that a request keeps for itself.
WISHES = ("parties", "apart", "fixed", "wishes", "rules")


def answer(
    players: Iterable[Player] | Mapping[str, Any], solution: Solution | None, settings: Mapping[str, Any]
) -> tuple[Request, Solution]:
    """Return a request, and what ``balance`` says to it unless that is known."""
    everyone = players if isinstance(players, Mapping) else tuple(players)
    read_once = {name: tuple(settings[name]) for name in WISHES if name != "fixed" and settings.get(name)}
    given = {**settings, **read_once}
    known = balance(everyone, **given) if solution is None else solution
    return request_of(everyone, given), known


def paid(split: Split) -> float:
    """Return what a split pays for the wishes it breaks."""
    return sum(outcome.paid for outcome in split.wishes)


def _sizes_that_hold(counts: Sequence[int], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings under which teams of these sizes are legal and get the bots they would get."""
    open_sizes = {"min_size": None, "max_size": None, "max_difference": sum(counts)}
    if not settings.get("bots"):
        return {**open_sizes, "sizes": counts}
    seats = settings.get("sizes")
    if seats is None:
        return {**open_sizes, "min_size": 0, "max_size": sum(counts)}
    each = [seats] * len(counts) if isinstance(seats, int) else list(seats)
    excess = max(0, *(count - seat for count, seat in zip(counts, each, strict=True)))
    return {**open_sizes, "sizes": [seat + excess for seat in each]}


def _renaming(old: Sequence[int], new: Sequence[int], n_teams: int) -> list[int]:
    """Return the new team for each old number, those with most players in common first."""
    common = np.zeros((n_teams, n_teams), dtype=np.int64)
    np.add.at(common, (np.array(old), np.array(new)), 1)
    order: dict[int, int] = {}
    for entry in np.argsort(-common, axis=None, kind="stable").tolist():
        number, team = divmod(entry, n_teams)
        if number not in order and team not in order.values():
            order[number] = team
    return [order[number] for number in range(n_teams)]
