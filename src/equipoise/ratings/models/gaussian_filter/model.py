"""``gaussian-filter``: an online diagonal Gaussian filter with a logistic link, margins and statistics.

The equations are in docs/algorithms/gaussian-filter.md, the formulas in
:mod:`equipoise.ratings.models.gaussian_filter.kernels`.  What one filter and a mixture of several do alike
is :class:`Filters`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import ClassVar

from equipoise.core.match import Contest, Ruleset, Teams
from equipoise.core.player import Rating, is_bot
from equipoise.errors import InputError
from equipoise.ratings.model import Attention, Chances, Further, openness, question
from equipoise.ratings.models.gaussian_filter import kernels
from equipoise.ratings.models.gaussian_filter.contest_columns import (
    DAY,
    GENERAL,
    Key,
    Packed,
    levels,
    pack,
)
from equipoise.ratings.models.gaussian_filter.parameters import Hyperparameters, Numbers
from equipoise.ratings.models.gaussian_filter.state_columns import (
    CLOSE_BEFORE,
    DRAWS_BEFORE,
    EVIDENCE,
    MARGIN_SQUARE,
    NO_GAMES,
    RULESETS,
    STATISTIC_SQUARE,
    TABLE,
    FilterState,
    Learnt,
    fast,
    listed,
)


class Filters(Further, ABC):
    """One filter, or several that see the same contests and are weighted by how well they predict them."""

    __slots__ = ()

    answers: ClassVar[frozenset[str]] = frozenset({"quality", "expected_margin", "draw_chance"})

    local: ClassVar[bool] = True

    by_columns: ClassVar[bool] = True

    #: The skill that adds nothing to a team: skills hold the price of a body.
    zero: ClassVar[float] = 0.0

    @abstractmethod
    def filters(self) -> tuple[Hyperparameters, ...]:
        """Return the members."""

    def guesses(self) -> Collection[str]:
        """Return the ids of those who do not begin as all newcomers do."""
        return ()

    def newcomer(self, key: Key) -> Numbers:
        """Return the row of a part of a skill that was never seen, of each member in turn."""
        return tuple(chain.from_iterable(one.row(key) for one in self.filters()))

    def fast(self, contests: int) -> bool:
        """Tell whether compiled kernels pay for so many contests."""
        return fast(len(self.filters()), contests)

    def prepare(self, contests: int) -> None:
        """Load what compiles, where it is worth it for all parts together."""
        self.fast(contests)

    def initial(self) -> FilterState:
        """Return the state of nobody having played."""
        many = len(self.filters())
        return FilterState(world=FilterState().world * many, pooled=(0.0,) * (many + 1))

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
        state, chances, _ = self.play(state, packed, fast=self.fast(len(contests)))
        bounds = zip(packed.first_team, packed.first_team[1:], strict=False)
        return state, [tuple(chances[first:end]) for first, end in bounds]

    def run_packed(self, state: FilterState, packed: Packed) -> tuple[FilterState, list[float]]:
        """Return the state after contests that are packed: that of :meth:`run`, to the last bit.

        With it comes the chance of each team of each, one after the other.
        """
        return self.play(state, packed, fast=self.fast(len(packed.at)))[:2]

    def play(
        self, state: FilterState, packed: Packed, *, fast: bool, learning: bool = True
    ) -> tuple[FilterState, list[float], list[float]]:
        """Run the kernels over packed contests, plain or compiled, which is a matter of speed alone.

        Parameters
        ----------
        state : FilterState
            What is known before.
        packed : Packed
            The contests.
        fast : bool
            Whether to use the compiled kernels.
        learning : bool
            Whether to learn, or only to predict.

        Returns
        -------
        state : FilterState
            What is known after.
        chances, draws : list of float
            The predictions: one for each team of each contest, and the chance of a draw of each contest.
        """
        learnt = self.learnt(state, packed.keys, packed.rulesets)
        if fast:
            learnt.compile()
        chances, draws = learnt.play(packed, learning=learning)
        learnt.plain()
        after = self.state_of(learnt, packed.keys, packed.rulesets)
        return state.updated(after), listed(chances), listed(draws)

    def learnt(self, state: FilterState, keys: Iterable[Key], rulesets: Iterable[Ruleset]) -> Learnt:
        """Return the hyperparameters and a part of a state as columns for the kernels."""
        filters, rulesets, keys = self.filters(), tuple(rulesets), tuple(keys)
        nothing = (0.0,) * (len(filters) + 1)
        evidence = (*(state.evidence.get(one, nothing) for one in rulesets), state.pooled)
        return Learnt(
            len(filters),
            (
                [tuple(chain.from_iterable(one.hyper() for one in filters))],
                self._rows(state, keys),
                [state.rulesets.get(one) or self.new_ruleset() for one in rulesets],
                [state.world],
                # How many contests a likelihood rests on is the same of all members.
                [tuple(chain.from_iterable((each, row[-1]) for each in row[:-1])) for row in evidence],
            ),
            [state.games.get(player, NO_GAMES)[0] for player, _ in keys]
            if state.games
            else [NO_GAMES[0]] * len(keys),
        )

    def _rows(self, state: FilterState, keys: Iterable[Key]) -> Iterator[Numbers]:
        """Go through the rows of parts of skills; those of parts that were never seen are alike."""
        table, guesses = state.table, self.guesses()
        new: dict[int, Numbers] = {}  # by the ruleset itself: to compare it costs more than the rest
        for key in keys:
            row = table.get(key) if table else None
            if row is None:
                player, part = key
                row = self.newcomer(key) if player in guesses else new.get(id(part))
                if row is None:
                    row = new[id(part)] = self.newcomer(key)
            yield row

    def state_of(
        self, learnt: Learnt, keys: Mapping[Key, int], rulesets: Mapping[Ruleset, int]
    ) -> FilterState:
        """Return a state, or a part of one, from columns: of the keys and rulesets at these places."""
        several = len(self.filters()) > 1
        evidence = learnt.entries(EVIDENCE, {**rulesets, None: len(rulesets)})
        likelihoods = {key: (*numbers[::2], numbers[1]) for key, numbers in evidence.items()}
        games = memoryview(learnt.games) if learnt.is_compiled else learnt.games  # a view gives plain numbers
        return FilterState(
            learnt.entries(TABLE, keys),
            learnt.entries(RULESETS, rulesets),
            learnt.world(),
            {
                player: (float(games[place]),)
                for (player, part), place in keys.items()
                if part is GENERAL or part == GENERAL
            },
            {one: likelihoods[one] for one in rulesets} if several else {},
            likelihoods[None] if several else FilterState().pooled,
        )

    def win_probability(
        self, state: FilterState, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> list[float]:
        """Return how likely each team is to win a contest that has a winner.

        Parameters
        ----------
        state : FilterState
            What is known.
        teams : sequence of teams
            Two or more; ids, or ``(id, share of the time present)``.
        ruleset : Ruleset, optional
            What is to be played.
        at : float, optional
            When it ends, seconds since 1970; by default the last time one of the players was seen.
        """
        return self._asked(state, teams, ruleset, at)[0]

    def draw_chance(
        self, state: FilterState, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> float:
        """Return how likely two teams draw, see :class:`equipoise.ratings.model.Further`.

        Examples
        --------
        >>> model, state = GaussianFilter(), GaussianFilter().initial()
        >>> for _ in range(9):
        ...     state = model.update(state, Contest(Ruleset(), (["ann"], ["bob"]), (1, 1)))
        >>> model.draw_chance(state, (["ann"], ["bob"])) > 0.5
        True
        """
        if len(teams) > 2:
            msg = f"teams: a draw is predicted for two teams, got {len(teams)}"
            raise InputError(msg)
        return self._asked(state, teams, ruleset, at)[1]

    def draw_factor(self, state: FilterState, ruleset: Ruleset | None = None) -> float:
        """Return how often even teams draw for each time one of them wins, as learnt of a ruleset.

        References
        ----------
        R. Davidson, J. Am. Stat. Assoc. 65 (1970) 317: his nu, halved.
        """
        state, ruleset = self.asked_of(state, ruleset)
        learnt, wide = self._learnt(state, ruleset), kernels.RULESET
        return math.fsum(
            weight * learnt[wide * n + kernels.DRAWS] / learnt[wide * n + kernels.CLOSE] / 2.0
            for n, weight in enumerate(self.weights(state, ruleset))
        )

    def quality(
        self, state: FilterState, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
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
        self, state: FilterState, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> list[float]:
        """Return by how much each team is expected to be ahead, see :class:`equipoise.ratings.model.Further`.

        It is what the margin channel expects, in units of points, and tempered as the win probability is:
        the same over-confidence shows in both.
        """
        state, ruleset = self.asked_of(state, ruleset)
        contest = question(teams, ruleset, at or 0.0)
        many = len(contest.teams)
        most = 2.0 * (1.0 - 1.0 / many)  # one team has all the points
        leads = [0.0] * many
        skills = [
            [(share, next(self._moments(state, [player], contest.ruleset))) for player, share in team]
            for team in contest.teams
        ]
        for member, weight in enumerate(self.weights(state, contest.ruleset)):
            slope = 2.0 * self._margin_scale(state, contest.ruleset, member)
            sums = [math.fsum(share * moments[member][0] for share, moments in team) for team in skills]
            mean = math.fsum(sums) / many
            leads = [lead + weight * slope * (one - mean) for lead, one in zip(leads, sums, strict=True)]
        return [min(max(lead, -most), most) for lead in leads]

    def rating(self, state: FilterState, player: str, ruleset: Ruleset | None = None) -> Rating:
        """Return skill and uncertainty of a player in a ruleset, in units of ``beta``.

        An unseen human is a new player, an unseen bot the mean bot.  Of several members it is mean and
        standard deviation of their mixture.
        """
        return next(self.all_ratings(state, [player], ruleset))

    def all_ratings(
        self, state: FilterState, players: Iterable[str], ruleset: Ruleset | None = None
    ) -> Iterator[Rating]:
        """Go through the ratings of several players, as :meth:`rating` has them."""
        state, ruleset = self.asked_of(state, ruleset)
        weights = self.weights(state, ruleset)
        for moments in self._moments(state, players, ruleset):
            weighted = [(weight, *moment) for weight, moment in zip(weights, moments, strict=True)]
            mu = math.fsum([weight * mean for weight, mean, _ in weighted])
            variance = math.fsum([weight * (spread + (mean - mu) ** 2) for weight, mean, spread in weighted])
            yield Rating(mu, math.sqrt(variance))

    def players(self, state: FilterState) -> Iterable[str]:
        """Return the ids of everyone who has played."""
        return state.games.keys()

    def weights(self, state: FilterState, ruleset: Ruleset | None = None) -> list[float]:
        """Return how much each member counts in a ruleset, summing to 1."""
        many = len(self.filters())
        if many == 1:
            return [1.0]
        state, ruleset = self.asked_of(state, ruleset)
        own = state.evidence.get(ruleset, (0.0,) * (many + 1))
        return list(member_weights(tuple(own), tuple(state.pooled)))

    def meant(self, state: FilterState, ruleset: Ruleset | None) -> Ruleset:
        """Return which ruleset an answer is of: without one the only one played, else skill in general.

        Examples
        --------
        >>> model, ctf = GaussianFilter(), Ruleset("", "ctf")
        >>> state = model.update(model.initial(), Contest(ctf, (["ann"], ["bob"]), (1, 2)))
        >>> model.meant(state, None) == ctf, model.meant(state, GENERAL) == GENERAL
        (True, True)
        """
        return asked_ruleset(state.rulesets, ruleset)[0]

    def in_common(self, state: FilterState) -> FilterState:
        """Return a state in which skill in general is judged by what all rulesets have taught in common.

        These are trust in statistics, the price of a body, what experience adds, how often teams draw, and
        how large margins and statistics are: as if all contests had been of one ruleset.  Temperature is
        common anyway.
        """
        pooled = _pooled(self.new_ruleset(), tuple(state.rulesets.values()))
        evidence = {ruleset: row for ruleset, row in state.evidence.items() if ruleset != GENERAL}
        return replace(state, rulesets={**state.rulesets, GENERAL: pooled}, evidence=evidence)

    def asked_of(self, state: FilterState, ruleset: Ruleset | None) -> tuple[FilterState, Ruleset]:
        """Return the state that an answer is of, and which ruleset, see :func:`asked_ruleset`."""
        asked, common = asked_ruleset(state.rulesets, ruleset)
        return self.in_common(state) if common else state, asked

    def latest(self, state: FilterState) -> float:
        """Return when the last contest ended that is known, seconds since 1970; minus infinity for none."""
        return max((row[kernels.SEEN] * DAY for row in state.table.values()), default=-math.inf)

    def seen(self, state: FilterState, player: str) -> float | None:
        """Return when the last contest of a player ended, seconds since 1970; None who never played."""
        row = state.table.get((player, GENERAL))
        return None if row is None else row[kernels.SEEN] * DAY

    def new_ruleset(self) -> Numbers:
        """Return what is assumed of a ruleset that was never seen, of each member in turn."""
        return _new_ruleset(self.filters())

    def _asked(
        self, state: FilterState, teams: Teams, ruleset: Ruleset | None, at: float | None
    ) -> tuple[list[float], float]:
        """Return the chances of a contest that has not happened, and of a draw."""
        at = self._now(state, teams) if at is None else at
        state, ruleset = self.asked_of(state, ruleset)
        contest = question(teams, ruleset, at)
        _, chances, draws = self.play(state, pack([contest]), fast=False, learning=False)
        return chances, draws[0]

    def _learnt(self, state: FilterState, ruleset: Ruleset) -> Numbers:
        """Return what is known of a ruleset, of each member in turn."""
        return state.rulesets.get(ruleset) or self.new_ruleset()

    def _moments(
        self, state: FilterState, players: Iterable[str], ruleset: Ruleset
    ) -> Iterator[list[tuple[float, float]]]:
        """Go through players' means and variances of skill, as each member sees them."""
        learnt, world = self._learnt(state, ruleset), state.world
        parts, filters = levels(ruleset), self.filters()
        for player in players:
            keys = [(player, part) for part in parts]
            rows = [state.table.get(key) or self.newcomer(key) for key in keys]
            played = state.games.get(player, NO_GAMES)[0]
            new_bot = is_bot(player) and keys[0] not in state.table
            moments = []
            for member, one in enumerate(filters):
                of, at = kernels.RULESET * member, kernels.ROW * member
                trust = learnt[of + kernels.TRUST]
                mean, variance = learnt[of + kernels.BODY], 0.0
                for row in rows:
                    mean += row[at + kernels.MEAN] + trust * row[at + kernels.STATISTIC]
                    variance += row[at + kernels.VARIANCE]
                mean += learnt[of + kernels.EXPERIENCE] * played / (played + one.experience_games)
                bots = world[kernels.WORLD * member + kernels.BOTS]
                if new_bot and bots:
                    known = world[kernels.WORLD * member :]
                    mean += (known[kernels.BOT_MEANS] + trust * known[kernels.BOT_STATISTICS]) / bots
                moments.append((mean, variance))
            yield moments

    def _margin_scale(self, state: FilterState, ruleset: Ruleset, member: int) -> float:
        """Return the margin that a member expects for each unit of skill, tempered."""
        learnt = self._learnt(state, ruleset)[kernels.RULESET * member :]
        unit = math.sqrt(learnt[kernels.MARGIN_SQUARES] / learnt[kernels.MARGINS])
        heat = state.world[kernels.WORLD * member + kernels.TEMPERATURE]
        return float(self.filters()[member].margin_slope * unit * heat)

    def _now(self, state: FilterState, teams: Teams) -> float:
        """Return when the last of these players was seen, seconds since 1970."""
        ids = [member if isinstance(member, str) else member[0] for team in teams for member in team]
        rows = (state.table.get((player, GENERAL)) for player in ids)
        return max((row[kernels.SEEN] * DAY for row in rows if row), default=0.0)


