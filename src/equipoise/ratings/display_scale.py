"""The scale from 0 to 100: an image of skill for people, in one ruleset.

Teams are balanced on skill, never on this number, so its constants change nothing about who plays with whom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from equipoise.core.match import Ruleset
from equipoise.core.player import is_bot
from equipoise.errors import InputError
from equipoise.ratings.model import RatingModel, State

#: The ends of the scale and its middle, which is a new player.
LOW, MIDDLE, HIGH = 0.0, 50.0, 100.0


@dataclass(frozen=True, slots=True)
class Scale:
    """A curve through skill: a line near 50, which flattens towards 0 and 100 and reaches neither.

    It is ``50 + 50 z / (1 + z⁴)^(1/4)`` of ``z = (skill - centre) / reach``: so the best of a large server
    still differ in what is shown.

    Parameters
    ----------
    centre : float
        The skill that is shown as 50, that of a new player.
    reach : float
        How far above the centre the line near 50 would come to 100, in units of skill, above 0.

    Raises
    ------
    InputError
        If the reach is not above 0.

    Examples
    --------
    >>> scale = Scale(centre=1.0, reach=4.0)
    >>> [round(number, 4) for number in (scale.shown(2.0), scale.shown(9.0), scale.skill(62.5))]
    [62.4878, 99.2479, 2.001]
    """

    centre: float
    reach: float

    def __post_init__(self) -> None:
        if not self.reach > 0.0:
            msg = f"reach must be above 0, got {self.reach!r}"
            raise InputError(msg)

    def shown(self, skill: float) -> float:
        """Return a skill as a number from 0 to 100."""
        distance = (skill - self.centre) / self.reach
        size: float = abs(distance)
        bent = (
            size / (1.0 + size**BEND) ** (1.0 / BEND) if size < 1.0 else (1.0 + size**-BEND) ** (-1.0 / BEND)
        )
        return MIDDLE + math.copysign(bent, distance) * (HIGH - MIDDLE)

    def skill(self, shown: float) -> float:
        """Return the skill that is shown as a number: the inverse.

        Raises
        ------
        InputError
            If the number is not above 0 and below 100.
        """
        if not LOW < shown < HIGH:
            msg = f"shown must be above 0 and below 100, got {shown!r}"
            raise InputError(msg)
        bent = (shown - MIDDLE) / (HIGH - MIDDLE)
        distance: float = bent / (1.0 - abs(bent) ** BEND) ** (1.0 / BEND)
        return self.centre + distance * self.reach


#: How sharply the line bends near the ends: at 4 the middle half of the scale is straight within a point.
BEND = 4.0

#: The reach is so many standard deviations of a new player's skill: with a normal distribution of true
#: skills one player in a thousand is beyond 92 or below 8.
DEVIATIONS = 3.0

#: The reach for models that know no uncertainty, in their units: Elo's 400 points for 10 : 1, three times.
CERTAIN_REACH = 1200.0

#: An id that is nobody's, to ask a model what it assumes of a new player.
NOBODY = "\0"


def scale_of(model: RatingModel, state: State, ruleset: Ruleset | None = None) -> Scale:
    """Return the scale of one ruleset: 50 is a new player, its reach three of their standard deviations.

    Examples
    --------
    >>> from equipoise.ratings.models.weng_lin import BradleyTerry
    >>> scale_of(BradleyTerry(), {})
    Scale(centre=25.0, reach=25.0)
    """
    new = model.rating(state, NOBODY, ruleset)
    return Scale(new.mu, DEVIATIONS * new.sigma or CERTAIN_REACH)


def mean_bot(model: RatingModel, state: State, ruleset: Ruleset | None = None) -> tuple[float, int]:
    """Return the mean skill over all bots that have played, and how many they are.

    Without any it is that of a new player, and 0.
    """
    skills = [model.rating(state, player, ruleset).mu for player in model.players(state) if is_bot(player)]
    if not skills:
        return model.rating(state, NOBODY, ruleset).mu, 0
    return sum(skills) / len(skills), len(skills)
