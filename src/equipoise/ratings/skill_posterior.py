"""What a whole history says of everyone's skill at once, as samples.

The filter of :mod:`equipoise.ratings.models` is quick and looks only back; what is asked about a history as
a whole needs the uncertainty of all its players together.  Skills stand still here, and everyone's
performance noise in one game is the unit::

    skill_i ~ N(0, s²)        lead of a team = (its skills less the others') / sqrt(noise of both)
    result   P(the first wins) = Phi(lead)
    score    (a - b) / (1 + a + b) = tau (lead + e),   e ~ N(0, 1):   the result is the sign of it

Where there are scores, results follow from them and tell nothing more.  ``s`` is integrated over a grid,
``tau`` exactly; results are taken by Laplace's approximation.
A history has at most :data:`MOST_PLAYERS` players: time grows with the third power of their number.

References
----------
C. Rasmussen, C. Williams, Gaussian Processes for Machine Learning, MIT Press 2006, sections 2.7 and 3.4.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.match import Contest
from equipoise.errors import InputError
from equipoise.ratings.foreknown_teams import chance_of_first_line_ups

#: Players of a history that is looked at as a whole: a matrix has so many rows.
MOST_PLAYERS = 3000

#: Standard deviations of skill that are looked at, in units of one player's noise in one game.
SPREADS = tuple(float(spread) for spread in np.geomspace(0.1, 2.8, 16))

#: What is known of the spread before: the median and the standard deviation of its logarithm.  500 games have
#: .4 to 1.1 where people change teams (Call of Duty, Halo duels, tennis doubles), 1.2 to 2.2 where
#: they hardly do (Killer Queen), and about 1.5 of OpenArena's bots.  Results show it, but few hardly, nor
#: those of teams that are made even from them: there this decides.
USUAL, WITHIN = 0.85, 0.3

#: What one more player adds to a team, and how unsure that is.
BODY, BODY_WITHIN = 1.2, 0.5

#: Steps of Newton's method, and the change that ends them.
STEPS, CLOSE = 40, 1e-8

#: Where a history is so much less likely by skills that differ than without any (logarithm of the ratio), its
#: games were too even.  Teams made from earlier results alone stay above it in simulated archives of usual
#: spread, most of those made from true skill below (``python -m benchmarks what_if``).
TOO_EVEN = -2.25

#: Where so few line-ups at random are as even as the first ones, these were made by what no result shows.
FOREKNOWN = 0.002


@dataclass(frozen=True, slots=True)
class SkillSamples:
    """Samples of everyone's skill, given a history.

    Parameters
    ----------
    players : mapping from str to int
        The row of each player; the last row is what one more player adds to a team.
    skills : array of float
        ``(players + 1, samples)``, in units of one player's performance noise in one game.
    evidence : float
        The logarithm of how many times as likely the history is with these skills as without any.
    first_line_ups : float
        How often line-ups at random are as even, by what later ones are even by, as the first were
        (:func:`equipoise.ratings.foreknown_teams.chance_of_first_line_ups`).
    """

    players: Mapping[str, int]
    skills: Floats
    evidence: float
    first_line_ups: float = 1.0

    @property
    def doubt(self) -> str:
        """Why the results cannot tell how close teams were; nothing where they can."""
        if self.first_line_ups < FOREKNOWN:
            return "teams were even before any result could show how, so whoever made them knew more"
        if self.evidence <= TOO_EVEN:
            return "games were too even: all are alike, or whoever made the teams knew more than the results"
        return ""


def _design(contests: Sequence[Contest], players: Mapping[str, int]) -> Floats:
    """Return a row for each contest: times skills it is the first team's lead, in the noise of both."""
    rows = np.zeros((len(contests), len(players) + 1))
    for n, contest in enumerate(contests):
        noise = 0.0
        for team, sign in zip(contest.teams, (1.0, -1.0), strict=True):
            for player, share in team:
                rows[n, players[player]] += sign * share
                rows[n, -1] += sign * share
                noise += share * share
        rows[n] /= math.sqrt(noise)
    return rows