def asked_ruleset(played: Collection[Ruleset], ruleset: Ruleset | None) -> tuple[Ruleset, bool]:
    """Return which ruleset an answer is of, and whether it is of what all that were played have in common.

    Without one it is of the only one that was played, or of games without a ruleset where these are among
    several, as :func:`~equipoise.ratings.model.general_state` has it.

    Examples
    --------
    >>> ctf, duel = Ruleset("", "ctf"), Ruleset("", "duel")
    >>> asked_ruleset([ctf], None) == (ctf, False), asked_ruleset([ctf, duel], None) == (GENERAL, True)
    (True, True)
    >>> asked_ruleset([ctf, GENERAL], None) == (GENERAL, False)
    True
    """
    if ruleset is not None:
        return ruleset, False
    if len(played) == 1:
        return next(iter(played)), False
    return GENERAL, len(played) > 1 and GENERAL not in played


@lru_cache(64)
def member_weights(own: Numbers, pooled: Numbers) -> Numbers:
    """Return members' weights from what a ruleset tells about them, and all rulesets together."""
    rests_on = own[-1], pooled[-1]
    scores = [
        kernels.member_score((mine, rests_on[0], everything, rests_on[1]), 0)
        for mine, everything in zip(own[:-1], pooled[:-1], strict=True)
    ]
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = 0.0
    for power in powers:  # as the kernel adds them up
        total += power
    return tuple(power / total for power in powers)


