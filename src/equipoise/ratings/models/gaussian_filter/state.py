"""What Gaussian filters have learnt, as a value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from equipoise.matches import Ruleset
from equipoise.ratings.models.gaussian_filter.hyperparameters import Numbers
from equipoise.ratings.models.gaussian_filter.packing import Key

#: Squares of a margin and of a statistic before any was seen, and how many contests those count as.
MARGIN_SQUARE, MARGIN_COUNT = 0.09, 2.0
STATISTIC_SQUARE, STATISTIC_COUNT = 0.42, 10.0

#: Draws before any contest was seen, and how many they would have been at a draw factor of 1.
DRAWS_BEFORE, CLOSE_BEFORE = 0.1, 1.0

#: The experience of who has not played.
NO_GAMES = (0.0,)


@dataclass(frozen=True, slots=True)
class FilterState:
    """Everything filters need for their next update, compared by value; of each member in turn.

    Parameters
    ----------
    table : mapping from (player, ruleset) to four numbers a member
        Of each part of a skill the mean from results, the mean from statistics, the variance, and the day
        it was last seen; ``Ruleset()`` is the general part.
    rulesets : mapping from Ruleset to twelve numbers a member
        What was learnt of each ruleset, see :mod:`equipoise.ratings.models.gaussian_filter.kernels`.
    world : five numbers a member
        Temperature, the evidence for it, and the sums and number of bots.
    games : mapping from player to one number
        How many contests each has played.
    evidence : mapping from Ruleset to a number a member and one
        The logarithm of each member's likelihood, and the contests that it rests on; empty with one member.
    pooled : tuple
        The same over all rulesets.
    """

    table: Mapping[Key, Numbers] = field(default_factory=dict)
    rulesets: Mapping[Ruleset, Numbers] = field(default_factory=dict)
    world: Numbers = (1.0, 0.0, 0.0, 0.0, 0.0)
    games: Mapping[str, Numbers] = field(default_factory=dict)
    evidence: Mapping[Ruleset, Numbers] = field(default_factory=dict)
    pooled: Numbers = (0.0, 0.0)

    def updated(self, after: FilterState) -> FilterState:
        """Return what is known with what is known later of some players and rulesets."""
        return FilterState(
            {**self.table, **after.table},
            {**self.rulesets, **after.rulesets},
            after.world,
            {**self.games, **after.games},
            {**self.evidence, **after.evidence},
            after.pooled,
        )
