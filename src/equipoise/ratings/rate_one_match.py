"""The one-match convenience: ratings in, ratings out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice, permutations
from numbers import Real
from typing import Any

from equipoise.core.match import LEAST_SHARE, Contest, Ruleset, ranks_of
from equipoise.core.player import LARGEST_WEIGHT, Rating
from equipoise.errors import InputError
from equipoise.ratings.distributions import odds
from equipoise.ratings.models.trueskill import TrueSkill
from equipoise.ratings.models.weng_lin import PlackettLuce, WengLin

#: What openskill takes for the range of contributions that are all alike.
SPAN = 0.0001

#: Teams of a contest at least, and the model where none is named.
FEWEST_TEAMS, DEFAULT = 2, PlackettLuce()


def rate(
    teams: Sequence[Sequence[Rating]],
    ranks: Sequence[float] | None = None,
    *,
    scores: Sequence[float] | None = None,
    weights: Sequence[Sequence[float]] | None = None,
    margin: float = 0.0,
    model: WengLin | TrueSkill | None = None,
) -> list[list[Rating]]:
    """Return new ratings after one match, for those who keep ratings themselves.

    The numbers are those of Weng and Lin's Plackett-Luce model, as in the package openskill.
    A history of matches is better served by :func:`equipoise.replay`.

    Parameters
    ----------
    teams : sequence of sequences of Rating
        Two teams or more.
    ranks : sequence of float, optional
        One for each team: lower is better, equal is a tie; by default the order of the teams.
    scores : sequence of float, optional
        One for each team, more is better.  Without ranks they say who won; beside ranks they need a margin.
    weights : sequence of sequences of float, optional
        The share of the match that each player was present for, from a millionth to 1.  Where any is above
        1, they are what each has contributed, in any unit: then the numbers are those of openskill, which
        brings each team's to the range from 1 to 2.
    margin : float
        Scores that differ by more than this count more, as in openskill; 0 for only their order.
    model : PlackettLuce, BradleyTerry or TrueSkill, optional
        With constants of your own.

    Raises
    ------
    InputError
        If teams, ranks, scores or weights are at fault.

    Examples
    --------
    >>> won, lost = rate([[Rating(25, 25 / 3)], [Rating(25, 25 / 3)]])
    >>> round(won[0].mu, 2), round(lost[0].mu, 2)
    (27.64, 22.36)
    """
    model = model or DEFAULT
    if isinstance(model, WengLin) and scores is None and weights is None:
        quick = _at_once(model, teams, ranks)
        if quick is not None:
            return quick
    _check_kinds(model, teams)
    for team in teams:
        for rating in team:
            if not rating.sigma > 0.0:
                msg = f"teams: sigma must be above 0, got {rating.sigma!r}"
                raise InputError(msg)
    if margin or _contributed(weights):
        return _as_openskill(model, teams, ranks, scores, weights, margin)
    ids = [[f"{t}.{n}" for n in range(len(team))] for t, team in enumerate(teams)]
    if ranks is not None and scores is not None:
        msg = "scores: ranks are given too; one of them says who won, unless there is a margin"
        raise InputError(msg)
    members = ids if weights is None else _shared(ids, weights)
    contest = Contest(Ruleset(), members, (0.0,) * len(ids), scores=() if scores is None else scores)
    if ranks is None:
        ranks = ranks_of(contest.scores) if contest.scores else range(len(ids))
    contest = Contest(Ruleset(), members, ranks)
    before = {
        name: (rating.mu, rating.sigma)
        for names, team in zip(ids, teams, strict=True)
        for name, rating in zip(names, team, strict=True)
    }
    after = model.update(before, contest)
    return [[Rating(*after[name]) for name in names] for names in ids]


def _at_once(
    model: WengLin, teams: Sequence[Sequence[Rating]], ranks: Sequence[float] | None
) -> list[list[Rating]] | None:
    """Return new ratings without a contest; None where something is at fault, for a contest to say what."""
    if type(teams) not in (list, tuple) or len(teams) < FEWEST_TEAMS:
        return None
    if ranks is None:
        ranks = list(map(float, range(len(teams))))
    elif (
        type(ranks) not in (list, tuple)
        or len(ranks) != len(teams)
        or not all(type(rank) in (int, float) and -LARGEST_WEIGHT <= rank <= LARGEST_WEIGHT for rank in ranks)
    ):
        return None
    mu, sigma, sizes = list[float](), list[float](), []
    for team in teams:
        if type(team) not in (list, tuple) or not team:
            return None
        sizes.append(len(team))
        for rating in team:
            if type(rating) is not Rating or not rating.sigma > 0.0:
                return None
            mu.append(rating.mu)
            sigma.append(rating.sigma)
    model.once(mu, sigma, sizes, ranks, [1.0] * len(mu))
    rated = map(Rating, mu, sigma)
    return [list(islice(rated, size)) for size in sizes]


def _contributed(weights: Any) -> bool:
    """Tell whether weights are contributions: any of them is above 1."""
    teams = weights if isinstance(weights, Sequence) else ()
    return any(
        isinstance(one, Real) and float(one) > 1.0
        for team in teams if isinstance(team, Sequence)
        for one in team
    )  # fmt: skip


def _as_openskill(
    model: WengLin | TrueSkill, teams: Sequence[Sequence[Rating]], ranks: Sequence[float] | None,
    scores: Sequence[float] | None, weights: Any, margin: float,
) -> list[list[Rating]]:  # fmt: skip
    """Return new ratings by contributions and margins, operation by operation as openskill 6 has them.

    A margin divides the differences of skill that Bradley-Terry expects, and moves the skills that
    Plackett-Luce compares; a contribution multiplies what somebody gains, and divides what is lost.
    """
    if not isinstance(model, WengLin):
        msg = f"model: {type(model).__name__} knows neither margins nor contributions; PlackettLuce does"
        raise InputError(msg)
    given: Any = margin
    if not isinstance(given, Real) or not 0.0 <= float(given) <= LARGEST_WEIGHT:
        msg = f"margin must be a number of at least 0, got {margin!r}"
        raise InputError(msg)
    names = [[f"{t}.{n}" for n in range(len(team))] for t, team in enumerate(teams)]
    found = () if scores is None else scores
    nothing = Contest(Ruleset(), names, (0.0,) * len(teams), scores=found)
    if ranks is None:
        ranks = ranks_of(nothing.scores) if nothing.scores else range(len(teams))
    ranks = Contest(Ruleset(), names, ranks).ranks
    factors = [[1.0] * len(team) for team in teams] if weights is None else _contributions(names, weights)
    wide = [[math.sqrt(one.sigma**2 + model.tau**2) for one in team] for team in teams]
    sums = [math.fsum(one.mu for one in team) for team in teams]
    variances = [math.fsum(sigma * sigma for sigma in team) for team in wide]
    stretched = _stretched(nothing.scores, float(margin), len(sums))
    pulls = _pulls_luce if model.luce else _pulls_pairs
    omegas, deltas = pulls(model.beta, sums, variances, ranks, stretched)
    made = []
    for t, team in enumerate(teams):
        rated = []
        for one, sigma, factor in zip(team, wide[t], factors[t], strict=True):
            part = sigma * sigma / variances[t] * (factor if omegas[t] >= 0.0 else 1.0 / factor)
            kept = max(1.0 - part * deltas[t], model.kappa)
            rated.append(Rating(one.mu + part * omegas[t], sigma * math.sqrt(kept)))
        made.append(rated)
    return made


def _contributions(names: list[list[str]], weights: Any) -> list[list[float]]:
    """Return what everybody has contributed, in each team from 1 for the least to 2 for the most."""
    if [len(team) for team in weights] != list(map(len, names)):
        msg = f"weights must be one for each player of each team, got {weights!r:.80}"
        raise InputError(msg)
    for t, team in enumerate(weights):
        for n, weight in enumerate(team):
            if not isinstance(weight, Real) or not 0.0 <= float(weight) <= LARGEST_WEIGHT:
                msg = f"weights[{t}][{n}] must be a number of at least 0, got {weight!r}"
                raise InputError(msg)
    found = []
    for team in weights:
        low, span = min(team), (max(team) - min(team)) or SPAN
        found.append([2.0] if len(team) == 1 else [1.0 + (weight - low) / span for weight in team])
    return found


def _stretched(scores: Sequence[float], margin: float, many: int) -> list[dict[int, float]]:
    """Return for each team how much more than its order the difference to each other score counts."""
    if not margin or not scores:
        return [{}] * many
    return [
        {
            j: math.log1p(abs(one - other) / margin) if abs(one - other) > margin else 1.0
            for j, other in enumerate(scores) if other != one
        }
        for one in scores
    ]  # fmt: skip


def _pulls_pairs(
    beta: float, mu: list[float], variance: list[float], ranks: Sequence[float], more: list[dict[int, float]]
) -> tuple[list[float], list[float]]:
    """Return how far each team's sum moves, and what its variance loses: Bradley-Terry."""
    omegas, deltas = [0.0] * len(mu), [0.0] * len(mu)
    for i, j in permutations(range(len(mu)), 2):
        c = math.sqrt(variance[i] + variance[j] + 2.0 * beta**2)
        p, _ = odds((mu[i] - mu[j]) / more[i].get(j, 1.0) / c)
        won = 1.0 if ranks[i] < ranks[j] else 0.5 if ranks[i] == ranks[j] else 0.0
        omegas[i] += variance[i] / c * (won - p)
        deltas[i] += math.sqrt(variance[i]) / c * variance[i] / c / c * p * (1.0 - p)
    return omegas, deltas


