"""``bradley-terry`` and ``plackett-luce``: Weng and Lin's algorithms 1 and 4; compatible with ``openskill``.

The numbers are those of the package, step by step, so that a ladder kept there can move here.
See docs/algorithms/weng-lin.md.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, chain, pairwise
from operator import sub
from typing import Any, ClassVar

import numpy as np

from equipoise.core.compiled import compiled, pays
from equipoise.core.match import Contest, Ruleset, Teams
from equipoise.core.player import Rating
from equipoise.errors import InputError
from equipoise.ratings import weng_lin_kernels as kernels
from equipoise.ratings.distributions import below, quantile
from equipoise.ratings.model import Attention, Chances, question
from equipoise.ratings.per_player_model import (
    LATEST,
    Entries,
    Entry,
    PerPlayer,
    Table,
    check_above,
    check_finite,
)

#: Contests as the kernel takes them.
Columns = tuple[kernels.ContestColumns, kernels.TeamColumns, kernels.MemberColumns]

#: Contests from which loading and compiling the kernel pays, and loading alone; fewer than FEW are never sent
#: to it, as arrays cost more than they save.
WORTH, WORTH_KEPT, FEW = 200_000, 40_000, 8  # effort

#: Contests that are laid out at a time.
STRIDE = 20_000

#: A team's sum of mu and of sigma squared.
Sums = tuple[float, float]


@dataclass(frozen=True, slots=True)
class WengLin(PerPlayer):
    """Bayesian approximation by moments: each model says what a team's place tells about its sum.

    Parameters
    ----------
    mu, sigma : float
        Of a new player.
    beta : float
        Performance noise of a team.
    tau : float
        Standard deviation by which skills may change before each contest.
    kappa : float
        The least part of a variance that one contest leaves.

    References
    ----------
    R. Weng, C.-J. Lin, JMLR 12 (2011) 267, algorithms 1 and 4.
    """

    mu: float = 25.0
    sigma: float = 25.0 / 3.0
    beta: float = 25.0 / 6.0
    tau: float = 25.0 / 300.0
    kappa: float = 0.0001

    answers: ClassVar[frozenset[str]] = frozenset({"quality"})

    by_columns: ClassVar[bool] = True

    #: Whether all teams are compared at once, in place of pairs.
    luce: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_above(self, 0.0, "sigma", "beta", "kappa")
        check_finite(self, "mu", "tau")
        if self.tau < 0.0:
            msg = f"tau must be at least 0, got {self.tau!r}"
            raise InputError(msg)

    def newcomer(self) -> Entry:
        """Return mu and sigma of a new player."""
        return (self.mu, self.sigma)

    def predict(self, entries: Entries, contest: Contest) -> list[float]:
        """Return the chances as ``predict_win`` of openskill: normal, the mean over pairs for many teams."""
        known = list(chain.from_iterable(entries))
        columns = _columns([replace(contest, weight=1.0)], None, range(len(known)))
        mu, sigma = [entry[0] for entry in known], [entry[1] for entry in known]
        return self.play(mu, sigma, columns, fast=False, learning=False)

    def run(
        self, state: Table, contests: Sequence[Contest], attention: Attention | None = None
    ) -> tuple[Table, list[Chances]]:
        """Return the state after several contests, and what was predicted of each from those before it."""
        table, chances = dict(state), list[Chances]()
        for first in range(0, len(contests), STRIDE):
            part = contests[first : first + STRIDE]
            places: defaultdict[str, int] = defaultdict()
            places.default_factory = places.__len__
            ids = [player for contest in part for team in contest.teams for player, _ in team]
            factors = None if attention is None else attention[first : first + STRIDE]
            columns = _columns(part, factors, list(map(places.__getitem__, ids)))
            new = self.newcomer()
            known = [table.get(player, new) for player in places]
            mu, sigma = [entry[0] for entry in known], [entry[1] for entry in known]
            flat = self.play(mu, sigma, columns, fast=self.fast(len(contests)))
            table.update(zip(places, zip(mu, sigma, strict=True), strict=True))
            chances += [tuple(flat[a:b]) for a, b in pairwise(columns[0].first_team)]
            latest = max(contest.at for contest in part)
            table[LATEST] = (max(latest, table.get(LATEST, (latest,))[0]),)
        return table, chances

    def fast(self, contests: int) -> bool:
        """Tell whether the compiled kernel pays for so many contests."""
        return contests > FEW and pays(contests, WORTH, kernels=(kernels.play,), worth_kept=WORTH_KEPT)

    def play(
        self,
        mu: list[float],
        sigma: list[float],
        columns: Columns,
        *,
        fast: bool,
        learning: bool = True,
        predicting: bool = True,
    ) -> list[float]:
        """Run the kernel over contests, plain or compiled, which is a matter of speed alone.

        Parameters
        ----------
        mu, sigma : list of float
            Of the players at the places that the columns name; changed in place.
        columns : tuple of columns
            Contests, teams and members, as :mod:`equipoise.ratings.weng_lin_kernels` has them.
        fast : bool
            Whether to use the compiled kernel.
        learning, predicting : bool
            Whether to learn, and to predict.

        Returns
        -------
        list of float
            The chance of each team of each contest; empty without predictions.
        """
        contests, teams, members = columns
        if not fast:
            chances = [0.0] * (len(teams.rank) * predicting)
            starts = [teams.first_member[first] for first in contests.first_team]
            room = kernels.KernelRoom.of([0.0].__mul__, _widest(contests.first_team), _widest(starts))
            kernels.play(self.constants(), mu, sigma, contests, teams, members, room, chances, int(learning))
            return chances
        means, deviations = np.array(mu), np.array(sigma)
        found: list[float] = self.play_arrays(
            means, deviations, columns, learning=learning, predicting=predicting
        ).tolist()
        mu[:], sigma[:] = means.tolist(), deviations.tolist()
        return found

    def play_arrays(
        self, mu: Any, sigma: Any, columns: Columns, *, learning: bool = True, predicting: bool = True
    ) -> Any:
        """Run the compiled kernel over arrays, of which mu and sigma are changed in place."""
        contests, teams, members = columns
        contests, teams, members = contests.arrays(), teams.arrays(), members.arrays()
        chances = np.empty(len(teams.rank) * predicting)
        starts = teams.first_member[contests.first_team]
        widest = [int(np.diff(each).max(initial=0)) for each in (contests.first_team, starts)]
        room = kernels.KernelRoom.of(np.empty, *widest)
        compiled(kernels.play)(
            self.constants(), mu, sigma, contests, teams, members, room, chances, int(learning)
        )
        return chances

    def once(
        self, mu: list[float], sigma: list[float], sizes: Sequence[int], ranks: Sequence[float], shares: Any
    ) -> None:
        """Learn from one contest without predicting it, the members of the teams one after the other.

        Parameters
        ----------
        mu, sigma : list of float
            Of the members; changed in place.
        sizes, ranks : sequence
            How many members each team has, and its rank.
        shares : sequence of float
            The share of the contest of each member.
        """
        many = len(sizes)
        teams = kernels.TeamColumns([0, *accumulate(sizes)], ranks)
        members = kernels.MemberColumns(range(len(mu)), shares, [1.0] * len(mu))
        room = kernels.KernelRoom.of([0.0].__mul__, many, len(mu))
        kernels.learn(self.constants(), 1.0, mu, sigma, teams, members, room, 0, many)

    def constants(self) -> kernels.WengLinConstants:
        """Return the constants as the kernel takes them."""
        return kernels.WengLinConstants(float(self.beta), float(self.tau), float(self.kappa), int(self.luce))

    def quality(
        self, state: Table, teams: Teams, ruleset: Ruleset | None = None, at: float | None = None
    ) -> float:
        """Return the chance of a draw as ``predict_draw`` of openskill: the mean over pairs of teams.

        The margin of a draw is wider the fewer players there are, so it compares matches of one size only.

        Examples
        --------
        >>> from equipoise.ratings.models.weng_lin import PlackettLuce
        >>> round(PlackettLuce().quality({}, (["ann"], ["bob"])), 4)
        0.2371
        """
        contest = question(teams, ruleset, at or 0.0)
        players = sum(map(len, contest.teams))
        margin = math.sqrt(players) * self.beta * quantile((1.0 + 1.0 / players) / 2.0)
        draws = []
        for one, other in itertools.combinations(_sums(self.entries(state, contest), contest), 2):
            spread = math.sqrt(2.0 * self.beta**2 + one[1] + other[1])
            lead = one[0] - other[0]
            draws.append(below((margin - lead) / spread) - below((-lead - margin) / spread))
        return sum(draws) / len(draws)

    def known(self, entry: Entry) -> Rating:
        """Return mu and sigma."""
        return Rating(*entry)


@dataclass(frozen=True, slots=True)
class BradleyTerry(WengLin):
    """Weng and Lin's Bradley-Terry model with full pairing, gamma = sigma / c.

    References
    ----------
    R. Weng, C.-J. Lin, JMLR 12 (2011) 267, algorithm 1.

    Examples
    --------
    >>> from equipoise.errors import InputError
    >>> from equipoise.core.match import Contest, Ruleset
    >>> model = BradleyTerry()
    >>> state = model.update(model.initial(), Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    >>> [round(number, 4) for number in state["ann"]]
    [27.6354, 8.0659]
    """


@dataclass(frozen=True, slots=True)
class PlackettLuce(WengLin):
    """Weng and Lin's Plackett-Luce model, gamma = sigma / c.

    References
    ----------
    R. Weng, C.-J. Lin, JMLR 12 (2011) 267, algorithm 4.

    Examples
    --------
    >>> from equipoise.errors import InputError
    >>> from equipoise.core.match import Contest, Ruleset
    >>> model = PlackettLuce()
    >>> state = model.update(model.initial(), Contest(Ruleset(), (["a"], ["b"], ["c"]), (1, 2, 3)))
    >>> [round(state[player][0], 4) for player in "abc"]
    [27.869, 25.7173, 21.4137]
    """

    luce: ClassVar[bool] = True


def _columns(contests: Sequence[Contest], attention: Attention | None, places: Sequence[int]) -> Columns:
    """Return contests as columns, their members being at some places of the table."""
    teams = [team for contest in contests for team in contest.teams]
    if attention is None:
        factors = [1.0] * len(places)
    else:
        factors = [
            learns.get(player, 1.0)
            for contest, learns in zip(contests, attention, strict=True)
            for team in contest.teams
            for player, _ in team
        ]
    return (
        kernels.ContestColumns(
            [0, *accumulate([len(contest.teams) for contest in contests])],
            [contest.weight for contest in contests],
        ),
        kernels.TeamColumns(
            [0, *accumulate(map(len, teams))], [rank for contest in contests for rank in contest.ranks]
        ),
        kernels.MemberColumns(places, [share for team in teams for _, share in team], factors),
    )


def _widest(starts: Sequence[int]) -> int:
    return max(map(sub, starts[1:], starts), default=0)


def _sums(entries: Entries, contest: Contest) -> list[Sums]:
    """Return each team's sum of mu and of sigma squared, everyone with their presence."""
    return [
        (
            sum(share * mu for (mu, _), (_, share) in zip(team, members, strict=True)),
            sum((share * sigma) ** 2 for (_, sigma), (_, share) in zip(team, members, strict=True)),
        )
        for team, members in zip(entries, contest.teams, strict=True)
    ]
