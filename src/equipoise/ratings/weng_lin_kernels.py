"""The closed forms of Weng and Lin as kernels: the plain functions, and what is compiled of them.

What a column means is in the named tuples; the formulas are those of docs/algorithms/weng-lin.md, operation
by operation as the package ``openskill`` has them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from equipoise.ratings.distributions import below, odds


def _whole(column: Any) -> Any:
    return np.ascontiguousarray(column, dtype=np.uint32)


def _real(column: Any) -> Any:
    return np.ascontiguousarray(column, dtype=np.float64)


class WengLinConstants(NamedTuple):
    """The constants of a model: beta, tau and kappa of :class:`WengLin`, and 1 for Plackett-Luce, else 0."""

    beta: float
    tau: float
    kappa: float
    luce: int


class ContestColumns(NamedTuple):
    """Of each contest where its teams begin, with one entry more, and how much it counts."""

    first_team: Any
    weight: Any

    def arrays(self) -> ContestColumns:
        """Return the columns as the compiled kernel takes them."""
        return ContestColumns(_whole(self.first_team), _real(self.weight))


class TeamColumns(NamedTuple):
    """Of each team where its members begin, with one entry more, and its rank."""

    first_member: Any
    rank: Any

    def arrays(self) -> TeamColumns:
        """Return the columns as the compiled kernel takes them."""
        return TeamColumns(_whole(self.first_member), _real(self.rank))


class MemberColumns(NamedTuple):
    """Of each member the row in the table, the share, and how much the player learns from the contest."""

    player: Any
    share: Any
    attention: Any

    def arrays(self) -> MemberColumns:
        """Return the columns as the compiled kernel takes them."""
        return MemberColumns(_whole(self.player), _real(self.share), _real(self.attention))


class KernelRoom(NamedTuple):
    """A number for each team of the largest contest: sums, pulls, and what Plackett-Luce adds up.

    The last has one for each member of the largest contest: sigma, after skills have drifted.
    """

    mu: Any
    variance: Any
    omega: Any
    delta: Any
    top: Any
    total: Any
    tied: Any
    wide: Any

    @classmethod
    def of(cls, numbers: Callable[[int], Any], teams: int, members: int) -> KernelRoom:
        """Return room for so many teams and members; ``numbers`` makes a column of a length."""
        return cls(*[numbers(members if name == "wide" else teams) for name in cls._fields])


def play(
    settings: WengLinConstants,
    mu: Any,
    sigma: Any,
    contests: ContestColumns,
    teams: TeamColumns,
    members: MemberColumns,
    room: KernelRoom,
    chances: Any,
    learning: int,
) -> None:
    """Predict contests in their order, and learn from each: a kernel.

    Parameters
    ----------
    settings : WengLinConstants
        The model's constants.
    mu, sigma : column
        Of each player; changed in place.
    contests, teams, members : columns
        What was played.  Whole numbers are of a type without a sign.
    room : Room
        Where a contest is worked out.
    chances : column
        Where the chance of each team goes; empty where nobody asks.
    learning : int
        1 to learn, 0 to predict alone.
    """
    for n in range(len(contests.weight)):
        first, end = contests.first_team[n], contests.first_team[n + 1]
        if len(chances) > 0:
            _sum(mu, sigma, 0.0, teams, members, room, first, end)
            _predict(settings.beta, room, first, end, chances)
        if learning == 0:
            continue
        steps, step = contests.weight[n], 0.0
        while step < steps:
            part = min(steps - step, 1.0)
            step += 1.0
            learn(settings, part, mu, sigma, teams, members, room, first, end)


def learn(
    settings: WengLinConstants,
    part: float,
    mu: Any,
    sigma: Any,
    teams: Any,
    members: Any,
    room: Any,
    first: int,
    end: int,
) -> None:
    """Learn from a contest, or from a part of one."""
    _sum(mu, sigma, settings.tau * settings.tau, teams, members, room, first, end)
    if settings.luce == 1:
        _pull_luce(settings.beta, teams, room, first, end)
    else:
        _pull_pairs(settings.beta, teams, room, first, end)
    _move(settings, part, mu, sigma, teams, members, room, first, end)


def _sum(
    mu: Any, sigma: Any, drift: float, teams: Any, members: Any, room: Any, first: int, end: int
) -> None:
    """Add up each team's mu and sigma squared, everyone with their share, after skills have drifted."""
    start = teams.first_member[first]
    for t in range(first, end):
        mean = variance = 0.0
        for j in range(teams.first_member[t], teams.first_member[t + 1]):
            share, player = members.share[j], members.player[j]
            wide = sigma[player]
            if drift > 0.0:
                wide = math.sqrt(wide * wide + drift)
            room.wide[j - start] = wide
            mean += share * mu[player]
            variance += (share * wide) * (share * wide)
        room.mu[t - first], room.variance[t - first] = mean, variance


