"""A whole evening at once: all rounds fair, sitting out equal, partners and opponents varied.

What a plan is worth is a sum, lower being better, in win probability:

* of each round the largest distance of a team's chance from even;
* a price (``MEETING``) for each time two are together again, and the same
  for being opponents again, where the third time costs twice as much as the second: n games cost
  n (n - 1) / 2;
* the price of each preference that is not met, growing in the same way;
* a price (``PARTED``) for each round in which some of those who came together play and others sit out;
* a price (``UNEQUAL``) for each game that somebody sits out too often or too seldom;
* a price (``TWICE``) for teams of the evening that come again while unused ones lie within ``MEETING``;
* a price (``OFTEN``) for each game that two who did not come together are together beyond one more than
  the games of all pairs, spread evenly, demand.

Given all other rounds, that is a sum over the pairs of one round: the best split of a round is found by
looking at all of them.  Rounds are re-split in turn until none gets better, then two of them are shaken and
all goes on from there.  Where there are few splits and rounds, all plans are gone through.

No plan can be below the bound: the fairest split in every round, and the games that pairs must have together
(and against each other) spread evenly over all pairs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from equipoise.core.arrays import Floats, Ints, Labels
from equipoise.core.player import Player
from equipoise.core.stopping import Stop, never
from equipoise.core.win_probability import win_probability
from equipoise.errors import InputError
from equipoise.play.evening_events import Proposal, Setup
from equipoise.play.ledger import LedgerGame, PlayerAccount, accounts
from equipoise.play.proposals import MEETING, Rated, rules, unmet
from equipoise.teams.balance import balance
from equipoise.teams.problem.preferences import PREFERENCE_PRICE
from equipoise.teams.problem.problem import Problem
from equipoise.teams.request import BalanceRequest
from equipoise.teams.solvers.enumerate import legal_splits, splits

#: What it costs that some of those who came together play while others sit out.
PARTED = 0.05

#: What it costs that somebody sits out one game more or less than is fair.
UNEQUAL = 1.0

#: What it costs that teams come twice where they need not, and that a pair is together too often: more than
#: any teams are uneven.
TWICE, OFTEN = 0.6, 0.6

#: Values that differ by less are equal.
EQUAL = 1e-12

#: Splits of a round, legal or not, over all who may sit out, up to which all are looked at.
MOST_SPLITS = 200_000  # effort

#: Splits that are kept where there are more.
POOL = 400  # effort

#: Rows times a column, without the threads of a matrix product: these are too small to be worth waking them.
DOT = "ij,j->i"


@dataclass(frozen=True, slots=True)
class Counts:
    """How often each pair was together and against each other, each preference unmet, each player out."""

    together: Floats
    against: Floats
    unmet: Floats
    out: Ints


class Rounds:
    """All that may be played in a round, and what it costs beside other rounds.

    Parameters
    ----------
    games, setup, rated, rounds, seen, vary
        As of :func:`equipoise.play.round_plan.plan`.
    """

    def __init__(
        self, games: Sequence[LedgerGame], setup: Setup, rated: Rated, rounds: int,
        seen: Collection[frozenset[frozenset[str]]] = (), vary: float = MEETING,
    ) -> None:  # fmt: skip
        if rounds < 1:
            msg = f"rounds must be at least 1, got {rounds}"
            raise InputError(msg)
        self.setup, self.number, self._rated, self.price = setup, rounds, rated, vary
        self.here = setup.here
        seats = len(self.here) if setup.size is None else min(setup.size * setup.teams, len(self.here))
        if min(seats, len(self.here)) < setup.teams:
            msg = f"players: {setup.teams} teams need at least {setup.teams}, got {len(self.here)}"
            raise InputError(msg)
        self.n_out = len(self.here) - seats
        self.least, self.most = _shares(games, self.here, self.n_out * rounds)
        self._list(games)
        labels = self.labels
        self.pairs = list(combinations(range(len(self.here)), 2))
        one, other = (np.array([pair[n] for pair in self.pairs], dtype=np.intp) for n in (0, 1))
        playing = (labels[:, one] >= 0) & (labels[:, other] >= 0)
        same = labels[:, one] == labels[:, other]
        self.together = (playing & same).astype(np.float32)
        # Who plays with or against whom and who sits out is the same for all splits of a way to sit out.
        self._ways, first, self.way = np.unique(labels < 0, axis=0, return_index=True, return_inverse=True)
        self._playing = playing[first].astype(np.float32)
        self.out = labels < 0
        self._prefer()
        self.seen = [
            n for n in range(len(labels)) if seen and frozenset(map(frozenset, self.teams(n))) in seen
        ]
        self.often = self._often()

    def _often(self) -> Floats:
        """Return for each pair beyond how many games together is too often."""
        mates = int(self.together.sum(axis=1).min()) * self.number
        often: Floats = np.full(len(self.pairs), 1.0 + -(-mates // max(len(self.pairs), 1)))
        duos = list(map(set, self.setup.duos))
        for n, (one, other) in enumerate(self.pairs):
            if any({self.here[one], self.here[other]} <= duo for duo in duos):
                often[n] = np.inf
        return often

    def again(self, chosen: Sequence[int]) -> list[int]:
        """Return the rounds, from 0, whose teams came before, in the plan or this evening."""
        return [n for n, index in enumerate(chosen) if index in self.seen or index in chosen[:n]]

    def twice(self, others: Sequence[int]) -> Floats:
        """Return for each split as one more round what teams that come again cost, with those of others."""
        used = {*self.seen, *others}
        order = np.argsort(self.fixed, kind="stable").tolist()
        unused = [index for index in order if index not in used][:2]
        least = np.full(len(order), self.fixed[unused[0]] if unused else np.inf)
        if unused:
            least[unused[0]] = self.fixed[unused[1]] if len(unused) > 1 else np.inf
        times = np.zeros(len(order))
        for n in self.again(others):
            times += least <= self.fixed[others[n]] + self.price + EQUAL
        repeated = list(used)
        times[repeated] += least[repeated] <= self.fixed[repeated] + self.price + EQUAL
        return TWICE * times

    def _list(self, games: Sequence[LedgerGame]) -> None:
        """Set the splits of a round (-1 is who sits out), their distance from even, and if all are there."""
        players, given = self._rated(self.here)
        # Who is on which side is drawn in a plan: its teams are even by their players.
        scale = {name: number for name, number in given.items() if name != "side_chance"}
        settings: dict[str, Any] = {"teams": self.setup.teams, "objective": "win", **scale}
        units = BalanceRequest.of(players, **settings).units
        outs = self._outs(games, players)
        self.complete = len(outs) == math.comb(len(self.here), self.n_out)
        labels = []
        for out in outs:
            playing = [player for player in players if player.id not in out]
            request = BalanceRequest.of(
                playing, objective="win", beta=units.beta, zero=units.zero, keep=POOL,
                **rules(self.setup, [player.id for player in playing]),
            )  # fmt: skip
            if request.problem is None or request.clash is not None:
                continue
            if splits(request.problem) * len(outs) <= MOST_SPLITS:
                labels.append(self._everything(request.problem, playing))
            else:
                self.complete = False
                labels.append(self._fairest(request))
        self.labels: Labels = np.concatenate(labels) if labels else np.zeros((0, len(self.here)), np.int8)
        if not len(self.labels):
            msg = "players: no teams keep all the rules"
            raise InputError(msg)
        member = self.labels[:, None, :] == np.arange(self.setup.teams)[:, None]
        known = BalanceRequest.of(players, teams=self.setup.teams).roster
        mu, variance = member @ known.mu, member @ known.sigma**2
        self.chances = win_probability(mu, variance, member.sum(axis=2).astype(float), units.beta, units.zero)
        self.distance: Floats = np.abs(self.chances - 1.0 / self.setup.teams).max(axis=1)

    def _everything(self, problem: Problem, playing: Sequence[Player]) -> Labels:
        """Return all legal splits of those who play."""
        blocks = np.concatenate([part for part, _ in legal_splits(problem)])
        found = np.full((len(blocks), len(self.here)), -1, dtype=np.int8)
        for column, members in enumerate(problem.members):
            found[:, [self.here.index(playing[n].id) for n in members]] = blocks[:, [column]]
        return found

    def _fairest(self, request: BalanceRequest) -> Labels:
        """Return the fairest splits of those who play."""
        found = balance(request).splits
        labels = np.full((len(found), len(self.here)), -1, dtype=np.int8)
        for row, split in zip(labels, found, strict=True):
            for n, team in enumerate(split.teams):
                row[[self.here.index(player.id) for player in team]] = n
        return labels

    def _outs(self, games: Sequence[LedgerGame], players: Sequence[Player]) -> list[tuple[str, ...]]:
        """Return who may sit out in a round: all ways, or those of a rotation where there are too many."""
        seats = len(players) - self.n_out
        most = math.comb(len(players), self.n_out) * float(self.setup.teams) ** (seats - 1)
        if most <= MOST_SPLITS or not self.n_out:
            return list(combinations(self.here, self.n_out))
        return self._rotation(games)

    def _rotation(self, games: Sequence[LedgerGame]) -> list[tuple[str, ...]]:
        """Return who sits out round by round, where there are too many ways to look at all."""
        known = accounts(games)
        due = [player for player in self.here for _ in range(int(self.least[self.here.index(player)]))]
        rest = sorted(self.here, key=lambda player: known.get(player, PlayerAccount()).share_out)
        free = [p for p in rest if self.most[self.here.index(p)] > self.least[self.here.index(p)]]
        due += free[: self.n_out * self.number - len(due)]
        order = sorted(due, key=due.count, reverse=True)
        found: list[list[str]] = [[] for _ in range(self.number)]
        for player in order:
            row = min((row for row in found if player not in row), key=len)
            row.append(player)
        return [tuple(row) for row in dict.fromkeys(map(tuple, map(sorted, found)))]

    def _prefer(self) -> None:
        """Set which splits leave which preference unmet, and which part those who came together."""
        place = {player: n for n, player in enumerate(self.here)}
        rows = []
        for pairs, together in ((self.setup.prefer, True), (self.setup.avoid, False)):
            for one, other in pairs:
                if one in place and other in place:
                    labels = self.labels[:, [place[one], place[other]]]
                    both = (labels >= 0).all(axis=1)
                    rows.append(both & ((labels[:, 0] == labels[:, 1]) != together))
        self.unmet = np.array(rows, dtype=np.float32).reshape(len(rows), len(self.labels)).T
        self.fixed = self.distance.copy()
        for duo in self.setup.duos:
            members = [place[player] for player in duo if player in place]
            gone = self.out[:, members].sum(axis=1)
            self.fixed += PARTED * ((gone > 0) & (gone < len(members)))

    # What it is worth

    def value(self, chosen: Sequence[int]) -> float:
        """Return what a plan is worth: the splits of its rounds, by their index."""
        rows = list(chosen)
        unmet = self.unmet[rows].sum(axis=0)
        priced = PREFERENCE_PRICE * float((unmet * (unmet + 1.0) / 2.0).sum())
        uneven = UNEQUAL * float(self._uneven(self.out[rows].sum(axis=0)[None, :])[0])
        beyond = OFTEN * float(np.maximum(self.together[rows].sum(axis=0) - self.often, 0.0).sum())
        twice = float(self.twice(rows[:-1])[rows[-1]])
        return float(self.fixed[rows].sum()) + self.repeats(rows) + priced + uneven + beyond + twice

    def repeats(self, chosen: Sequence[int]) -> float:
        """Return the price of the partners and opponents of a plan that meet again."""
        rows = list(chosen)
        together = self.together[rows].sum(axis=0)
        against = self._playing[self.way[rows]].sum(axis=0) - together
        return self.price * (_twice(together) + _twice(against))

    def teams(self, index: int) -> tuple[tuple[str, ...], ...]:
        """Return the teams of a split."""
        row = self.labels[index].tolist()
        return tuple(
            tuple(player for player, team in zip(self.here, row, strict=True) if team == n)
            for n in range(self.setup.teams)
        )

    def _uneven(self, counts: Ints) -> Ints:
        """Return for each row of games sat out how many are too many or too few."""
        too_many = np.maximum(counts - self.most, 0) + np.maximum(self.least - counts, 0)
        return np.asarray(too_many.sum(axis=-1))

    def bound(self) -> float:
        """Return a value that no plan can be below."""
        against, least = 0, 0.0
        if self.complete:
            together = self.together.sum(axis=1)
            against = int((self._playing.sum(axis=1)[self.way] - together).min())
            least = float((self.fixed + PREFERENCE_PRICE * self.unmet.sum(axis=1)).min())
        size, larger = divmod(len(self.here) - self.n_out, self.setup.teams)
        # No sizes have fewer pairs of team mates than those that differ by one at most.
        mates = larger * math.comb(size + 1, 2) + (self.setup.teams - larger) * math.comb(size, 2)
        repeats = 0
        for games in (mates * self.number, against * self.number):
            each, more = divmod(games, max(len(self.pairs), 1))
            repeats += (len(self.pairs) - more) * math.comb(each, 2) + more * math.comb(each + 1, 2)
        return least * self.number + self.price * repeats

    def proposal(self, index: int) -> Proposal:
        """Return a split as teams that are proposed, without an id."""
        teams = self.teams(index)
        out = tuple(player for player, gone in zip(self.here, self.out[index], strict=True) if gone)
        return Proposal("", teams, tuple(self.chances[index].tolist()), out, (), unmet(self.setup, teams))

    def costs(self, counts: Counts, *, last: bool) -> Floats:
        """Return what each split costs as one more round."""
        of_way = self.price * np.einsum(DOT, self._playing, counts.against).astype(float)
        if self.n_out:
            sat = self._ways + counts.out
            uneven = self._uneven(sat) if last else np.maximum(sat - self.most, 0).sum(axis=1)
            of_way = of_way + UNEQUAL * uneven
        of_pair = self.price * (counts.together - counts.against) + OFTEN * (counts.together >= self.often)
        cost = self.fixed + self.together @ of_pair + of_way[self.way]
        if self.unmet.shape[1]:
            cost = cost + PREFERENCE_PRICE * np.einsum(DOT, self.unmet, counts.unmet + 1.0)
        return np.asarray(cost, dtype=float)

    def counts(self, chosen: Sequence[int]) -> Counts:
        """Return what rounds come to, for one more round."""
        rows = list(chosen)
        together = self.together[rows].sum(axis=0)
        against = self._playing[self.way[rows]].sum(axis=0) - together
        return Counts(together, against, self.unmet[rows].sum(axis=0), self.out[rows].sum(axis=0))


def _twice(counts: Floats) -> float:
    """Return how many pairs of games have the same two together."""
    return float((counts * (counts - 1.0) / 2.0).sum(dtype=float))


def _shares(games: Sequence[LedgerGame], here: Sequence[str], total: int) -> tuple[Ints, Ints]:
    """Return how often each may sit out at least and at most: equal but for one, which the past decides."""
    each, more = divmod(total, max(len(here), 1))
    known = accounts(games)
    claims = [(known.get(p, PlayerAccount()).share_out, -known.get(p, PlayerAccount()).played) for p in here]
    ranked = sorted(claims)
    least = np.full(len(here), each, dtype=np.int64)
    most = least.copy()
    if more:
        edge = ranked[more - 1]
        settled = sum(claim <= edge for claim in claims) == more
        least += np.array([claim < edge or (settled and claim == edge) for claim in claims])
        most += np.array([claim <= edge for claim in claims])
    return least, most


#: Ways to play all rounds but the last up to which all plans are gone through.
MOST_PLANS = 300_000  # effort

#: How often a plan that no round can improve is shaken: less often where a round has many splits.
SHAKES, SHAKEN_SPLITS = 150, 300_000


@dataclass(frozen=True, slots=True)
class Plan:
    """An evening, divided.

    Parameters
    ----------
    rounds : tuple of Proposal
        Teams, chances and who sits out, in order; their ids are empty.
    value : float
        What it is worth, lower being better, in win probability.
    bound : float
        No plan is below it.
    optimal : bool
        Whether no plan is better.
    unfairness, repeats : float
        The parts of the value: distances from even, and repeated partners and opponents.
    price : float
        The price of meeting again, in win probability.
    again : tuple of int
        The rounds, from 1, whose teams came before, as no unused ones lie within the price.
    """

    rounds: tuple[Proposal, ...]
    value: float
    bound: float
    optimal: bool
    unfairness: float
    repeats: float
    price: float = MEETING
    again: tuple[int, ...] = ()

    @property
    def gap(self) -> float:
        """How far the value is from the bound, and so at most from the best."""
        return self.value - self.bound

    def as_dict(self) -> dict[str, Any]:
        """Return plain lists and numbers."""
        rounds = [
            {"teams": [list(team) for team in each.teams], "win_probability": list(each.chances),
             "out": list(each.out), "unmet": [list(pair) for pair in each.unmet]}
            for each in self.rounds
        ]  # fmt: skip
        return {"status": "optimal" if self.optimal else "feasible", "value": self.value, "bound": self.bound,
                "gap": self.gap, "unfairness": self.unfairness, "repeats": self.repeats,
                "price": self.price, "again": list(self.again), "rounds": rounds}  # fmt: skip


def plan(
    games: Sequence[LedgerGame], setup: Setup, rated: Rated, rounds: int, *,
    seen: Collection[frozenset[frozenset[str]]] = (), vary: float = MEETING, seed: int = 0,
    stop: Stop = never,
) -> Plan:  # fmt: skip
    """Return teams for several rounds of those who are here.

    Parameters
    ----------
    games : sequence of LedgerGame
        What was played so far; it says who sits out more often where not all can be equal.
    setup : Setup
        Who is here, and the rules.
    rated : callable
        What is known of them.
    rounds : int
        How many rounds, at least 1.
    seen : collection of sets of teams
        Teams of this evening, which come again like those of a round before.
    vary : float
        The price of meeting again, in win probability.
    seed : int
        Of the shaking.
    stop : callable
        Asked now and then; once it returns True the search ends with what it has.

    Raises
    ------
    InputError
        If there are too few players or rounds, or no teams keep all the rules.
    """
    return planned(Rounds(games, setup, rated, rounds, seen, vary), seed, stop)


def planned(rounds: Rounds, seed: int = 0, stop: Stop = never) -> Plan:
    """Return the best plan that is found, and what is proven of it."""
    best = _shaken(rounds, np.random.default_rng(seed), stop)
    bound, optimal = rounds.bound(), False
    if rounds.complete and math.comb(len(rounds.labels) + rounds.number - 2, rounds.number - 1) <= MOST_PLANS:
        best, optimal = _all(rounds, best, stop)
    value = rounds.value(best)
    optimal = optimal or value - bound <= EQUAL
    made = tuple(rounds.proposal(index) for index in best)
    return Plan(
        made, value, value if optimal else min(bound, value), optimal,
        float(rounds.distance[best].sum()), rounds.repeats(best), rounds.price,
        tuple(n + 1 for n in rounds.again(best)),
    )  # fmt: skip


def _settled(rounds: Rounds, chosen: list[int], stop: Stop) -> list[int]:
    """Split each round again, given the others, until none gets better."""
    better = True
    while better and not stop():
        better = False
        for n in range(rounds.number):
            others = chosen[:n] + chosen[n + 1 :]
            costs = rounds.costs(rounds.counts(others), last=True) + rounds.twice(others)
            index = int(costs.argmin())
            if costs[index] < costs[chosen[n]] - EQUAL:
                chosen[n], better = index, True
    return chosen


def _shaken(rounds: Rounds, rng: np.random.Generator, stop: Stop) -> list[int]:
    """Return the best plan of a search that begins round by round."""
    chosen: list[int] = []
    for n in range(rounds.number):
        costs = rounds.costs(rounds.counts(chosen), last=n == rounds.number - 1) + rounds.twice(chosen)
        chosen.append(int(costs.argmin()))
    best = _settled(rounds, chosen, never)
    value = rounds.value(best)
    for _ in range(min(SHAKES, SHAKEN_SPLITS // len(rounds.labels)) if rounds.number > 1 else 0):
        if stop():
            break
        tried = list(best)
        one, other = rng.choice(rounds.number, size=2, replace=False).tolist()
        # Who sits out in the one round does so in the other: no single round could change that.
        for n, like in ((one, tried[other]), (other, tried[one])):
            tried[n] = int(rng.choice(np.flatnonzero(rounds.way == rounds.way[like])))
        tried = _settled(rounds, tried, never)
        worth = rounds.value(tried)
        if worth < value - EQUAL:
            best, value = tried, worth
    return best


def _all(rounds: Rounds, start: list[int], stop: Stop) -> tuple[list[int], bool]:
    """Return the best of all plans, and whether all were gone through."""
    best, value, finished = start, rounds.value(start), True
    stack: list[tuple[list[int], float]] = [([], 0.0)]
    while stack:
        if stop():
            finished = False
            break
        chosen, spent = stack.pop()
        left = rounds.number - len(chosen)
        costs = rounds.costs(rounds.counts(chosen), last=left == 1)
        # A round costs no less after others than now, and rounds have no order: indices do not fall.
        costs[: chosen[-1] if chosen else 0] = np.inf
        if left == 1:
            costs = costs + rounds.twice(chosen)
            index = int(costs.argmin())
            if spent + costs[index] < value - EQUAL:
                best, value = [*chosen, index], rounds.value([*chosen, index])
            continue
        later = (left - 1) * float(costs.min())
        worth = np.flatnonzero(spent + costs + later < value - EQUAL)[::-1].tolist()
        stack.extend(([*chosen, index], spent + float(costs[index])) for index in worth)
    return best, finished
