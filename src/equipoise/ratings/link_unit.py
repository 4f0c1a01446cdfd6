"""Ratings of a model in the unit of whoever judges teams by the link between skill and outcome alone.

A model publishes chances of its own, such as cooler ones than its ratings say: what is learnt of that is
part of the unit, so that the link gives the model's chances.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from equipoise.core.match import Ruleset
from equipoise.core.player import Rating
from equipoise.core.win_probability import LOGISTIC_SLOPE
from equipoise.ratings.display_scale import NOBODY
from equipoise.ratings.model import RatingModel, State

#: The noise of one player for models that have none: their points are Elo's, 400 for 10 : 1.
POINTS = LOGISTIC_SLOPE * 400.0 / (math.sqrt(2.0) * math.log(10.0))

#: Players of which the model is asked, each against the next, at most.
ASKED = 33  # effort

#: The chances whose distance is measured, and by how much a model's may differ from the link's.
SURE, STEEPEST = 1e-9, 10.0


@dataclass(frozen=True, slots=True)
class LinkUnit:
    """The unit of a model's ratings in one ruleset.

    Parameters
    ----------
    start : float
        The skill of a new player.
    beta : float
        The noise of one player's performance.
    steepness : float
        By how much skills are farther apart for the link than the model writes them.

    Examples
    --------
    >>> LinkUnit(start=0.0, beta=1.0, steepness=1.0).rating(Rating(0.5, 0.25), middle=1500.0, beta=200.0)
    Rating(mu=1600.0, sigma=50.0)
    """

    start: float
    beta: float
    steepness: float

    def rating(self, rating: Rating, middle: float, beta: float) -> Rating:
        """Return a rating where a new player has the skill ``middle``, and the noise is ``beta``."""
        times = beta / self.beta
        return Rating(middle + (rating.mu - self.start) * self.steepness * times, rating.sigma * times)


def link_unit(
    model: RatingModel, state: State, players: Sequence[str], ruleset: Ruleset | None = None
) -> LinkUnit:
    """Return the unit in which the link gives the chances of a model, as nearly as one number can.

    It is fitted to duels of some players by least squares of chances, linearized where the model sees them
    (one step of Gauss and Newton), and exact for two.

    Parameters
    ----------
    model, state
        What is known.
    players : sequence of str
        Ids of those who are known.
    ruleset : Ruleset, optional
        What is played.

    Examples
    --------
    >>> from equipoise.ratings.models.elo import Elo
    >>> unit = link_unit(Elo(scale=200.0), {"ann": (1700.0,), "bob": (1500.0,)}, ["ann", "bob"])
    >>> round(unit.start), round(unit.steepness, 9)
    (1500, 2.0)
    """
    beta = getattr(model, "beta", None) or POINTS
    some = players[:: len(players) // ASKED + 1]
    ratings = [model.rating(state, player, ruleset) for player in some]
    seen = fitted = 0.0
    for (one, first), (other, second) in pairwise(zip(some, ratings, strict=True)):
        noise = math.sqrt(2.0 * beta**2 + first.sigma**2 + second.sigma**2)
        apart = LOGISTIC_SLOPE * (first.mu - second.mu) / noise
        chance = model.win_probability(state, ((one,), (other,)), ruleset)[0]
        chance = min(max(chance, SURE), 1.0 - SURE)
        weight = (chance * (1.0 - chance)) ** 2
        seen += weight * apart * apart
        fitted += weight * apart * math.log(chance / (1.0 - chance))
    steepness = min(max(fitted / seen, 1.0 / STEEPEST), STEEPEST) if seen > 0.0 else 1.0
    return LinkUnit(model.rating(state, NOBODY, ruleset).mu, beta, steepness)
