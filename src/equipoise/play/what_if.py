"""What an admin would have had: every match of a history re-divided, in several ways.

Each way divides those who really played, by what was known of them before the match.  How close its teams
would have been nobody has seen, so it is judged by samples of everyone's true skill given all results
(:mod:`equipoise.ratings.skill_posterior`): of each sample follows how far from even the teams of each way
were on average, and the intervals are those of the samples.  Differences are of the same samples and matches.
Teams at random count in expectation, over many draws of each match.

Where the games or their line-ups were more even than teams could be that are made from the results before
them, nothing is claimed: players may all be alike, or whoever made the teams knew them better.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.match import Contest, Match
from equipoise.core.player import Player
from equipoise.core.stopping import AskedOften, Stop
from equipoise.core.tasks import IN_TURN, Tasks
from equipoise.ratings.ladder import Ladder
from equipoise.ratings.model import RatingModel
from equipoise.ratings.skill_posterior import SkillSamples, normal_below, sample_skills
from equipoise.teams.balance import balance

#: As it was really played, and at random.
PLAYED, RANDOM = "played", "random"

#: Ways to divide, with what each asks of a balance.
ARMS: Mapping[str, Mapping[str, Any]] = {
    PLAYED: {},
    RANDOM: {},
    "greedy": {"solver": "greedy-cap", "objective": "difference"},
    "equipoise": {},
}

#: Samples of everyone's skill, random divisions of each match, and the ends of an interval.
SAMPLES, DRAWS, ENDS = 1000, 40, (0.025, 0.975)

#: The answer where the data cannot give one.
CANNOT_TELL = "cannot tell"

#: How often a search for teams asks whether it should end, before it does.
PATIENCE = 20_000  # effort

#: Teams as they were divided.
LineUp = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Arm:
    """What came of one way to divide.

    Parameters
    ----------
    arm : str
        Its name.
    matches : int
        How many were divided.
    closeness : float or None
        The mean distance of the favourite's win chance from even; None where it is unknown.
    interval : (float, float) or None
        In which that is with a probability of 95 %.
    broken_parties : float
        Parties whose players were not all in one team; at random the expected number.
    moves : float
        How many players a match were in another team than they really were, on average.
    """

    arm: str
    matches: int
    closeness: float | None
    interval: tuple[float, float] | None
    broken_parties: float
    moves: float


@dataclass(frozen=True, slots=True)
class ArmDifference:
    """How much further from even one way is than another, match by match.

    Parameters
    ----------
    arm, than : str
        The ways; below 0 the first is closer.
    difference : float or None
        Of their closeness; None where it is unknown.
    interval : (float, float) or None
        In which that is with a probability of 95 %.
    verdict : str
        ``"closer"``, ``"further"``, or :data:`CANNOT_TELL`.
    """

    arm: str
    than: str
    difference: float | None
    interval: tuple[float, float] | None
    verdict: str


@dataclass(frozen=True, slots=True)
class WhatIf:
    """What each way to divide would have made of a history.

    Parameters
    ----------
    matches : int
        How many were divided.
    reason : str
        Why it is unknown how close teams were; nothing where it can.
    arms : tuple of Arm
        The ways.
    differences : tuple of ArmDifference
        Of each pair of them.
    """

    matches: int
    reason: str
    arms: tuple[Arm, ...]
    differences: tuple[ArmDifference, ...]

    @property
    def identified(self) -> bool:
        """Whether the results can tell how close teams were."""
        return not self.reason


def patient() -> Stop:
    """Return what ends a search for teams that takes too long, by what it has done and not by the clock."""
    return AskedOften(PATIENCE)


def what_if(
    matches: Iterable[Match],
    model: RatingModel | None = None,
    *,
    arms: Mapping[str, Mapping[str, Any]] = ARMS,
    seed: int = 0,
    stopping: Callable[[], Stop] = patient,
    tasks: Tasks = IN_TURN,
) -> WhatIf:
    """Return what each way to divide would have made of a history.

    Parameters
    ----------
    matches : iterable of Match
        In the order they ended; those of two teams with two players or more in one are divided.
    model : RatingModel, optional
        What says before each match how strong everyone is; the default model where it is left out.
    arms : mapping
        Names of ways to divide, with keywords of :func:`equipoise.balance`; ``played`` and ``random``
        need none.
    seed : int
        Seed of the samples and the random teams.
    stopping : callable
        Makes what ends a search for teams that takes too long; by default it does not look at the clock, so
        that the same history gives the same answer.
    tasks : Tasks
        What divides and judges; the result is the same whichever does.

    Raises
    ------
    InputError
        If there are too many players to look at all at once.
    """
    ladder = Ladder(model)
    contests: list[Contest] = []
    seen: list[Contest] = []
    ways = {name: keywords for name, keywords in arms.items() if name not in (PLAYED, RANDOM)}

    def asked() -> Iterator[tuple[list[Player], dict[str, Any]]]:
        """Go through who is to be divided, with what was known of them before."""
        for match in matches:
            contest = match.contests[-1]
            seen.extend(each for each in match.contests if len(each.teams) == 2)
            if len(contest.teams) == 2 and max(map(len, contest.teams)) > 1:
                contests.append(contest)
                yield _known(contest, ladder)
            ladder.record(match)

    divided = list(tasks(_divided, (ways, stopping), asked()))
    if not contests:
        return WhatIf(0, "no match has two teams of which one has two players or more", (), ())
    known = sample_skills(seen, np.random.default_rng([seed, 1]), SAMPLES)
    rng = np.random.default_rng([seed, 0])
    apart = {name: np.zeros(SAMPLES) for name in arms}
    broken, moves = dict.fromkeys(arms, 0.0), dict.fromkeys(arms, 0.0)

    def found() -> Iterator[dict[str, list[LineUp]]]:
        """Go through what each way makes of each contest."""
        for contest, teams in zip(contests, divided, strict=True):
            really = _really(contest)
            yield {
                name: [teams[name]] if name in teams
                else _at_random(really, rng) if name == RANDOM else [really]
                for name in arms
            }  # fmt: skip

    both = itertools.tee(found())
    for contest, made, judged in zip(contests, both[0], tasks(_judged, known, both[1]), strict=True):
        really = _really(contest)
        for name, lineups in made.items():
            apart[name] += judged[name]
            for way in lineups:
                broken[name] += _broken(contest, way) / len(lineups)
                stayed = max(_same(way, really), _same(way[::-1], really))
                moves[name] += (sum(map(len, really)) - stayed) / len(lineups)
    means = {name: total / len(contests) for name, total in apart.items()}
    return WhatIf(
        len(contests),
        known.doubt,
        tuple(
            Arm(
                name,
                len(contests),
                *_claim(mean, known.doubt),
                broken[name],
                moves[name] / len(contests),
            )
            for name, mean in means.items()
        ),
        tuple(_difference(one, other, means, known.doubt) for other, one in itertools.combinations(means, 2)),
    )


def _known(contest: Contest, ladder: Ladder) -> tuple[list[Player], dict[str, Any]]:
    """Return who played a contest by what is known before it, and what goes for them however divided."""
    model: Any = ladder.model
    scale = {"beta": getattr(model, "beta", None), "zero": getattr(model, "zero", None)}
    everyone = [each for team in _really(contest) for each in team]
    players = [Player(each, ladder.rating(each, contest.ruleset)) for each in everyone]
    return players, {**scale, "parties": contest.parties}


def _divided(
    shared: tuple[Mapping[str, Mapping[str, Any]], Callable[[], Stop]],
    asked: tuple[list[Player], dict[str, Any]],
) -> dict[str, LineUp]:
    """Divide those who played one contest in each way."""
    ways, stopping = shared
    players, settings = asked
    found = {}
    for name, keywords in ways.items():
        best = balance(players, **{**settings, "stop": stopping(), **keywords}).best
        found[name] = tuple(tuple(each.id for each in team) for team in best.teams)
    return found


def _judged(known: SkillSamples, made: Mapping[str, Sequence[LineUp]]) -> dict[str, Floats]:
    """Return in each sample how far from even the teams of each way are, on average over its draws."""
    return {name: ways_apart(known, lineups).mean(axis=0) for name, lineups in made.items()}


def _really(contest: Contest) -> LineUp:
    return tuple(tuple(player for player, _ in team) for team in contest.teams)


def _at_random(really: LineUp, rng: np.random.Generator) -> list[LineUp]:
    """Return all divisions of those who played into two equal teams, or some at random."""
    everyone = [player for team in really for player in team]
    half = len(everyone) // 2
    if math.comb(len(everyone), half) <= 2 * DRAWS:
        firsts = [set(some) for some in itertools.combinations(range(len(everyone)), half)]
    else:
        firsts = [set(rng.permutation(len(everyone))[:half].tolist()) for _ in range(DRAWS)]
    return [
        (
            tuple(player for n, player in enumerate(everyone) if n in first),
            tuple(player for n, player in enumerate(everyone) if n not in first),
        )
        for first in firsts
    ]


def ways_apart(known: SkillSamples, ways: Sequence[LineUp]) -> Floats:
    """Return how far from even each of several divisions of the same players is, in each sample."""
    everyone = [player for team in ways[0] for player in team]
    place = {player: n for n, player in enumerate(everyone)}
    signs = np.ones((len(ways), len(everyone) + 1))
    for n, (one, other) in enumerate(ways):
        signs[n, [place[player] for player in other]] = -1.0
        signs[n, -1] = len(one) - len(other)
    rows = [*(known.players[player] for player in everyone), len(known.players)]
    leads = signs @ known.skills[rows] / math.sqrt(len(everyone))
    found: Floats = np.abs(normal_below(leads) - 0.5)
    return found


def _broken(contest: Contest, way: LineUp) -> int:
    return sum(not any(set(party) <= set(team) for team in way) for party in contest.parties)


def _same(one: Sequence[Sequence[str]], other: Sequence[Sequence[str]]) -> int:
    return sum(len(set(a) & set(b)) for a, b in zip(one, other, strict=True))


def _claim(numbers: Floats, doubt: str) -> tuple[float | None, tuple[float, float] | None]:
    """Return the mean of samples and their interval, neither where there is doubt."""
    if doubt:
        return None, None
    low, high = np.quantile(numbers, ENDS)
    return float(numbers.mean()), (float(low), float(high))


def _difference(one: str, other: str, means: Mapping[str, Floats], doubt: str) -> ArmDifference:
    """Compare two ways, sample by sample."""
    apart, interval = _claim(means[one] - means[other], doubt)
    return ArmDifference(one, other, apart, interval, verdict_of(*interval) if interval else CANNOT_TELL)


def verdict_of(low: float, high: float) -> str:
    """Return what an interval of a difference says.

    Examples
    --------
    >>> verdict_of(-0.2, -0.1), verdict_of(-0.2, 0.1)
    ('closer', 'cannot tell')
    """
    if low <= 0.0 <= high:
        return CANNOT_TELL
    return "closer" if high < 0.0 else "further"