@lru_cache(64)
def _pooled(new: Numbers, known: tuple[Numbers, ...]) -> Numbers:
    """Return what rulesets have taught together, from what is assumed of a new one and of each.

    A number that has a variance is that of a normal distribution: what each ruleset adds to the precision
    adds up.  Sums and counts add up beyond what they begin with.
    """
    found = [old + math.fsum(row[n] - old for row in known) for n, old in enumerate(new)]
    for member in range(0, len(new), kernels.RULESET):
        for at in (kernels.TRUST, kernels.BODY, kernels.EXPERIENCE):
            mean, variance = member + at, member + at + 1
            if new[variance] > 0.0:
                rows = [row for row in known if row[variance] > 0.0]
                begun = 1.0 / new[variance]
                precision = begun + math.fsum(1.0 / row[variance] - begun for row in rows)
                pull = math.fsum(row[mean] / row[variance] - new[mean] * begun for row in rows)
                found[mean] = (new[mean] * begun + pull) / precision
                found[variance] = 1.0 / precision
        trust = member + kernels.TRUST
        found[trust] = min(max(found[trust], 0.0), kernels.MOST_TRUST)
    return tuple(found)


@lru_cache(64)
def _new_ruleset(filters: tuple[Hyperparameters, ...]) -> Numbers:
    return tuple(
        number
        for one in filters
        for number in (
            1.0, one.trust_sigma**2, one.baseline, one.baseline_sigma**2,
            MARGIN_SQUARE * kernels.MARGIN_COUNT, kernels.MARGIN_COUNT,
            STATISTIC_SQUARE * kernels.STATISTIC_COUNT, kernels.STATISTIC_COUNT,
            one.experience if one.experience_sigma else 0.0, one.experience_sigma**2,
            DRAWS_BEFORE, CLOSE_BEFORE,
        )
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class GaussianFilter(Hyperparameters, Filters):
    """One filter; its parameters are its :class:`Hyperparameters`.

    Examples
    --------
    >>> model = GaussianFilter()
    >>> won = Contest(Ruleset(), (["ann"], ["bob"]), (1, 2))
    >>> state = model.update(model.initial(), won)
    >>> [round(chance, 2) for chance in model.win_probability(state, (["ann"], ["bob"]))]
    [0.61, 0.39]
    """

    def filters(self) -> tuple[Hyperparameters, ...]:
        """Return this filter alone."""
        return (self,)