def sample_skills(
    contests: Sequence[Contest],
    rng: np.random.Generator,
    samples: int = 1000,
    spreads: Sequence[float] = SPREADS,
) -> SkillSamples:
    """Return samples of everyone's skill, given contests of two teams.

    Parameters
    ----------
    contests : sequence of Contest
        Of two teams each, in the order they were played.
    rng : numpy.random.Generator
        The only randomness.
    samples : int
        How many.
    spreads : sequence of float
        Standard deviations of skill that are looked at; one where it is known.

    Raises
    ------
    InputError
        If there are more than :data:`MOST_PLAYERS` players.
    """
    players: dict[str, int] = {}
    for contest in contests:
        for team in contest.teams:
            for player, _ in team:
                players.setdefault(player, len(players))
    if len(players) > MOST_PLAYERS:
        msg = f"contests have {len(players)} players; all at once are looked at up to {MOST_PLAYERS}"
        raise InputError(msg)
    rows = _design(contests, players)
    first_line_ups = chance_of_first_line_ups(rows[:, :-1], rng)
    weights = np.array([contest.weight for contest in contests])
    margins = _margins(contests)
    # A history is taken by its scores where most games have them: a result then follows from the score.
    scored = ~np.isnan(margins)
    if 2 * int(scored.sum()) >= len(contests) > 0:
        rows, margins, weights = rows[scored], margins[scored], weights[scored]
        fits = [_by_scores(rows, margins, weights, spread) for spread in (0.0, *spreads)]
    else:
        won = np.array([_first_won(contest) for contest in contests])
        fits = [_by_results(rows, won, weights, spread) for spread in (0.0, *spreads)]
    likelihoods = np.array([fit.likelihood for fit in fits])
    prior = np.array([-0.5 * (math.log(spread / USUAL) / WITHIN) ** 2 for spread in spreads])
    chances = np.exp(likelihoods[1:] + prior - (likelihoods[1:] + prior).max())
    evidence = float(
        np.log((np.exp(likelihoods[1:] - likelihoods.max()) * np.exp(prior)).sum() / np.exp(prior).sum())
        + likelihoods.max() - likelihoods[0]
    )  # fmt: skip
    counts = rng.multinomial(samples, chances / chances.sum())
    drawn = [fit.draw(rng, int(count)) for fit, count in zip(fits[1:], counts, strict=True) if count]
    return SkillSamples(players, np.concatenate(drawn, axis=1), evidence, first_line_ups)


@dataclass(frozen=True, slots=True)
class _Fit:
    """Skills given their spread: a normal distribution, or of scores one for each tau."""

    likelihood: float  # logarithm
    mean: Floats
    root: Floats  # lower triangle: root @ root.T is the inverse of the variance
    noise: tuple[float, float] | None = None  # shape and scale of the inverse gamma distribution of tau²

    def draw(self, rng: np.random.Generator, count: int) -> Floats:
        """Return samples ``(columns, count)``."""
        moved = np.linalg.solve(self.root.T, rng.normal(size=(len(self.mean), count)))
        if self.noise is None:
            return self.mean[:, None] + moved
        # The mean is in units of the scores, and what moves about it in units of tau.
        shape, scale = self.noise
        tau = np.sqrt(scale / rng.gamma(shape, size=count))
        return self.mean[:, None] / tau + moved


def _precision(columns: int, spread: float) -> Floats:
    """Return the inverse variances of skills and of what one more player adds."""
    inverse = np.full(columns, 1.0 / max(spread, 1e-4) ** 2)
    inverse[-1] = 1.0 / BODY_WITHIN**2
    return inverse


