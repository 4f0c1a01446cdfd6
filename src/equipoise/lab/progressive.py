"""Progressive validation: predict each contest from those before it, then learn from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from equipoise.errors import InputError
from equipoise.lab.metrics import Metrics, measure
from equipoise.matches import Contest, Match, Ruleset
from equipoise.ratings.model import Chances, RatingModel, chances_of, checked
from equipoise.ratings.models.gaussian_filter.model import Filters
from equipoise.ratings.models.gaussian_filter.packing import pack
from equipoise.ratings.replaying import STRIDE, Progress, in_order, run

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
    """

    metrics: Metrics
    groups: Mapping[str, Metrics] = field(default_factory=dict)
    chances: Sequence[Chances] = ()
    winners: Sequence[int] = ()


def winner(contest: Contest) -> int:
    """Return the place of the one team that came first, -1 for a tie."""
    best = min(contest.ranks)
    return contest.ranks.index(best) if contest.ranks.count(best) == 1 else -1


def evaluate(
    model: RatingModel, matches: Sequence[Match], skip: float = SKIP, progress: Progress | None = None
) -> Evaluation:
    """Predict a history in its order, and measure the predictions after the first part.

    Parameters
    ----------
    model : RatingModel
        Any.
    matches : sequence of Match
        The set of matches, in any order.
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
    checked(model)
    contests = [contest for match in in_order(matches) for contest in match.contests]
    chances, draws = predicted(model, contests, progress)
    return judge(contests, chances, skip, draws)


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


def judge(
    contests: Sequence[Contest],
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


def _grouped(contests: Sequence[Contest], name_of: Callable[[Contest], str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for n, contest in enumerate(contests):
        places.setdefault(name_of(contest), []).append(n)
    return places


def _ruleset(contest: Contest) -> str:
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


def _sizes(contest: Contest) -> str:
    sizes = sorted((len(team) for team in contest.teams), reverse=True)
    if len(sizes) > 3 and len(set(sizes)) == 1:
        return f"teams {len(sizes)} of {sizes[0]}"
    return f"teams {' v '.join(map(str, sizes))}"
