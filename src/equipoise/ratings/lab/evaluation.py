"""How good predictions of who wins are: log-loss, Brier score, accuracy and calibration.

Validation is progressive: each contest is predicted from those before it, then learnt from.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.registry import MODELS, resolve
from equipoise.errors import InputError
from equipoise.ratings.history_columns import Columns, run_columns
from equipoise.ratings.model import Chances, RatingModel, chances_of, checked
from equipoise.ratings.models.gaussian_filter.contest_columns import pack
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.replay import STRIDE, Progress, in_order, run
from equipoise.ratings.side_advantage import SideAdvantages, learnt_sides

#: Probabilities are kept this far from 0 and 1 before their logarithm is taken.
CLIP = 1e-6

#: Bins of equal width from 0 to 1 on the favourite's probability.
BINS = 10


@dataclass(frozen=True, slots=True)
class Metrics:
    """What is measured of a sequence of predictions; nan where nothing was scored.

    Parameters
    ----------
    n : int
        Contests that were scored: those with one winner.
    log_loss : float
        Mean of ``-log(p of the winner)``, nats; 0.6931 is a coin for two teams.
    brier : float
        Mean over contests of the squared error, summed over all teams but divided by two, so that for two
        teams it is that of one of them.
    accuracy : float
        Part of contests the favourite won; a favourite among f equal ones counts 1/f.
    calibration_slope : float
        Factor on the log-odds that would have been best; below 1 is over-confident.
    ece : float
        Expected calibration error of the favourite, ten bins of equal width from 0 to 1.
    three_way : float
        Mean of ``-log(p of what happened)`` over contests of two teams, of which a draw is one thing that may
        happen; nan where draws were not predicted.
    draws : int
        How many of these were drawn.
    """

    n: int
    log_loss: float
    brier: float
    accuracy: float
    calibration_slope: float
    ece: float
    three_way: float = math.nan
    draws: int = 0

    def as_dict(self) -> dict[str, float | None]:
        """Return the figures as plain data, None for nan."""
        return {name: None if number != number else number for name, number in asdict(self).items()}


@dataclass(frozen=True, slots=True)
class Bin:
    """One bin of the reliability diagram: how often the favourite was given this chance, and won."""

    count: int
    chance: float
    won: float


def measure(
    chances: Sequence[Sequence[float]], winners: Sequence[int], draws: Sequence[float] = ()
) -> Metrics:
    """Measure predictions.

    Parameters
    ----------
    chances : sequence of sequences of float
        Each contest's probabilities.
    winners : sequence of int
        The place of the one winner; -1 for a tie, which is not scored.
    draws : sequence of float
        The chance of a draw of each contest; nan where there is none.

    Examples
    --------
    >>> measure([(0.75, 0.25), (0.5, 0.5)], [0, -1]).log_loss == -math.log(0.75)
    True

    References
    ----------
    A. Dawid, J. R. Stat. Soc. A 147 (1984) 278 (prequential analysis);
    D. Cox, Biometrika 45 (1958) 562 (slope of the log-odds);
    C. Guo et al., ICML 2017, eq. 3 (expected calibration error).
    """
    scored = [(row, winner) for row, winner in zip(chances, winners, strict=True) if winner >= 0]
    three_way, drawn = _three_way(chances, winners, draws) if draws else (math.nan, 0)
    if not scored:
        return Metrics(0, *(math.nan,) * 5, three_way=three_way, draws=drawn)
    likely = np.array([min(max(row[winner], CLIP), 1.0 - CLIP) for row, winner in scored])
    brier = [sum((p - (k == winner)) ** 2 for k, p in enumerate(row)) / 2.0 for row, winner in scored]
    right = [(row[winner] == max(row)) / sum(p == max(row) for p in row) for row, winner in scored]
    return Metrics(
        n=len(scored),
        log_loss=float(-np.log(likely).mean()),
        brier=float(np.mean(brier)),
        accuracy=float(np.mean(right)),
        calibration_slope=calibration_slope(scored),
        ece=sum(each.count * abs(each.won - each.chance) for each in reliability(chances, winners))
        / len(scored),
        three_way=three_way,
        draws=drawn,
    )


def _three_way(
    chances: Sequence[Sequence[float]], winners: Sequence[int], draws: Sequence[float]
) -> tuple[float, int]:
    """Return the mean loss over contests of two teams that may be drawn, and how many were."""
    losses, drawn = [], 0
    for row, winner, draw in zip(chances, winners, draws, strict=True):
        if draw == draw and len(row) == 2:
            came = draw if winner < 0 else (1.0 - draw) * row[winner]
            losses.append(-math.log(min(max(came, CLIP), 1.0 - CLIP)))
            drawn += winner < 0
    return (math.fsum(losses) / len(losses), drawn) if losses else (math.nan, 0)


def calibration_slope(scored: Sequence[tuple[Sequence[float], int]]) -> float:
    """Return the factor on the log-odds with the greatest likelihood, nan where none is.

    For more than two teams it is the factor on the logarithms of all probabilities.
    """
    width = max(len(row) for row, _ in scored)
    logs = np.full((len(scored), width), -np.inf)
    for n, (row, _) in enumerate(scored):
        logs[n, : len(row)] = np.log(np.clip(row, CLIP, 1.0 - CLIP))
    present = np.isfinite(logs)
    finite = np.where(present, logs, 0.0)
    own = finite[np.arange(len(scored)), [winner for _, winner in scored]]
    slope = 1.0
    for _ in range(100):
        scaled = slope * finite
        top = scaled.max(axis=1, keepdims=True, where=present, initial=-np.inf)
        power = np.where(present, np.exp(np.minimum(scaled - top, 0.0)), 0.0)
        power /= power.sum(axis=1, keepdims=True)
        mean = (power * finite).sum(axis=1)
        curvature = float(((power * finite * finite).sum(axis=1) - mean * mean).sum())
        if curvature < 1e-12:
            return math.nan
        step = float((own - mean).sum()) / curvature
        slope += min(max(step, -1.0), 1.0)
        if abs(step) < 1e-12:
            break
    return slope if abs(slope) < 50.0 else math.nan


def reliability(chances: Sequence[Sequence[float]], winners: Sequence[int]) -> list[Bin]:
    """Return the bins that are not empty, by the favourite's probability, ascending."""
    favourite: list[list[float]] = [[] for _ in range(BINS)]
    won: list[list[float]] = [[] for _ in range(BINS)]
    for row, winner in zip(chances, winners, strict=True):
        if winner < 0:
            continue
        top = max(row)
        place = min(int(top * BINS), BINS - 1)
        favourite[place].append(top)
        won[place].append((row[winner] == top) / sum(p == top for p in row))
    return [
        Bin(len(likely), float(np.mean(likely)), float(np.mean(came)))
        for likely, came in zip(favourite, won, strict=True)
        if likely
    ]