def _by_scores(rows: Floats, margins: Floats, weights: Floats, spread: float) -> _Fit:
    """Return skills given their spread and the scores: a regression whose noise tau is unknown."""
    inverse = _precision(rows.shape[1], spread)
    # In the unit of scores its mean is not known before either.
    inverse[-1] = 1.0 / (BODY**2 + BODY_WITHIN**2)
    information = rows.T @ (rows * weights[:, None]) + np.diag(inverse)
    root: Any = np.linalg.cholesky(information)
    pulled = rows.T @ (weights * margins)
    mean = np.linalg.solve(root.T, np.linalg.solve(root, pulled))
    # The prior of tau² is that of two games with margins of .3.
    shape = 1.0 + 0.5 * float(weights.sum())
    scale = 0.09 + 0.5 * float((weights * margins**2).sum() - pulled @ mean)
    likelihood = (
        0.5 * float(np.log(inverse).sum()) - float(np.log(np.diag(root)).sum()) - shape * math.log(scale)
    )
    return _Fit(likelihood, mean, root, (shape, scale))


def _by_results(rows: Floats, won: Floats, weights: Floats, spread: float) -> _Fit:
    """Return skills given their spread and the results: Laplace's approximation of a probit regression."""
    inverse = _precision(rows.shape[1], spread)
    prior = np.zeros(rows.shape[1])
    prior[-1] = BODY
    mean = prior.copy()
    for _ in range(STEPS):
        lead = rows @ mean
        pull, bend = _probit(lead, won, weights)
        information = rows.T @ (rows * bend[:, None]) + np.diag(inverse)
        step = np.linalg.solve(information, rows.T @ pull - inverse * (mean - prior))
        mean = mean + step
        if float(np.abs(step).max()) < CLOSE:
            break
    lead = rows @ mean
    _, bend = _probit(lead, won, weights)
    root: Any = np.linalg.cholesky(rows.T @ (rows * bend[:, None]) + np.diag(inverse))
    chance = np.clip(normal_below(lead), 1e-12, 1.0 - 1e-12)
    likelihood = (
        float((weights * (won * np.log(chance) + (1.0 - won) * np.log1p(-chance))).sum())
        - 0.5 * float((inverse * (mean - prior) ** 2).sum())
        + 0.5 * float(np.log(inverse).sum()) - float(np.log(np.diag(root)).sum())
    )  # fmt: skip
    return _Fit(likelihood, mean, root)


def _probit(lead: Floats, won: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Return slope and curvature of the logarithm of the likelihood of results; a draw is half of each."""
    density = np.exp(-0.5 * lead * lead) / math.sqrt(2.0 * math.pi)
    chance = np.clip(normal_below(lead), 1e-12, 1.0 - 1e-12)
    up, down = density / chance, density / (1.0 - chance)
    pull = won * up - (1.0 - won) * down
    bend = won * up * (up + lead) + (1.0 - won) * down * (down - lead)
    return weights * pull, weights * np.maximum(bend, 1e-9)


def _margins(contests: Sequence[Contest]) -> Floats:
    """Return the margin of the first team in each contest as a part of all points; nan without scores."""
    found = []
    for contest in contests:
        if not contest.scores:
            found.append(math.nan)
            continue
        one, other = contest.scores
        margin = (one - other) / (1.0 + abs(one) + abs(other))
        # A score that says otherwise than the result is a close game.
        ahead = _first_won(contest) - 0.5
        found.append(margin if margin * ahead > 0.0 or ahead == 0.0 else 0.0)
    return np.array(found)


def _first_won(contest: Contest) -> float:
    one, other = contest.ranks
    return 0.5 * (1.0 + (one < other) - (one > other))


def normal_below(numbers: Any) -> Any:
    """Return the standard normal distribution function of an array, to 8 digits.

    Examples
    --------
    >>> [round(float(p), 6) for p in normal_below(np.array([0.0, 1.0, -2.0]))]
    [0.5, 0.841345, 0.02275]

    References
    ----------
    W. Cody, Math. Comp. 23 (1969) 631 in the form of Numerical Recipes, section 6.2 (``erfc`` by Chebyshev).
    """
    z = np.abs(numbers) / math.sqrt(2.0)
    t = 1.0 / (1.0 + 0.5 * z)
    series = 0.17087277
    for coefficient in (-0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418,
                        0.37409196, 1.00002368, -1.26551223):  # fmt: skip
        series = series * t + coefficient
    tail = 0.5 * t * np.exp(-z * z + series)
    return np.where(numbers >= 0.0, 1.0 - tail, tail)