def _pulls_luce(
    beta: float, mu: list[float], variance: list[float], ranks: Sequence[float], more: list[dict[int, float]]
) -> tuple[list[float], list[float]]:
    """Return how far each team's sum moves, and what its variance loses: Plackett-Luce."""
    every = range(len(mu))
    omegas, deltas = [0.0] * len(mu), [0.0] * len(mu)
    c = math.sqrt(math.fsum(each + beta**2 for each in variance))
    shown = []
    for i in every:
        apart = math.fsum((mu[j] - mu[i]) * (factor - 1.0) for j, factor in more[i].items())
        shown.append((mu[i] + apart / max(len(more[i]), 1)) / c)
    top = max(shown)
    powers = [math.exp(one - top) for one in shown]
    for i in every:
        for q in every:
            if ranks[q] <= ranks[i]:
                total = math.fsum(powers[k] for k in every if ranks[k] >= ranks[q])
                tied, p = sum(rank == ranks[q] for rank in ranks), powers[i] / total
                omegas[i] += ((q == i) - p) / tied
                deltas[i] += p * (1.0 - p) / tied
        deltas[i] *= variance[i] / (c * c) * math.sqrt(variance[i]) / c
        omegas[i] *= variance[i] / c
    return omegas, deltas


def _shared(ids: list[list[str]], weights: object) -> list[list[tuple[str, float]]]:
    """Return teams with the share of each player."""
    teams = weights if isinstance(weights, Sequence) else [weights]
    if [len(team) if isinstance(team, Sequence) else -1 for team in teams] != list(map(len, ids)):
        msg = f"weights must be one for each player of each team, got {weights!r:.80}"
        raise InputError(msg)
    for t, team in enumerate(teams):
        for n, share in enumerate(team):
            if not isinstance(share, Real) or not LEAST_SHARE <= float(share) <= 1.0:
                msg = f"weights[{t}][{n}] must be from {LEAST_SHARE:g} to 1, got {share!r}"
                raise InputError(msg)
    return [list(zip(names, shares, strict=True)) for names, shares in zip(ids, teams, strict=True)]


def _check_kinds(model: object, teams: object) -> None:
    """Raise where something else is given for a model, for a team or for a rating."""
    if not isinstance(model, WengLin | TrueSkill):
        msg = f"model must be PlackettLuce, BradleyTerry or TrueSkill, got {model!r}"
        raise InputError(msg)
    for team in teams if isinstance(teams, Sequence) else [teams]:
        if not isinstance(team, Sequence) or isinstance(team, str):
            msg = f"teams must be lists of ratings, such as [[Rating(25.0, 8.3)], ...], got {team!r:.80}"
            raise InputError(msg)
        for rating in team:
            if not isinstance(rating, Rating):
                msg = f"teams must have ratings, such as Rating(25.0, 8.3), got {rating!r}"
                raise InputError(msg)
