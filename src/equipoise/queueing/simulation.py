"""What people will see under a policy: a queue simulated second by second, from a seed.

Players come at a rate, or by a day's curve of rates; their skills, parties and the uncertainty of their
ratings are those of a population.  Matches are judged by the skill that ratings only estimate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Any

import numpy as np

from equipoise.core.arrays import Floats, Ints
from equipoise.core.compiled import available
from equipoise.core.player import Player, Rating
from equipoise.core.win_probability import win_probability
from equipoise.errors import InputError
from equipoise.queueing.policy import QueuePolicy
from equipoise.queueing.tick import TickResult, mu_of, tick
from equipoise.queueing.tickets import FoundMatch, QueueTicket

#: More tickets than a simulation may have.
MOST_TICKETS = 5_000_000

#: The factors of growth among which a policy is fitted, and of which a frontier is made.
FACTORS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

#: Tickets from which loading the compiled kernels pays.
COMPILE_FROM = 1000  # effort

#: Where bands of skill end, in deviations from the middle.
BANDS = (-2.0, -1.0, 0.0, 1.0, 2.0)


@dataclass(frozen=True, slots=True)
class Population:
    """Who comes.

    Parameters
    ----------
    middle, deviation : float
        Of the skills, which are normal; those of a party are one draw.
    sigma : float
        The uncertainty of a rating: it is the skill and an error of this deviation, for each player.
    parties : sequence of float
        Shares of tickets by size, from 1.
    """

    middle: float = 1500.0
    deviation: float = 250.0
    sigma: float = 0.0
    parties: tuple[float, ...] = (0.6, 0.2, 0.1, 0.05, 0.05)

    def __post_init__(self) -> None:
        if not self.deviation >= 0.0 or not self.sigma >= 0.0:
            msg = "deviation and sigma must be at least 0"
            raise InputError(msg)
        if (
            not self.parties
            or min(self.parties) < 0.0
            or not math.isclose(sum(self.parties), 1.0, abs_tol=1e-6)
        ):
            msg = f"must be shares that add up to 1, got {', '.join(f'{share:g}' for share in self.parties)}"
            raise InputError(msg, "parties")


@dataclass(frozen=True, slots=True)
class QueueFigures:
    """What came out of a simulation.

    Parameters
    ----------
    waits : ndarray of float
        The waiting time of each ticket that was placed, seconds.
    ratings : ndarray of float
        The mean rating of each, as the queue saw it.
    sizes : ndarray of int
        The members of each.
    places : ndarray of int
        The match of each, by its place in those that follow.
    imbalances : ndarray of float
        By match, how far the chance of a team is from even, by true skill.
    spreads : ndarray of float
        By match, how far apart the parties' ratings are.
    party_gaps : ndarray of int
        By match, by how much the teams' largest parties differ.
    left : int
        Tickets that still wait at the end.
    oldest : float
        How long the oldest of these, or of those placed, has waited.
    gave_up : int
        Tickets that left before they were placed, as they once did.
    """

    waits: Floats
    ratings: Floats
    sizes: Floats
    places: Ints
    imbalances: Floats
    spreads: Floats
    party_gaps: Floats
    left: int
    oldest: float
    population: Population = field(default_factory=Population)
    gave_up: int = 0

    def wait(self, percent: float) -> float:
        """Return a percentile of the waits."""
        return float(np.percentile(self.waits, percent)) if len(self.waits) else math.nan

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        off = (self.ratings - self.population.middle) / max(self.population.deviation, 1e-9)
        band, sizes = np.searchsorted(BANDS, off), np.unique(self.sizes).tolist()
        groups = {
            "band": {_band_name(number): band == number for number in range(len(BANDS) + 1)},
            "size": {str(size): self.sizes == size for size in sizes},
        }
        each = {
            "wait": self.waits,
            "imbalance": self.imbalances[self.places],
            "spread": self.spreads[self.places],
        }
        return {
            "tickets": len(self.waits),
            "matches": len(self.imbalances),
            "wait": {
                "mean": _mean(self.waits),
                **{f"p{percent:g}": _plain(self.wait(percent)) for percent in (50, 95, 99.9)},
                "oldest": self.oldest,
            },
            "imbalance": _mean(self.imbalances),
            "spread": _mean(self.spreads),
            "party_gap": _mean(self.party_gaps),
            "left": self.left,
            "gave_up": self.gave_up,
            **{
                f"{what}_by_{kind}": {name: _mean(values[chosen]) for name, chosen in some.items()}
                for what, values in each.items()
                for kind, some in groups.items()
            },
        }


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _band_name(number: int) -> str:
    if number == 0:
        return f"below {BANDS[0]:g}"
    if number == len(BANDS):
        return f"above {BANDS[-1]:g}"
    return f"{BANDS[number - 1]:g} to {BANDS[number]:g}"


def simulate_queue(
    policy: QueuePolicy,
    rng: np.random.Generator,
    *,
    rates: Sequence[float] = (5.0,),
    seconds: float = 1800.0,
    warm_up: float = 300.0,
    population: Population | None = None,
    search: Callable[..., TickResult] = tick,
    progress: Callable[[float], None] | None = None,
) -> QueueFigures:
    """Simulate a queue that looks for matches once a second.

    Parameters
    ----------
    policy : QueuePolicy
        How matches are made.
    rng : numpy.random.Generator
        The only randomness.
    rates : sequence of float
        Tickets a second; several are a curve over the whole time, in steps of equal length.
    seconds, warm_up : float
        How long, and how long before that, from which nothing is counted.
    population : Population, optional
        Who comes.
    search : callable
        How matches are made, as :func:`~equipoise.queueing.tick` does.
    progress : callable, optional
        Called now and then with the share that is done.

    Raises
    ------
    InputError
        If a number is out of range.

    Examples
    --------
    >>> figures = simulate_queue(QueuePolicy(team_size=1), np.random.default_rng(1), seconds=60, warm_up=0)
    >>> figures.wait(95) < 60
    True
    """
    population = population or Population()
    tickets, skills = arrivals(rng, rates, seconds + warm_up, population, policy)
    return _played(
        policy, tickets, None, skills, 0, math.ceil(seconds + warm_up), warm_up, population, search, progress
    )


def replay_queue(
    policy: QueuePolicy,
    tickets: Iterable[QueueTicket],
    *,
    until: Iterable[float] | None = None,
    search: Callable[..., TickResult] = tick,
    progress: Callable[[float], None] | None = None,
) -> QueueFigures:
    """Return what comes out if tickets that once came do so under another policy, a tick a second.

    Matches are judged by the ratings; the queue goes on for ``longest_wait`` after the last ticket.

    Parameters
    ----------
    policy : QueuePolicy
        How matches are made.
    tickets : iterable of QueueTicket
        Who came; ``since`` says when, in any order.  Who comes again while they wait has left before.
    until : iterable of float, optional
        When each left that would not wait any longer; infinity for the others.
    search, progress : callable
        As in :func:`simulate_queue`.

    Raises
    ------
    InputError
        If there is no ticket, or they are too far apart in time.
    """
    came = list(tickets)
    if not came:
        msg = "must be at least 1, got 0"
        raise InputError(msg, "tickets")
    ends = dict(zip(map(id, came), until or repeat(math.inf, len(came)), strict=True))
    came.sort(key=lambda ticket: ticket.since)
    first, last = math.floor(came[0].since), math.ceil(came[-1].since + policy.longest_wait)
    if last - first > MOST_TICKETS:
        msg = f": they are more than {MOST_TICKETS} seconds apart"
        raise InputError(msg, "tickets")
    skills = {player.id: mu_of(player, policy) for ticket in came for player in ticket.players}
    population = Population(policy.middle, policy.deviation)
    return _played(policy, came, ends, skills, first, last, 0.0, population, search, progress)


def _played(
    policy: QueuePolicy,
    tickets: Sequence[QueueTicket],
    ends: Mapping[int, float] | None,
    skills: Mapping[str, float],
    start: int,
    last: int,
    warm_up: float,
    population: Population,
    search: Callable[..., TickResult],
    progress: Callable[[float], None] | None,
) -> QueueFigures:
    """Look for matches once a second while tickets come, and return what came out."""
    if len(tickets) >= COMPILE_FROM:
        available()  # kernels that are loaded are used
    waiting: tuple[QueueTicket, ...] = ()
    placed: list[tuple[QueueTicket, float, int]] = []
    judged: list[tuple[float, float, int]] = []
    came = gave_up = 0
    for now in range(start + 1, last + 1):
        first = came
        while came < len(tickets) and tickets[came].since <= now:
            came += 1
        if waiting or came > first:
            here = (*waiting, *tickets[first:came])
            if ends is not None:
                every, here = len(here), _still_here(here, ends, now)
                gave_up += every - len(here)
            found = search(here, float(now), policy)
            waiting = found.waiting
            if now > start + warm_up:
                placed += [
                    (ticket, now - ticket.since, number)
                    for number, match in enumerate(found.matches, len(judged))
                    for ticket in match.tickets
                ]
                judged += [_judged(match, skills, policy) for match in found.matches]
        if progress is not None:
            progress((now - start) / (last - start))
    waits = np.array([wait for _, wait, _ in placed])
    judgements = np.array(judged, dtype=float).reshape(-1, 3)
    left = [last - ticket.since for ticket in waiting]
    return QueueFigures(
        waits=waits,
        ratings=np.array([_mean_rating(ticket, policy) for ticket, _, _ in placed]),
        sizes=np.array([ticket.size for ticket, _, _ in placed], dtype=np.int64),
        places=np.array([number for _, _, number in placed], dtype=np.int64),
        imbalances=judgements[:, 0],
        spreads=judgements[:, 1],
        party_gaps=judgements[:, 2],
        left=len(left),
        oldest=max([*left, float(waits.max(initial=0.0))]),
        population=population,
        gave_up=gave_up,
    )


def _still_here(
    tickets: Sequence[QueueTicket], ends: Mapping[int, float], now: float
) -> tuple[QueueTicket, ...]:
    """Return those of some tickets, in the order they came, who have neither left nor come again."""
    by_id = {ticket.id: ticket for ticket in tickets}
    by_player = {player.id: ticket for ticket in tickets for player in ticket.players}
    return tuple(
        ticket
        for ticket in tickets
        if ends[id(ticket)] > now
        and by_id[ticket.id] is ticket
        and all(by_player[player.id] is ticket for player in ticket.players)
    )


def _mean_rating(ticket: QueueTicket, policy: QueuePolicy) -> float:
    return sum(mu_of(player, policy) for player in ticket.players) / ticket.size


def arrivals(
    rng: np.random.Generator,
    rates: Sequence[float],
    seconds: float,
    population: Population,
    policy: QueuePolicy,
) -> tuple[list[QueueTicket], dict[str, float]]:
    """Return the tickets that come, in order, and the skill of every player."""
    if not rates or not all(0.0 <= rate < math.inf for rate in rates):
        msg = "must be one or more numbers of at least 0"
        raise InputError(msg, "rates")
    if not 0.0 < seconds <= MOST_TICKETS:
        msg = f"must be above 0 and at most {MOST_TICKETS}, got {seconds:g}"
        raise InputError(msg, "seconds")
    if sum(rates) / len(rates) * seconds > MOST_TICKETS:
        msg = f": they give more than {MOST_TICKETS} tickets in {seconds:g} s"
        raise InputError(msg, "rates")
    shares = np.array(population.parties[: policy.team_size], dtype=float)
    if not shares.sum() > 0.0:
        msg = f": nobody comes in a party of at most {policy.team_size}"
        raise InputError(msg, "parties")
    step = seconds / len(rates)
    moments = [
        np.sort(rng.uniform(number * step, (number + 1) * step, rng.poisson(rate * step)))
        for number, rate in enumerate(rates)
    ]
    since = np.concatenate(moments)
    sizes = rng.choice(np.arange(1, len(shares) + 1), len(since), p=shares / shares.sum())
    skill = rng.normal(population.middle, population.deviation, len(since))
    error = rng.normal(0.0, 1.0, int(sizes.sum())) * population.sigma
    ends = np.cumsum(sizes)
    tickets, skills = [], {}
    for number, (when, end, size, mu) in enumerate(
        zip(since.tolist(), ends.tolist(), sizes.tolist(), skill.tolist(), strict=True)
    ):
        names = [f"{number}-{member}" for member in range(size)]
        off = error[end - size : end].tolist()
        members = tuple(
            Player(name, Rating(mu + by, population.sigma)) for name, by in zip(names, off, strict=True)
        )
        tickets.append(QueueTicket(str(number), members, when))
        skills.update(dict.fromkeys(names, mu))
    return tickets, skills


def _judged(match: FoundMatch, skills: Mapping[str, float], policy: QueuePolicy) -> tuple[float, float, int]:
    """Return how far a match is from even by true skill, its spread, and the gap of its largest parties."""
    totals = [sum(skills[player.id] for ticket in team for player in ticket.players) for team in match.teams]
    high, low = max(totals), min(totals)
    size = float(policy.team_size)
    chance = win_probability(np.array([[high, low]]), np.zeros((1, 2)), np.full((1, 2), size), policy.beta)
    largest = [max(ticket.size for ticket in team) for team in match.teams]
    return float(chance[0, 0]) - 0.5, match.spread, max(largest) - min(largest)


def scaled(policy: QueuePolicy, factor: float) -> QueuePolicy:
    """Return a policy under which what is accepted grows so many times as fast with waiting."""
    return replace(
        policy,
        tolerance_growth=policy.tolerance_growth * factor,
        imbalance_growth=min(policy.imbalance_growth * factor, 1.0),
    )


@dataclass(frozen=True, slots=True)
class SimulatedQueue:
    """What is simulated under any policy: tickets that once came, or a seed and who comes.

    Parameters
    ----------
    tickets : tuple of QueueTicket or None
        As :func:`replay_queue` takes them; None for drawn ones.
    until : tuple of float or None
        The same.
    seed : int
        Of those that are drawn.
    rates, seconds, population
        As :func:`simulate_queue` takes them.
    """

    tickets: tuple[QueueTicket, ...] | None = None
    seed: int = 0
    rates: tuple[float, ...] = (5.0,)
    seconds: float = 1800.0
    population: Population = field(default_factory=Population)
    until: tuple[float, ...] | None = None

    def under(self, policy: QueuePolicy, progress: Callable[[float], None] | None = None) -> QueueFigures:
        """Return what comes out under a policy."""
        if self.tickets is not None:
            return replay_queue(policy, self.tickets, until=self.until, progress=progress)
        return simulate_queue(
            policy, np.random.default_rng(self.seed), rates=self.rates, seconds=self.seconds,
            population=self.population, progress=progress,
        )  # fmt: skip


def simulated(shared: SimulatedQueue, policy: QueuePolicy) -> QueueFigures:
    """Return what comes out under a policy, as one part of several (:mod:`equipoise.core.tasks`)."""
    return shared.under(policy)


def slowest_growth(
    policy: QueuePolicy,
    percent: float,
    seconds: float,
    simulate: Callable[[Sequence[QueuePolicy]], Iterable[QueueFigures]],
) -> tuple[float, QueueFigures] | None:
    """Return the slowest growth, as a factor, with which a percentile of the waits is within a limit.

    The slower tolerances grow, the more even the matches are.

    Parameters
    ----------
    policy : QueuePolicy
        Of which the growth is changed, by the factors in :data:`FACTORS`.
    percent, seconds : float
        The percentile, and what it should be at most.
    simulate : callable
        What says what comes out under each of some policies, in their order; with one seed for all, so that
        they are compared.

    Returns
    -------
    tuple of (float, QueueFigures) or None
        The factor and what comes out with it; None if none of them is fast enough.
    """
    tried = [scaled(policy, factor) for factor in FACTORS]
    for factor, figures in zip(FACTORS, simulate(tried), strict=False):
        if figures.wait(percent) <= seconds:
            return factor, figures
    return None
