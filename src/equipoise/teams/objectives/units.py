"""The objective that is asked for, and the units a roster is judged in.

The units say how far one player varies, and what one more player is worth.

Weights come from anywhere: ratings around 1500, points from 0 to 100, hours played.  So nothing about
chances may depend on where their scale begins or on how fine it is, unless the caller says that its zero
means something.  All that a roster itself shows is its mean and its spread, and both units are counted in
spreads: the performance noise ``beta``, and the ``body`` that one more player of mean weight is worth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.player import LARGEST_WEIGHT
from equipoise.core.registry import OBJECTIVES, TERMS, call_part, resolve
from equipoise.errors import InputError
from equipoise.teams.objectives.moments import WinDistance
from equipoise.teams.objectives.objective import Objective, Units
from equipoise.teams.problem.exactness import AS_WRITTEN, ROSTER, CommonUnit, centre_of

#: Spreads that one player's performance varies by from game to game, unless beta is given.
#: Why: docs/decisions/0003-default-beta.md.
BETA_IN_SPREADS = 1.0

#: Spreads that one more player of mean weight is worth, unless body or zero is given.
#: Why: docs/decisions/0012-one-more-player.md.
BODY = 1.0

#: A difference below this share of the weights is rounding: all weigh the same.
SAME = 1e-12

#: Share of the roster's variance that smooths the teams' variances (one eighth of a standard deviation).
PRIOR_SHARE = 1.0 / 64.0

#: Below, squares of a performance noise would be lost in rounding.
SMALLEST_BETA = 1e-100

#: The most standard deviations that a body may be worth: far fewer decide every game.
LARGEST_BODY = 1e6

#: What an objective may be given as: one, several in order, or several with weights.
Asked = str | Callable[[Units], Objective] | Objective | Sequence[Any] | Mapping[str, float]


def check_scale(
    beta: float | None = None, zero: float | None = None, body: float | None = None, centre: float = 0.0
) -> None:
    """Raise what is wrong with the numbers of a scale.

    Raises
    ------
    InputError
        If a number is out of range, or both a zero and a body are given.
    """
    if beta is not None and not SMALLEST_BETA <= beta <= LARGEST_WEIGHT:
        msg = f"must be from {SMALLEST_BETA} to 1e15, got {beta!r}"
        raise InputError(msg, "beta")
    for name, weight in (("zero", zero), ("centre", centre)):
        if weight is not None and not -LARGEST_WEIGHT <= weight <= LARGEST_WEIGHT:
            msg = f"must be from -1e15 to 1e15, got {weight!r}"
            raise InputError(msg, name)
    if body is not None and not 0.0 <= body <= LARGEST_BODY:
        msg = f"must be from 0 to {LARGEST_BODY:g}, got {body!r}"
        raise InputError(msg, "body")
    if zero is not None and body is not None:
        msg = ": with a zero there is nothing left for it to say"
        raise InputError(msg, "body")


def units_of(
    mu: Floats,
    sigma: Floats,
    *,
    beta: float | None = None,
    zero: float | None = None,
    body: float | None = None,
    bot_weight: float | None = None,
    counted: CommonUnit = AS_WRITTEN,
) -> Units:
    """Return the units of a roster.

    Parameters
    ----------
    mu, sigma : ndarray, shape (n_players,)
        The weights of the players, bots not among them, and their uncertainty, in the unit in which they are
        counted; all other numbers as they were written.
    beta : float, optional
        Performance noise of one player in one game; by default one spread.
    zero : float, optional
        The weight of a player whose presence makes no difference, where the scale has one.
    body : float, optional
        What one more player of mean weight is worth, in spreads; without a zero, :data:`BODY`.
    bot_weight : float, optional
        What a bot weighs, if known.

    Raises
    ------
    InputError
        If a number is out of range, or both a zero and a body are given.

    Examples
    --------
    The mean is 1500 and the spread 100, so one more player is worth 100.

    >>> units = units_of(np.array([1400.0, 1600.0]), np.zeros(2))
    >>> units.beta, units.zero
    (100.0, 1400.0)
    """
    check_scale(beta, zero, body)
    mean = float(mu.mean()) if len(mu) else 0.0
    beta, zero, bot_weight = (
        None if number is None else counted.unit.counted(number) for number in (beta, zero, bot_weight)
    )
    spread, source = _spread(mu, sigma, mean, beta, bot_weight, zero)
    centre = counted.centre(centre_of(mu))
    units = from_moments(mean, spread, beta=beta, zero=zero, body=body, centre=centre, source=source)
    return units if counted.unit == ROSTER else replace(units, unit=counted.unit)


def from_moments(
    mean: float,
    spread: float,
    *,
    beta: float | None = None,
    zero: float | None = None,
    body: float | None = None,
    centre: float | None = None,
    source: str = "one standard deviation of the roster",
) -> Units:
    """Return the units of a roster with a mean and a spread, both in roster units.

    Parameters
    ----------
    mean, spread : float
        The mean weight, and its standard deviation, above 0.
    beta, zero, body : float, optional
        See :func:`units_of`.
    centre : float, optional
        What is subtracted from mu before squaring; by default the mean.
    source : str
        Where the spread comes from.
    """
    worth = BODY if body is None else body
    adds = f"{worth:g} standard deviation{'' if worth == 1.0 else 's'}"
    return Units(
        beta=BETA_IN_SPREADS * spread if beta is None else beta,
        zero=mean - worth * spread if zero is None else zero,
        centre=mean if centre is None else centre,
        prior=PRIOR_SHARE * spread * spread,
        beta_source=source if beta is None else "as given",
        zero_source=f"one of mean weight adds {adds}" if zero is None else "as given",
        assumed=zero is None and body is None,
    )


def _spread(
    mu: Floats,
    sigma: Floats,
    mean: float,
    beta: float | None,
    bot_weight: float | None,
    zero: float | None,
) -> tuple[float, str]:
    """Return one spread, above 0, and where it comes from."""
    largest = max(float(np.abs(mu).max(initial=0.0)), SMALLEST_BETA / SAME)
    deviation = float(mu.std()) if len(mu) else 0.0
    if deviation > SAME * largest:
        return deviation, "one standard deviation of the roster"
    unsure = math.sqrt(float((sigma * sigma).mean())) if len(sigma) else 0.0
    return spread_of_equals(mean, unsure, beta, bot_weight, zero)


def spread_of_equals(
    mean: float,
    unsure: float,
    beta: float | None = None,
    bot_weight: float | None = None,
    zero: float | None = None,
) -> tuple[float, str]:
    """Return what stands for the spread of a roster in which all weigh the same, and where it comes from.

    Parameters
    ----------
    mean : float
        What they weigh, roster units.
    unsure : float
        Their uncertainty, a standard deviation in roster units.
    beta, bot_weight, zero : float, optional
        See :func:`units_of`.
    """
    if bot_weight is not None and abs(bot_weight - mean) > SAME * max(abs(mean), abs(bot_weight)):
        return (
            abs(bot_weight - mean),
            "the distance of a bot from the roster, whose players all weigh the same",
        )
    if beta is not None:
        return beta, "as given"
    if unsure > max(SAME * abs(mean), SMALLEST_BETA):
        return unsure, "the uncertainty of the weights, which are all the same"
    if zero is not None and abs(mean - zero) > SMALLEST_BETA:
        return abs(mean - zero), "the weight of a player above the zero, as all weigh the same"
    if abs(mean) > SMALLEST_BETA:
        return abs(mean), "the weight of a player, as all weigh the same"
    return 1.0, "any number will do, as all weigh nothing"


def compose_in(
    asked: Asked, units: Units, tolerances: Sequence[float] | None = None
) -> tuple[Objective, Units]:
    """Return the objective that is asked for, and the units it is judged in.

    An objective of the ratio of weights says that their 0 means something: unless a zero or a body is given,
    the scale's zero is then 0.

    Parameters
    ----------
    asked, units, tolerances
        See :func:`compose`.
    """
    objective = compose(asked, units, tolerances)
    if not (units.assumed and any(criterion.needs_positive for criterion, _ in objective.order)):
        return objective, units
    units = replace(units, zero=0.0, zero_source="as for every ratio", assumed=False)
    return compose(asked, units, tolerances), units


def compose(asked: Asked, units: Units, tolerances: Sequence[float] | None = None) -> Objective:
    """Return the objective that is asked for.

    Parameters
    ----------
    asked : str, callable, Objective, sequence or mapping
        One objective; several criteria in order, most important first; or a weight for each of several.
        In an order, a name stands for the criterion that gives the objective its value.
    units : Units
        The units.
    tolerances : sequence of float, optional
        For each criterion of an order but the last, how far from its optimum those after it may go, in
        units of its cost; by default the units' tolerance for ``win`` and 0 for others.

    Raises
    ------
    InputError
        If a weight or a tolerance is out of range, or there are not as many as are needed.
    UnknownNameError
        If an objective does not exist.
    """
    several = isinstance(asked, Sequence) and not isinstance(asked, str)
    if tolerances is not None and not several:
        msg = ": there is only one objective; several in order have tolerances"
        raise InputError(msg, "tolerances")
    if isinstance(asked, Mapping):
        return _weighted(asked, units)
    if not several:
        return _single(cast("Any", asked), units)
    entries = [_weighted(entry, units) if isinstance(entry, Mapping) else _single(entry, units)
               for entry in cast("Sequence[Any]", asked)]  # fmt: skip
    if not entries:
        msg = "must name at least one, got none"
        raise InputError(msg, "objective")
    *first, last = [entry.criterion for entry in entries]
    if tolerances is None:
        tolerances = [units.tolerance if isinstance(criterion, WinDistance) else 0.0 for criterion in first]
    if len(tolerances) != len(first):
        msg = f": there are {len(tolerances)}; every objective but the last has one: {len(first)}"
        raise InputError(msg, "tolerances")
    for tolerance in tolerances:
        if not 0.0 <= tolerance < np.inf:
            msg = f"must be {'finite' if tolerance > 0.0 else 'at least 0'}, got {tolerance!r}"
            raise InputError(msg, "tolerances")
    for criterion, tolerance in zip(first, tolerances, strict=True):
        if isinstance(criterion, WinDistance) and tolerance > 1.0:
            msg = f"must be from 0 to 1 for win, in win probability (5% is 0.05), got {tolerance:g}"
            raise InputError(msg, "tolerances")
    name = ", ".join(entry.name for entry in entries)
    counts = [criterion.unit.counted for criterion in first]
    limits = [counted(float(tolerance)) for counted, tolerance in zip(counts, tolerances, strict=True)]
    return Objective(name, last, tuple(zip(first, limits, strict=True)))


@cache
def _registered(name: str) -> Callable[[Units], Objective]:
    """Return what makes the objective of a name, looked up once."""
    return cast("Callable[[Units], Objective]", resolve("objective", {**OBJECTIVES, **TERMS}, name))


def _single(objective: str | Callable[[Units], Objective] | Objective, units: Units) -> Objective:
    if isinstance(objective, Objective):
        return objective
    if isinstance(objective, str) and ":" not in objective:
        return _registered(objective)(units)
    factory = resolve("objective", {**OBJECTIVES, **TERMS}, objective)
    made = call_part("objective", objective, factory, units) if callable(factory) else factory
    if not isinstance(made, Objective):
        msg = f": {objective!r} must return an Objective, got a {type(made).__name__}"
        raise InputError(msg, "objective")
    return made


def _weighted(weights: Mapping[str, float], units: Units) -> Objective:
    terms, names = [], []
    for name, weight in weights.items():
        if not 0.0 < weight < np.inf:
            allowed = "finite" if weight > 0.0 else "above 0"
            msg = f": the weight of {name!r} must be {allowed}, got {weight!r}"
            raise InputError(msg, "objective")
        made = _single(name, units)
        terms.append((made.criterion, made.criterion.unit.shown(float(weight))))
        names.append(made.name if weight == 1.0 else f"{weight:g} {made.name}")
    if not terms:
        msg = "must name at least one, got none"
        raise InputError(msg, "objective")
    from equipoise.teams.objectives.composed import WeightedSum  # a single objective does without

    return Objective(" + ".join(names), WeightedSum(tuple(terms)))
