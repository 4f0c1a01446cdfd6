"""Hyperparameters from a history: a seeded random search on its first part.

The search never sees what is scored later: it looks at the first ``part`` of the contests, plays all of
these, and scores those after their first fifth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.compiled import pays
from equipoise.core.match import Contest, Ruleset, Statistics
from equipoise.core.tasks import IN_TURN, Tasks
from equipoise.errors import InputError
from equipoise.ratings.lab.evaluation import CLIP, winner
from equipoise.ratings.models.gaussian_filter.contest_columns import Packed, pack
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.gaussian_filter.model import Filters, GaussianFilter
from equipoise.ratings.models.gaussian_filter.state_columns import WORTH

#: What is searched, and between which bounds.
BOUNDS: dict[str, tuple[float, float]] = {
    "sigma": (0.2, 2.0),
    "drift_game": (0.002, 0.1),
    "drift_day": (0.001, 0.1),
    "share_type": (0.01, 0.5),
    "share_mutators": (0.01, 0.5),
    "outcome": (0.2, 1.5),
    "margin_slope": (0.05, 1.0),
    "margin_noise": (0.3, 4.0),
    "statistic_slope": (0.1, 2.0),
    "statistic_noise": (0.3, 4.0),
    "trust_sigma": (0.03, 1.0),
    "baseline": (0.3, 3.0),
    "baseline_sigma": (0.02, 0.6),
    "experience_sigma": (0.05, 1.5),
    "experience_games": (2.0, 60.0),
    "late_spread": (0.1, 20.0),
    "caution": (5.0, 100.0),
    "half_life": (200.0, 20_000.0),
}

#: Part of what is looked at that is played but not scored.
WARM_UP = 0.2
#: Standard deviation of a step, on a logarithmic scale, at the start and at the end.
WIDE, NARROW = 0.5, 0.08
#: How many hyperparameters change in a step.
AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class View:
    """A history as one kind of server would have recorded it, packed, and what counts of it."""

    packed: Packed
    winners: tuple[int, ...]
    scored: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Tuned:
    """A model and its mean log-loss on what the search looked at, before and after."""

    model: GaussianFilter | Mixture
    before: float
    after: float


def views(contests: Sequence[Contest], left_out: Ruleset | None = None) -> list[View]:
    """Return a history with and without scores and statistics, so that all kinds of servers count.

    Parameters
    ----------
    contests : sequence of Contest
        In order.
    left_out : Ruleset, optional
        One that is played but not scored.
    """
    kinds: dict[tuple[Contest, ...], None] = {}
    for scores in (True, False):
        for statistics in (True, False):
            kinds.setdefault(tuple(_without(contest, scores, statistics) for contest in contests))
    start = math.floor(len(contests) * WARM_UP)
    winners = tuple(winner(contest) for contest in contests)
    scored = tuple(
        n >= start and won >= 0 and contest.ruleset != left_out
        for n, (contest, won) in enumerate(zip(contests, winners, strict=True))
    )
    return [View(pack(kind), winners, scored) for kind in kinds]


def _without(contest: Contest, scores: bool, statistics: bool) -> Contest:
    kept: tuple[Statistics, ...] = contest.statistics if statistics else ()
    return replace(contest, scores=contest.scores if scores else (), statistics=kept)


def losses(model: Filters, view: View, *, fast: bool = True) -> Floats:
    """Return the log-loss of each contest of a view that counts, nats."""
    _, chances, _ = model.play(model.initial(), view.packed, fast=fast)
    likely = [
        chances[first + won]
        for first, won, counts in zip(view.packed.first_team, view.winners, view.scored, strict=False)
        if counts
    ]
    return np.asarray(-np.log(np.maximum(likely, CLIP)))


def loss(
    model: Filters,
    histories: Sequence[Sequence[View]],
    weights: Sequence[float] | None = None,
    *,
    fast: bool = True,
) -> float:
    """Return the mean log-loss over histories, in each over its views, nats; unweighted by default."""
    weights = [1.0] * len(histories) if weights is None else weights
    total = 0.0
    for seen, weight in zip(histories, weights, strict=True):
        each = [float(losses(model, view, fast=fast).mean()) for view in seen]
        total += weight * sum(each) / len(each)
    return total / sum(weights)


def tune(
    contests: Sequence[Contest],
    *,
    model: GaussianFilter | Mixture | None = None,
    part: float = 0.4,
    steps: int = 300,
    seed: int = 0,
    left_out: Ruleset | None = None,
    only: Sequence[str] = tuple(BOUNDS),
    report: Callable[[int, float], None] | None = None,
    tasks: Tasks = IN_TURN,
) -> Tuned:
    """Search hyperparameters for a history.

    Parameters
    ----------
    contests : sequence of Contest
        In order.
    model : GaussianFilter or Mixture, optional
        Where the search starts.  Of a mixture all members get what changes as a multiple of what they have;
        its starting weights stay.
    part : float
        Part of the history that is looked at, above 0 and at most 1.
    steps : int
        How many settings to try.
    seed : int
        Of the search.
    left_out : Ruleset, optional
        One whose results the search must not see, to find out how well it does without.
    only : sequence of str
        The hyperparameters that may change.
    report : callable, optional
        Called with the step and the best loss so far.
    tasks : Tasks
        What computes losses; the result is the same whichever does.

    Raises
    ------
    InputError
        If there is nothing to score.
    """  # fmt: skip
    if not 0.0 < part <= 1.0:
        msg = f"must be above 0 and at most 1, got {part:g}"
        raise InputError(msg, "part")
    seen = views(contests[: math.ceil(len(contests) * part)], left_out)
    return search([seen], model=model, steps=steps, seed=seed, only=only, report=report, tasks=tasks)


def search(
    histories: Sequence[Sequence[View]],
    *,
    weights: Sequence[float] | None = None,
    model: GaussianFilter | Mixture | None = None,
    steps: int = 300,
    seed: int = 0,
    only: Sequence[str] = tuple(BOUNDS),
    report: Callable[[int, float], None] | None = None,
    tasks: Tasks = IN_TURN,
) -> Tuned:
    """Search hyperparameters for several histories at once.

    What is tried next rests on the best so far, which most steps leave as it is: as many steps as ``tasks``
    does at a time are tried at once, and those after one that was better are tried again from there.

    Parameters
    ----------
    histories : sequence of sequences of View
        What :func:`views` gives of each.
    weights : sequence of float, optional
        How much each counts; by default all the same.
    model, steps, seed, only, report, tasks
        As of :func:`tune`.

    Raises
    ------
    InputError
        If there is nothing to score, or a hyperparameter that is not searched.
    """
    for name in only:
        if name not in BOUNDS:
            msg = f"must be among {', '.join(BOUNDS)}, got {name!r}"
            raise InputError(msg, "only")
    if not histories or not all(any(any(view.scored) for view in seen) for seen in histories):
        msg = "contests: none is left to score; the history is too short"
        raise InputError(msg)
    best = model or GaussianFilter()
    if isinstance(best, Mixture):  # each member moves by itself
        only = tuple(f"{member}.{name}" for member in best.members for name in only)
    contests = sum(len(view.winners) for seen in histories for view in seen)
    fast = pays(contests * steps, WORTH)
    shared = histories, weights, fast
    (before,) = tasks(loss_of, shared, [best])
    least = before
    rng = np.random.default_rng(seed)
    widths = [WIDE * (NARROW / WIDE) ** (step / max(steps - 1, 1)) for step in range(steps)]
    factors = [drawn_factors(rng, width, only) for width in widths]
    step = 0
    while step < steps:
        tried = [changed(best, each) for each in factors[step : step + tasks.ahead]]
        for each, found in zip(tried, tasks(loss_of, shared, tried), strict=True):
            step += 1
            better = found < least
            if better:
                best, least = each, found
            if report is not None:
                report(step, least)
            if better:
                break
    return Tuned(best, before, least)


def loss_of(shared: tuple[Sequence[Sequence[View]], Sequence[float] | None, bool], model: Filters) -> float:
    """Return the mean log-loss of a model over histories, as a part of a search: see :func:`loss`."""
    histories, weights, fast = shared
    return loss(model, histories, weights, fast=fast)


def drawn_factors(rng: np.random.Generator, width: float, only: Sequence[str]) -> dict[str, float]:
    """Return random factors for some hyperparameters."""
    names = rng.choice(sorted(only), size=min(AT_ONCE, len(only)), replace=False).tolist()
    return {name: math.exp(float(rng.normal(0.0, width))) for name in names}


def changed(model: GaussianFilter | Mixture, factors: Mapping[str, float]) -> GaussianFilter | Mixture:
    """Return a model with hyperparameters changed by factors, within their bounds.

    Those of a mixture are named with the member that has them, as ``keen.sigma``.
    """
    if isinstance(model, Mixture):
        filters = dict(zip(model.members, model.filters(), strict=False))
        own = {name: _within(filters[name.partition(".")[0]], name, x) for name, x in factors.items()}
        return replace(model, settings=tuple({**dict(model.settings), **own}.items()))
    return replace(model, **{name: _within(model, name, factor) for name, factor in factors.items()})


def _within(model: GaussianFilter, name: str, factor: float) -> float:
    name = name.rpartition(".")[2]
    low, high = BOUNDS[name]
    return min(max(float(getattr(model, name)) * factor, low), high)
