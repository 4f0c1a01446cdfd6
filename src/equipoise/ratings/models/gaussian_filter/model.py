"""``default``: online diagonal Gaussian filter with a logistic link, margin and statistics channels.

See docs/algorithms/gaussian-filter.md for the equations; the formulas stand in
:mod:`equipoise.ratings.models.gaussian_filter.kernels`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar

import numpy as np

from equipoise.compiled import compiled, pays
from equipoise.errors import InputError
from equipoise.link import LOGISTIC_SLOPE
from equipoise.matches import Contest, Ruleset, Teams
from equipoise.players import Rating
from equipoise.ratings.model import Attention, Chances, Further, is_bot, openness, question
from equipoise.ratings.models.gaussian_filter import layout
from equipoise.ratings.models.gaussian_filter.experience import HALF_EXPERIENCE
from equipoise.ratings.models.gaussian_filter.kernels import play as play_kernel
from equipoise.ratings.models.gaussian_filter.packing import (
    DAY,
    GENERAL,
    Key,
    Packed,
    levels,
    most_teams,
    pack,
)

#: Contests from which it pays to load the compiled layout.
WORTH = 20_000

#: Squares of a margin and of a statistic before any was seen, and how many contests those count as.
MARGIN_SQUARE, MARGIN_COUNT = 0.09, 2.0
STATISTIC_SQUARE, STATISTIC_COUNT = 0.42, 10.0

#: Hyperparameters that may not be 0, and the range of them all: far more than is of use, and squares and
#: quotients of squares stay numbers.
POSITIVE = frozenset({"sigma", "beta", "half_life", "caution", "margin_noise", "statistic_noise"})
SMALLEST, LARGEST = 1e-9, 1e9

#: The experience of who has not played.
NO_GAMES = (0.0,)


@dataclass(frozen=True, slots=True)
class FilterState:
    """Everything the filter needs for its next update, compared by value.

    Parameters
    ----------
    table : mapping from (player, ruleset) to four numbers
        Of each part of a skill the mean from results, the mean from statistics, the variance, and the day
        it was last seen; ``Ruleset()`` is the general part.
    rulesets : mapping from Ruleset to ten numbers
        What was learnt of each ruleset, see :mod:`equipoise.ratings.models.gaussian_filter.layout`.
    world : five numbers
        Temperature, the evidence for it, and the sums and number of bots.
    games : mapping from player to one number
        How many contests each has played; empty where experience is not looked at.
    """

    table: Mapping[Key, tuple[float, ...]] = field(default_factory=dict)
    rulesets: Mapping[Ruleset, tuple[float, ...]] = field(default_factory=dict)
    world: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 0.0)
    games: Mapping[str, tuple[float, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GaussianFilter(Further):
    """The default model.  Skills are in units of one player's performance noise in one game.

    Parameters
    ----------
    sigma : float
        Standard deviation of the skill of a new player.
    baseline : float
        The price of a body: what a new player adds to a team.
    baseline_sigma : float
        How unsure that is for a ruleset not seen before.
    drift_game, drift_day : float
        Standard deviation by which a skill may change with each contest and each day, bots excepted.
    share_type, share_mutators : float
        Variance of the offsets of a game type and of a mutator set, as parts of ``sigma`` squared.
    outcome : float
        How much of a result counts as news beside the other channels.
    margin_slope, margin_noise : float
        Expected margin for each unit of skill, and its noise, both over the margin's root mean square.
    statistic_slope, statistic_noise : float
        The same for a player's statistics.
    trust_sigma : float
        How unsure it is, for a ruleset not seen before, that what players do helps to predict who wins.
    caution : float
        Evidence with which the temperature of the published probability starts.
    half_life : float
        Contests after which the evidence for the temperature counts half.
    beta : float
        Performance noise; the unit of all skills.
    experience_sigma : float
        How unsure it is, for a ruleset not seen before, what experience adds to a player, half of it in the
        first ten contests; 0 is off.

    Raises
    ------
    InputError
        If a hyperparameter is out of range.

    Examples
    --------
    >>> model = GaussianFilter()
    >>> won = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))
    >>> state = model.update(model.initial(), won)
    >>> [round(chance, 2) for chance in model.win_probability(state, (["ann"], ["bob"]))]
    [0.61, 0.39]
    """

    sigma: float = 0.8
    baseline: float = 1.25
    baseline_sigma: float = 0.5
    drift_game: float = 0.012
    drift_day: float = 0.0145
    share_type: float = 0.03
    share_mutators: float = 0.03
    outcome: float = 0.8
    margin_slope: float = 0.28
    margin_noise: float = 0.95
    statistic_slope: float = 0.57
    statistic_noise: float = 1.3
    trust_sigma: float = 0.3
    caution: float = 20.0
    half_life: float = 2000.0
    beta: float = 1.0
    experience_sigma: float = 0.0

    answers: ClassVar[frozenset[str]] = frozenset({"quality", "expected_margin"})

    #: The skill that adds nothing to a team: skills hold the price of a body.
    zero: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            number = getattr(self, each.name)
            if isinstance(number, bool) or not isinstance(number, int | float):
                msg = f"{each.name} must be a number, got {number!r}"
                raise InputError(msg)
            least = SMALLEST if each.name in POSITIVE else 0.0
            if not least <= number <= LARGEST:
                msg = f"{each.name} must be from {least:g} to {LARGEST:g}, got {number!r}"
                raise InputError(msg)

    def initial(self) -> FilterState:
        """Return the state of nobody having played."""
        return FilterState()

    def update(self, state: FilterState, contest: Contest) -> FilterState:
        """Return the state after one contest more."""
        return self.run(state, [contest])[0]

    def run(
        self, state: FilterState, contests: Sequence[Contest], attention: Attention | None = None
    ) -> tuple[FilterState, list[Chances]]:
        """Return the state after several contests, and what was predicted of each from those before it."""
        if not contests:
            return state, []
        packed = pack(contests, attention)
        teams = most_teams(contests)
        state, chances = self.play(state, packed, teams, fast=pays(len(contests), WORTH))
        bounds = zip(packed.first_team, packed.first_team[1:], strict=False)
        return state, [tuple(chances[first:end]) for first, end in bounds]

    def play(
        self,
        state: FilterState,
        packed: Packed,
        teams: int,
        *,
        fast: bool,
        learning: bool = True,
    ) -> tuple[FilterState, list[float]]:
        """Run the kernels over packed contests, plain or compiled, which is a matter of speed alone.

        Parameters
        ----------
        state : FilterState
            What is known before.
        packed : Packed
            The contests.
        teams : int
            The largest number of teams in a contest.
        fast : bool
            Whether to use the compiled layout.
        learning : bool
            Whether to learn, or only to predict.

        Returns
        -------
        state : FilterState
            What is known after.
        chances : list of float
            The predictions, one for each team of each contest.
        """  # fmt: skip
        table = [number for key in packed.keys for number in state.table.get(key) or self.newcomer(key)]
        rulesets = [
            number for one in packed.rulesets for number in state.rulesets.get(one) or self.new_ruleset()
        ]
        games = [state.games.get(player, NO_GAMES)[0] for player, _ in packed.keys]
        numbers: tuple[Any, ...] = (list(self.hyper()), table, rulesets, list(state.world), games)
        columns: tuple[Any, ...] = packed.columns()
        room: tuple[Any, ...] = (
            [0.0] * (teams * layout.WORKSPACE),
            [0.0] * (packed.most_members() * layout.SEAT),
            [0.0] * len(packed.rank),
        )
        play: Any = play_kernel
        if fast:
            play = compiled(play_kernel)
            numbers, room = (
                tuple(np.array(column, dtype=np.float64) for column in group) for group in (numbers, room)
            )
            columns = tuple(tuple(np.asarray(column) for column in group) for group in columns)
        play(*numbers, *columns, *room, learning)
        _, table, rulesets, world, games = (column.tolist() if fast else column for column in numbers)
        after = FilterState(
            {**state.table, **_entries(packed.keys, table, layout.ROW)},
            {**state.rulesets, **_entries(packed.rulesets, rulesets, layout.RULESET)},
            tuple(world),
            {**state.games, **_counts(packed.keys, games)} if self.experience_sigma > 0.0 else state.games,
        )
        return after, room[-1].tolist() if fast else room[-1]

    def win_probability(
        self,
        state: FilterState,
        teams: Teams,
        ruleset: Ruleset | None = None,
        at: float | None = None,
    ) -> list[float]:
        """Return how likely each team is to win a contest that ends at a time, by default the last one known.

        Parameters
        ----------
        state : FilterState
            What is known.
        teams : sequence of teams
            Two or more; ids, or ``(id, share of the time present)``.
        ruleset : Ruleset, optional
            What is to be played.
        at : float, optional
            When, seconds since 1970.
        """  # fmt: skip
        contest = question(teams, ruleset, self._now(state, teams) if at is None else at)
        packed = pack([contest])
        return self.play(state, packed, len(teams), fast=False, learning=False)[1]

    def quality(
        self,
        state: FilterState,
        teams: Teams,
        ruleset: Ruleset | None = None,
        at: float | None = None,
    ) -> float:
        """Return how open a match is, from 0 to 1: see :func:`equipoise.ratings.model.openness`.

        Examples
        --------
        >>> model = GaussianFilter()
        >>> model.quality(model.initial(), (["ann"], ["bob"]))
        1.0
        """
        return openness(self.win_probability(state, teams, ruleset, at))

    def expected_margin(
        self,
        state: FilterState,
        teams: Teams,
        ruleset: Ruleset | None = None,
        at: float | None = None,
    ) -> list[float]:
        """Return by how much each team is expected to be ahead, see :class:`equipoise.ratings.model.Further`.

        It is what the margin channel expects, in units of points, and tempered as the win probability is:
        the same over-confidence shows in both.

        Examples
        --------
        >>> model = GaussianFilter()
        >>> won = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2), scores=(6, 3))
        >>> margins = model.expected_margin(model.update(model.initial(), won), (["ann"], ["bob"]))
        >>> [round(margin, 3) for margin in margins]
        [0.07, -0.07]
        """
        contest = question(teams, ruleset, at or 0.0)
        slope = 2.0 * self._margin_scale(state, contest.ruleset)
        sums = [
            math.fsum(share * self.rating(state, player, contest.ruleset).mu for player, share in team)
            for team in contest.teams
        ]
        mean = math.fsum(sums) / len(sums)
        most = 2.0 * (1.0 - 1.0 / len(sums))  # one team has all the points
        return [min(max(slope * (one - mean), -most), most) for one in sums]

    def rating(self, state: FilterState, player: str, ruleset: Ruleset | None = None) -> Rating:
        """Return skill and uncertainty of a player in a ruleset, in units of ``beta``.

        An unseen human is a new player, an unseen bot the mean bot.
        """
        ruleset = ruleset or GENERAL
        learnt = self._learnt(state, ruleset)
        trust = learnt[layout.TRUST]
        mean, variance = learnt[layout.BODY], 0.0
        for part in levels(ruleset):
            row = state.table.get((player, part)) or self.newcomer((player, part))
            mean += row[layout.MEAN] + trust * row[layout.STATISTIC]
            variance += row[layout.VARIANCE]
        played = state.games.get(player, NO_GAMES)[0]
        mean += learnt[layout.EXPERIENCE] * played / (played + HALF_EXPERIENCE)
        bots = state.world[layout.BOTS]
        if is_bot(player) and (player, GENERAL) not in state.table and bots:
            mean += (state.world[layout.BOT_MEANS] + trust * state.world[layout.BOT_STATISTICS]) / bots
        return Rating(mean, math.sqrt(variance))

    def players(self, state: Any) -> Iterable[str]:
        """Return the ids of everyone who has played."""
        return [player for player, part in state.table if part == GENERAL]

    def as_settings(self) -> dict[str, float]:
        """Return the hyperparameters by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def hyper(self) -> tuple[float, ...]:
        """Return the hyperparameters as the kernels want them."""
        variance = self.sigma * self.sigma
        return (
            LOGISTIC_SLOPE, self.beta,
            (self.drift_game / self.sigma) ** 2, (self.drift_day / self.sigma) ** 2,
            variance, variance * self.share_type, variance * self.share_mutators,
            self.outcome, self.margin_slope, self.margin_noise**2,
            self.statistic_slope, self.statistic_noise**2, self.caution, 0.5 ** (1.0 / self.half_life),
            self.experience_sigma,
        )  # fmt: skip

    def newcomer(self, key: Key) -> tuple[float, ...]:
        """Return the row of a part of a skill that was never seen."""
        share = 1.0
        if key[1].mutators:
            share = self.share_mutators
        elif key[1] != GENERAL:
            share = self.share_type
        return (0.0, 0.0, self.sigma * self.sigma * share, math.nan)

    def new_ruleset(self) -> tuple[float, ...]:
        """Return what is assumed of a ruleset that was never seen."""
        return (
            1.0, self.trust_sigma**2, self.baseline, self.baseline_sigma**2,
            MARGIN_SQUARE * MARGIN_COUNT, MARGIN_COUNT, STATISTIC_SQUARE * STATISTIC_COUNT, STATISTIC_COUNT,
            0.0, self.experience_sigma**2,
        )  # fmt: skip

    def _learnt(self, state: FilterState, ruleset: Ruleset) -> tuple[float, ...]:
        """Return what is known of a ruleset."""
        return state.rulesets.get(ruleset) or self.new_ruleset()

    def _margin_scale(self, state: FilterState, ruleset: Ruleset) -> float:
        """Return the expected margin for each unit of skill, tempered."""
        learnt = self._learnt(state, ruleset)
        unit = math.sqrt(learnt[layout.MARGIN_SQUARES] / learnt[layout.MARGINS])
        return float(self.margin_slope * unit * state.world[layout.TEMPERATURE])

    def _now(self, state: FilterState, teams: Teams) -> float:
        """Return when the last of these players was seen, seconds since 1970."""
        ids = [member if isinstance(member, str) else member[0] for team in teams for member in team]
        rows = (state.table.get((player, GENERAL)) for player in ids)
        return max((row[layout.SEEN] * DAY for row in rows if row), default=0.0)


def _entries(places: Mapping[Any, int], column: list[float], width: int) -> dict[Any, tuple[float, ...]]:
    """Return the numbers of each place of a flat column."""
    return {key: tuple(column[width * n : width * n + width]) for key, n in places.items()}


def _counts(places: Mapping[Key, int], games: Sequence[float]) -> dict[str, tuple[float, ...]]:
    """Return how many contests each player has had."""
    return {player: (games[place],) for (player, part), place in places.items() if part == GENERAL}
