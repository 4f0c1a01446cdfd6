"""What an admin would have had: every match of a history re-divided, in several ways.

Each way divides those who really played, by what was known of them before the match.  How close its teams
would have been is judged by what is known after the last one: the distance of the win chance from even, which
no way could see.  Matches that follow each other share players, so intervals come from a bootstrap of whole
blocks of matches.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from equipoise.core.match import Contest, Match
from equipoise.core.player import Player
from equipoise.core.stopping import Stop, never
from equipoise.ratings.ladder import Ladder
from equipoise.ratings.model import RatingModel
from equipoise.teams.balance import balance

#: As it was really played, and at random.
PLAYED, RANDOM = "played", "random"

#: Ways to divide, with what each asks of a balance; captains pick in turns, as a snake does.
ARMS: Mapping[str, Mapping[str, Any]] = {
    PLAYED: {},
    RANDOM: {},
    "captains": {"solver": "snake", "objective": "difference"},
    "greedy": {"solver": "greedy-cap", "objective": "difference"},
    "ratio": {"objective": "ratio", "zero": None},
    "equipoise": {},
}

#: Matches of a block, how many blocks there are at least, how often they are drawn, the ends of an interval.
BLOCK, FEWEST, RESAMPLES, ENDS = 10, 5, 2000, (0.025, 0.975)


@dataclass(frozen=True, slots=True)
class Arm:
    """What came of one way to divide.

    Parameters
    ----------
    arm : str
        Its name.
    matches : int
        How many were divided.
    closeness : float
        The mean distance of the favourite's win chance from even.
    interval : (float, float)
        Of that mean, 95 %.
    broken_parties : int
        Parties whose players were not all in one team.
    moves : float
        How many players a match were in another team than they really were, on average.
    """

    arm: str
    matches: int
    closeness: float
    interval: tuple[float, float]
    broken_parties: int
    moves: float

    def as_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {**asdict(self), "interval": list(self.interval)}


@dataclass(slots=True)
class _Tally:
    """The line-ups of one arm."""

    lineups: list[tuple[tuple[str, ...], ...]] = field(default_factory=list)
    broken: int = 0
    moves: int = 0


def what_if(
    matches: Iterable[Match],
    model: RatingModel | None = None,
    *,
    arms: Mapping[str, Mapping[str, Any]] = ARMS,
    seed: int = 0,
    stopping: Callable[[], Stop] = lambda: never,
) -> list[Arm]:
    """Return what each way to divide would have made of a history.

    Parameters
    ----------
    matches : iterable of Match
        In the order they ended; those of two teams with two players or more in one are divided.
    model : RatingModel, optional
        What learns; the default model where it is left out.
    arms : mapping
        Names of ways to divide, with keywords of :func:`equipoise.balance`; ``played`` and ``random``
        need none.
    seed : int
        Seed of the random teams and the intervals.
    stopping : callable
        Makes what ends a search for teams that takes too long.
    """
    ladder, rng = Ladder(model), np.random.default_rng([seed, 0])
    tallies = {name: _Tally() for name in arms}
    contests: list[Contest] = []
    for match in matches:
        contest = match.contests[-1]
        if len(contest.teams) == 2 and max(map(len, contest.teams)) > 1:
            contests.append(contest)
            for name, tally in tallies.items():
                _divide(name, arms[name], contest, ladder, tally, rng, stopping)
        ladder.record(match)
    if not contests:
        return []
    return [_judged(name, tally, contests, ladder, seed) for name, tally in tallies.items()]


def _divide(
    name: str,
    keywords: Mapping[str, Any],
    contest: Contest,
    ladder: Ladder,
    tally: _Tally,
    rng: np.random.Generator,
    stopping: Callable[[], Stop],
) -> None:
    """Divide those who played one contest."""
    really = tuple(tuple(player for player, _ in team) for team in contest.teams)
    everyone = [player for team in really for player in team]
    if name == PLAYED:
        lineup: tuple[tuple[str, ...], ...] = really
    elif name == RANDOM:
        mixed = [everyone[n] for n in rng.permutation(len(everyone))]
        lineup = (tuple(mixed[: len(mixed) // 2]), tuple(mixed[len(mixed) // 2 :]))
    else:
        model: Any = ladder.model
        scale = {"beta": getattr(model, "beta", None), "zero": getattr(model, "zero", None)}
        players = [Player(each, ladder.rating(each, contest.ruleset)) for each in everyone]
        asked = {**scale, "parties": contest.parties, "stop": stopping(), **keywords}
        if asked.get("objective") == "ratio":
            players = _positive(players)
        solution = balance(players, **asked)
        lineup = tuple(tuple(each.id for each in team) for team in solution.best.teams)
    tally.lineups.append(lineup)
    tally.broken += sum(not any(set(party) <= set(team) for team in lineup) for party in contest.parties)
    stayed = max(_same(lineup, really), _same(lineup[::-1], really))
    tally.moves += len(everyone) - stayed


def _positive(players: Sequence[Player]) -> list[Player]:
    """Return players with weights above 0, as a ratio of sums needs: the least one weighs 1."""
    weights = [each.rating.mu for each in players if each.rating is not None]  # type: ignore[union-attr]
    least = min(weights)
    return [Player(each.id, weight - least + 1.0) for each, weight in zip(players, weights, strict=True)]


def _same(one: Sequence[Sequence[str]], other: Sequence[Sequence[str]]) -> int:
    return sum(len(set(a) & set(b)) for a, b in zip(one, other, strict=True))


def _judged(name: str, tally: _Tally, contests: Sequence[Contest], ladder: Ladder, seed: int) -> Arm:
    """Judge the line-ups of an arm by what is known in the end."""
    apart = np.array(
        [
            abs(ladder.predict(lineup, contest.ruleset)[0] - 0.5)
            for lineup, contest in zip(tally.lineups, contests, strict=True)
        ]
    )
    low, high = _interval(apart, seed)
    return Arm(
        name, len(contests), float(apart.mean()), (low, high), tally.broken, tally.moves / len(contests)
    )


def _interval(numbers: np.ndarray[Any, np.dtype[np.float64]], seed: int) -> tuple[float, float]:
    """Return the ends of the interval of a mean by a bootstrap of blocks that follow each other."""
    rng = np.random.default_rng([seed, 1])
    size = min(BLOCK, -(-len(numbers) // FEWEST))
    blocks = -(-len(numbers) // size)
    starts = rng.integers(len(numbers) - size + 1, size=(RESAMPLES, blocks))
    sums = np.concatenate([[0.0], np.cumsum(numbers)])
    means = (sums[starts + size] - sums[starts]).sum(axis=1) / (blocks * size)
    low, high = np.quantile(means, ENDS)
    return float(low), float(high)
