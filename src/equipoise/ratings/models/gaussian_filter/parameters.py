"""The hyperparameters of one Gaussian filter: their ranges, and what kernels and newcomers take from them."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from equipoise.core.win_probability import LOGISTIC_SLOPE
from equipoise.errors import InputError
from equipoise.ratings.models.gaussian_filter.contest_columns import GENERAL, Key

Numbers = tuple[float, ...]

#: Hyperparameters that may not be 0, and the range of them all: far more than is of use, and squares and
#: quotients of squares stay numbers.
POSITIVE = frozenset(
    {"sigma", "beta", "half_life", "caution", "margin_noise", "statistic_noise", "experience_games"}
)
SMALLEST, LARGEST = 1e-6, 1e6


@dataclass(frozen=True, slots=True)
class Hyperparameters:
    """What one filter assumes, with skills in units of one player's performance noise in one game.

    Parameters
    ----------
    sigma : float
        Standard deviation of the skill of a new player.
    baseline : float
        The price of a body: what a new player adds to a team.
    baseline_sigma : float
        How unsure that is for a ruleset not seen before.
    drift_game, drift_day : float
        Standard deviation by which a skill may change with each contest and each day, bots excepted.
    share_type, share_mutators : float
        Variance of the offsets of a game type and of a mutator set, as parts of ``sigma`` squared.
    outcome : float
        How much of a result counts as news beside the other channels.
    margin_slope, margin_noise : float
        Expected margin for each unit of skill, and its noise, both over the margin's root mean square.
    statistic_slope, statistic_noise : float
        The same for a player's statistics.
    trust_sigma : float
        How unsure it is, for a ruleset not seen before, that what players do helps to predict who wins.
    caution : float
        Evidence with which the temperature of the published probability starts.
    half_life : float
        Contests after which the evidence for the temperature counts half.
    beta : float
        Performance noise; the unit of all skills.
    experience, experience_sigma : float
        What experience adds to a player in a ruleset not seen before, and how unsure that is; with an
        uncertainty of 0 experience is not looked at.
    experience_games : float
        Contests after which a player has half of what experience gives.
    late_spread : float
        By how many times ``sigma`` squared the skill of a newcomer is more uncertain among players who are
        all well known, in a ruleset with results alone: smurfs, and whoever comes from elsewhere.

    Raises
    ------
    InputError
        If a hyperparameter is out of range.
    """

    sigma: float = 0.8
    baseline: float = 1.25
    baseline_sigma: float = 0.5
    drift_game: float = 0.012
    drift_day: float = 0.0145
    share_type: float = 0.03
    share_mutators: float = 0.03
    outcome: float = 0.8
    margin_slope: float = 0.28
    margin_noise: float = 0.95
    statistic_slope: float = 0.57
    statistic_noise: float = 1.3
    trust_sigma: float = 0.3
    caution: float = 20.0
    half_life: float = 2000.0
    beta: float = 1.0
    experience: float = 0.0
    experience_sigma: float = 0.0
    experience_games: float = 10.0
    late_spread: float = 0.0

    def __post_init__(self) -> None:
        for each in fields(self):
            number = getattr(self, each.name)
            if isinstance(number, bool) or not isinstance(number, int | float):
                msg = f"{each.name} must be a number, got {number!r}"
                raise InputError(msg)
            least = SMALLEST if each.name in POSITIVE else -LARGEST if each.name == "experience" else 0.0
            if not least <= number <= LARGEST:
                msg = f"{each.name} must be from {least:g} to {LARGEST:g}, got {number!r}"
                raise InputError(msg)

    def as_settings(self) -> dict[str, float]:
        """Return the hyperparameters by name."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def hyper(self) -> Numbers:
        """Return the hyperparameters as the kernels want them."""
        variance = self.sigma * self.sigma
        return (
            LOGISTIC_SLOPE, self.beta,
            (self.drift_game / self.sigma) ** 2, (self.drift_day / self.sigma) ** 2,
            variance, variance * self.share_type, variance * self.share_mutators,
            self.outcome, self.margin_slope, self.margin_noise**2,
            self.statistic_slope, self.statistic_noise**2, self.caution, 0.5 ** (1.0 / self.half_life),
            self.experience_sigma, self.experience_games, self.late_spread,
        )  # fmt: skip

    def row(self, key: Key) -> Numbers:
        """Return the row of a part of a skill that was never seen."""
        share = 1.0
        if key[1].mutators:
            share = self.share_mutators
        elif key[1] != GENERAL:
            share = self.share_type
        return (0.0, 0.0, self.sigma * self.sigma * share, math.nan)