def _predict(beta: float, room: Any, first: int, end: int, chances: Any) -> None:
    """Write the chances, as ``predict_win`` of openskill: the mean over pairs for many teams."""
    many = end - first
    noise = 2.0 * (beta * beta)
    if many == 2:
        wide = math.sqrt(noise + room.variance[0] + room.variance[1])
        chances[first] = below((room.mu[0] - room.mu[1]) / wide)
        chances[first + 1] = 1.0 - chances[first]
        return
    total = 0.0
    for i in range(many):
        mean = 0.0
        for j in range(many):
            if j != i:
                wide = math.sqrt(noise + room.variance[i] + room.variance[j])
                mean += below((room.mu[i] - room.mu[j]) / wide)
        chances[first + i] = mean / (many - 1)
        total += chances[first + i]
    for i in range(many):
        chances[first + i] /= total


def _pull_pairs(beta: float, teams: Any, room: Any, first: int, end: int) -> None:
    """Write how far each team's sum moves and what its variance loses: Bradley-Terry, full pairing."""
    noise = 2.0 * (beta * beta)
    for i in range(end - first):
        omega = delta = 0.0
        variance, rank = room.variance[i], teams.rank[first + i]
        for j in range(end - first):
            if j == i:
                continue
            c = math.sqrt(variance + room.variance[j] + noise)
            p, _ = odds((room.mu[i] - room.mu[j]) / c)
            other = teams.rank[first + j]
            score = 1.0 if rank < other else 0.5 if rank == other else 0.0
            omega += variance / c * (score - p)
            delta += math.sqrt(variance) / c * variance / c / c * p * (1.0 - p)
        room.omega[i], room.delta[i] = omega, delta


def _pull_luce(beta: float, teams: Any, room: Any, first: int, end: int) -> None:
    """Write how far each team's sum moves and what its variance loses: Plackett-Luce."""
    many, c = end - first, 0.0
    for i in range(many):
        c += room.variance[i] + beta * beta
    c = math.sqrt(c)
    for q in range(many):
        rank, tied = teams.rank[first + q], 0.0
        top, total = -math.inf, 0.0  # the exponential of a skill itself may leave the numbers
        for i in range(many):
            if teams.rank[first + i] >= rank:
                top = max(top, room.mu[i] / c)
            if teams.rank[first + i] == rank:
                tied += 1.0
        for i in range(many):
            if teams.rank[first + i] >= rank:
                total += math.exp(room.mu[i] / c - top)
        room.top[q], room.total[q], room.tied[q] = top, total, tied
    for i in range(many):
        omega = delta = 0.0
        variance = room.variance[i]
        for q in range(many):
            if teams.rank[first + q] <= teams.rank[first + i]:
                p = math.exp(room.mu[i] / c - room.top[q]) / room.total[q]
                omega += ((1.0 if q == i else 0.0) - p) / room.tied[q]
                delta += p * (1.0 - p) / room.tied[q]
        room.omega[i] = omega * variance / c
        room.delta[i] = delta * variance / (c * c) * math.sqrt(variance) / c


def _move(
    settings: WengLinConstants,
    part: float,
    mu: Any,
    sigma: Any,
    teams: Any,
    members: Any,
    room: Any,
    first: int,
    end: int,
) -> None:
    """Move everyone by their part of what their team has learnt."""
    start = teams.first_member[first]
    for t in range(first, end):
        variance, omega, delta = room.variance[t - first], room.omega[t - first], room.delta[t - first]
        for j in range(teams.first_member[t], teams.first_member[t + 1]):
            share, player = members.share[j], members.player[j]
            was_mu, was_sigma, wide = mu[player], sigma[player], room.wide[j - start]
            taken = share * wide * wide / variance
            kept = max(1.0 - taken * delta * share, settings.kappa)
            new_mu, new_sigma = was_mu + taken * omega, wide * math.sqrt(kept)
            factor = part * members.attention[j]
            if factor == 1.0:
                mu[player], sigma[player] = new_mu, new_sigma
            else:
                mu[player] = was_mu + factor * (new_mu - was_mu)
                sigma[player] = was_sigma + factor * (new_sigma - was_sigma)
