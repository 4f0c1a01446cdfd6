"""What :func:`equipoise.balance` is asked, as a value: to change a wish, ask again, and compare the answers.

Everything is answered by ``balance`` itself, so whatever it can be asked for can be explained.
What is made of the answers is in ``explaining`` and ``editing``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from equipoise.errors import InputError
from equipoise.registry import CRITERIA, OBJECTIVES, resolve
from equipoise.teams.balancing import DEFAULT_OBJECTIVE, balance
from equipoise.teams.objective import Objective, Scale
from equipoise.teams.roster import Roster, rated
from equipoise.teams.search import Found, Ranked, Task
from equipoise.teams.sizes import SizeRules, Sizes, size_rules
from equipoise.teams.solution import Solution, Split, weight
from equipoise.types import NO_SIDE, Bots, Player

#: What a chance must change by to count: below it is rounding.
ROUNDING = 1e-12


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
    """A division in numbers.

    Parameters
    ----------
    teams : tuple of TeamFacts
        One for each team.
    distance : float
        The largest distance of a team's win probability from even.
    values : tuple of (str, float)
        Every registered objective and criterion that can judge the division, and the objective asked for.
    """

    teams: tuple[TeamFacts, ...]
    distance: float
    values: tuple[tuple[str, float], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers."""
        return {**asdict(self), "values": dict(self.values)}


@dataclass(frozen=True, slots=True)
class Moved:
    """A player by name, and the teams, from 0, that are left and joined."""

    player: str
    origin: int
    team: int


@dataclass(frozen=True, slots=True)
class Cost:
    """What one division is worse than another.

    Parameters
    ----------
    win_probability : float
        By how much a team's chance is further from even, 0 to 1; below 0 where it is nearer.
    value : float
        By how much the objective is worse, in the number it is known by; below 0 where it is better.
    """

    win_probability: float
    value: float


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
    """

    roster: Roster
    settings: Mapping[str, Any]
    parties: tuple[tuple[int, ...], ...] = ()
    apart: tuple[tuple[int, int], ...] = ()
    fixed: tuple[tuple[int, int], ...] = ()

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
        return equal and not self.fixed and not sides

    @cached_property
    def higher_is_better(self) -> bool:
        """Whether the objective is known by a number that grows with fairness, as ``ratio`` is."""
        named = self.settings.get("objective", DEFAULT_OBJECTIVE)
        made = resolve("objective", OBJECTIVES, named)
        objective = made(Scale()) if callable(made) else made
        return isinstance(objective, Objective) and (
            objective.criterion.shown(0.0) > objective.criterion.shown(1.0)
        )

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
        """Return what ``balance`` says, with some settings changed."""
        ids = [player.id for player in self.roster.players]
        return balance(
            self.roster.players,
            **{
                "parties": [[ids[place] for place in party] for party in self.parties],
                "apart": [[ids[place] for place in group] for group in self.apart],
                "fixed": {ids[place]: team for place, team in self.fixed},
                **self.settings,
                **changes,
            },
        )

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
        wishes = {"parties": (), "apart": (), "fixed": dict(zip(ids, teams, strict=True))}
        return self.ask(**{**wishes, **sizes, "solver": _as_fixed, "rerank": None, "keep": 1, **changes}).best

    def cost(self, split: Split, than: Split) -> Cost:
        """Return what a split is worse than another."""
        worse = than.value - split.value if self.higher_is_better else split.value - than.value
        return Cost(_rounded(split.distance - than.distance), _rounded(worse))

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
        for name in OBJECTIVES:
            try:
                values[name] = self.judge(teams, objective=name).value
            except InputError:  # it cannot judge this roster, as ``ratio`` where weights are negative
                continue
        values.setdefault(solution.objective, split.value)
        weights = [
            np.array([weight(player) for player in team] + [solution.bot_weight or 0.0] * bots)
            for team, bots in zip(split.teams, split.bots, strict=True)
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
        return Valuation(facts, split.distance, tuple(values.items()))


def request_of(players: Iterable[Player] | Mapping[str, Any], settings: Mapping[str, Any]) -> Request:
    """Return a request from the arguments of :func:`equipoise.balance`.

    Raises
    ------
    InputError
        If a wish names somebody who is not in the roster.
    """
    roster = rated(players, settings.get("default"))
    alone = tuple(replace(player, party=None, team=None) for player in roster.players)
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
    )


#: The arguments of ``balance`` that a request keeps for itself.
WISHES = ("parties", "apart", "fixed")


def answer(
    players: Iterable[Player] | Mapping[str, Any], solution: Solution | None, settings: Mapping[str, Any]
) -> tuple[Request, Solution]:
    """Return a request, and what ``balance`` says to it unless that is known."""
    everyone = players if isinstance(players, Mapping) else tuple(players)
    read_once = {name: tuple(settings[name]) for name in ("parties", "apart") if settings.get(name)}
    given = {**settings, **read_once}
    known = balance(everyone, **given) if solution is None else solution
    return request_of(everyone, given), known


def _as_fixed(task: Task) -> Found:
    """Solve a task in which every block is fixed: there is one division."""
    labels = np.array(task.problem.fixed, dtype=np.int8)
    cost = float(task.criterion.cost(task.problem.totals(labels[None, :]))[0])
    return Found((Ranked(cost, 0, labels),), cost, proven=True)


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


def _rounded(difference: float) -> float:
    """Return a difference, 0 where it is rounding."""
    return 0.0 if abs(difference) < ROUNDING else difference