#: Part of the history that is played but not scored.
SKIP = 0.4


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a model predicted, and how good it was.

    Parameters
    ----------
    metrics : Metrics
        Over everything that was scored.
    groups : mapping from str to Metrics
        The same for each ruleset and each size of teams.
    chances : list of tuples of float
        The predictions that count.
    winners : list of int
        Who won, -1 for a tie.
    sides : SideAdvantages, optional
        What it was worth to be named first, over all contests of two teams; of columns without maps.
    """

    metrics: Metrics
    groups: Mapping[str, Metrics] = field(default_factory=dict)
    chances: Sequence[Chances] = ()
    winners: Sequence[int] = ()
    sides: SideAdvantages | None = None


def winner(contest: Contest | ContestOutline) -> int:
    """Return the place of the one team that came first, -1 for a tie."""
    best = min(contest.ranks)
    return contest.ranks.index(best) if contest.ranks.count(best) == 1 else -1


def evaluate(
    model: RatingModel | str,
    matches: Sequence[Match] | Columns,
    skip: float = SKIP,
    progress: Progress | None = None,
) -> Evaluation:
    """Predict a history in its order, and measure the predictions after the first part.

    Parameters
    ----------
    model : RatingModel or str
        Any, or the name of one, such as ``"elo"``.
    matches : sequence of Match, or Columns
        The set of matches, in any order; or columns, which are in order.
    skip : float
        Part of the contests, from 0 to below 1, that are learnt from but not scored.
    progress : callable, optional
        Called now and then with how far it is, from 0 to 1.

    Raises
    ------
    InputError
        If the part is out of range.
    """
    if not isinstance(skip, int | float) or not 0.0 <= skip < 1.0:
        msg = f"must be at least 0 and below 1, got {skip!r}"
        raise InputError(msg, "skip")
    model = checked(resolve("model", MODELS, model)() if isinstance(model, str) else model)
    if isinstance(matches, Columns):
        _, flat, draws = run_columns(model, matches, progress, predicting=True)
        outlines, bounds = _outlines(matches)
        flat = list(map(float, flat))
        chances = [tuple(flat[a:b]) for a, b in pairwise(bounds)]
        drawn = [
            float(draw) if len(one.teams) == 2 else math.nan
            for draw, one in zip(draws, outlines, strict=True)
        ]
        sides = learnt_sides(outlines, chances, [""] * len(outlines))
        return replace(judge(outlines, chances, skip, drawn), sides=sides)
    played = [(contest, match.map) for match in in_order(matches) for contest in match.contests]
    contests = [contest for contest, _ in played]
    chances, draws = predicted(model, contests, progress)
    sides = learnt_sides(contests, chances, [place for _, place in played])
    return replace(judge(contests, chances, skip, draws), sides=sides)


def predicted(
    model: RatingModel, contests: Sequence[Contest], progress: Progress | None = None
) -> tuple[list[Chances], list[float]]:
    """Return what is predicted of each contest from those before it: who wins, and a draw (nan where none).

    Draws are those of two teams, of a model that says how likely they are.
    """
    state = model.initial()
    if not isinstance(model, Filters):
        chances = run(model, state, contests, None, progress)[1]
        if len(chances) != len(contests):
            msg = f"model: {type(model).__name__} predicted {len(chances)} contests of {len(contests)}"
            raise InputError(msg)
        for given, contest in zip(chances, contests, strict=True):
            chances_of(model, given, len(contest.teams))
        return chances, [math.nan] * len(contests)
    chances, draws = list[Chances](), list[float]()
    for first in range(0, len(contests), STRIDE):
        part = contests[first : first + STRIDE]
        packed = pack(part)
        state, flat, some = model.play(state, packed, fast=model.fast(len(contests)))
        chances += [tuple(flat[a:b]) for a, b in pairwise(packed.first_team)]
        draws += [draw if len(one.teams) == 2 else math.nan for draw, one in zip(some, part, strict=True)]
        if progress is not None:
            progress(min(first + STRIDE, len(contests)) / len(contests))
    return chances, draws


class ContestOutline(NamedTuple):
    """What is looked at of a contest to judge a prediction of it: a team is as many places as players."""

    ruleset: Ruleset
    ranks: tuple[float, ...]
    teams: tuple[range, ...]
    weight: float


def _outlines(columns: Columns) -> tuple[list[ContestOutline], list[int]]:
    """Return the outlines of columns, and where the teams of each begin, with one entry more."""
    numbers = {
        name: np.asarray(columns.numbers[name]) for name in ("which", "teams", "rank", "size", "weight")
    }
    rulesets, rank = list(columns.rulesets), numbers["rank"].tolist()
    sizes = [range(size) for size in numbers["size"].tolist()]
    bounds = [0, *np.cumsum(numbers["teams"], dtype=np.int64).tolist()]
    made = [
        ContestOutline(rulesets[which], tuple(rank[a:b]), tuple(sizes[a:b]), weight)
        for which, weight, (a, b) in zip(
            numbers["which"].tolist(), numbers["weight"].tolist(), pairwise(bounds), strict=True
        )
    ]
    return made, bounds


def judge(
    contests: Sequence[Contest | ContestOutline],
    chances: Sequence[Chances],
    skip: float = SKIP,
    draws: Sequence[float] = (),
) -> Evaluation:
    """Measure predictions of contests in their order."""
    start = math.floor(len(contests) * skip)
    contests, chances, draws = contests[start:], chances[start:], draws[start:]
    winners = [winner(contest) for contest in contests]
    groups: dict[str, Metrics] = {}
    for name_of in (_ruleset, _sizes):
        places = _grouped(contests, name_of)
        for name in sorted(places):
            some = places[name]
            groups[name] = measure(
                [chances[n] for n in some], [winners[n] for n in some], [draws[n] for n in some if draws]
            )
    return Evaluation(measure(chances, winners, draws), groups, chances, winners)


def _grouped(
    contests: Sequence[Contest | ContestOutline], name_of: Callable[[Contest | ContestOutline], str]
) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for n, contest in enumerate(contests):
        places.setdefault(name_of(contest), []).append(n)
    return places


def _ruleset(contest: Contest | ContestOutline) -> str:
    return group_of(contest.ruleset)


def group_of(ruleset: Ruleset) -> str:
    """Return what the group of a ruleset's contests is called.

    Examples
    --------
    >>> group_of(Ruleset("ut2004", "ctf", ("instagib",))), group_of(Ruleset())
    ('ruleset ut2004 ctf instagib', 'ruleset (none)')
    """
    parts = (ruleset.game, ruleset.game_type, *ruleset.mutators)
    return f"ruleset {' '.join(part for part in parts if part) or '(none)'}"


def _sizes(contest: Contest | ContestOutline) -> str:
    sizes = sorted((len(team) for team in contest.teams), reverse=True)
    if len(sizes) > 3 and len(set(sizes)) == 1:
        return f"teams {len(sizes)} of {sizes[0]}"
    return f"teams {' v '.join(map(str, sizes))}"
