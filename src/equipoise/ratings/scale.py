"""The scale from 0 to 100: an image of skill for people, in one ruleset.

Teams are balanced on skill, never on this number, so its constants change nothing about who plays with whom.
"""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.errors import InputError
from equipoise.matches import Ruleset
from equipoise.ratings.model import RatingModel, State, is_bot

#: The ends of the scale and its middle, which is a new player.
LOW, MIDDLE, HIGH = 0.0, 50.0, 100.0


@dataclass(frozen=True, slots=True)
class Scale:
    """A line through skill, cut off at 0 and 100.

    Parameters
    ----------
    centre : float
        The skill that is shown as 50, that of a new player.
    reach : float
        How far above the centre 100 is, in units of skill, above 0.

    Raises
    ------
    InputError
        If the reach is not above 0.

    Examples
    --------
    >>> scale = Scale(centre=1.0, reach=4.0)
    >>> scale.shown(1.0), scale.shown(2.0), scale.shown(9.0), scale.skill(62.5)
    (50.0, 62.5, 100.0, 2.0)
    """

    centre: float
    reach: float

    def __post_init__(self) -> None:
        if not self.reach > 0.0:
            msg = f"reach: {self.reach!r} is not allowed; a number above 0 is"
            raise InputError(msg)

    def shown(self, skill: float) -> float:
        """Return a skill as a number from 0 to 100."""
        place = MIDDLE + (skill - self.centre) / self.reach * (HIGH - MIDDLE)
        return min(max(place, LOW), HIGH)

    def skill(self, shown: float) -> float:
        """Return the skill that is shown as a number: the inverse within the bounds.

        Raises
        ------
        InputError
            If the number is not from 0 to 100.
        """
        if not LOW <= shown <= HIGH:
            msg = f"shown: {shown!r} is not allowed; a number from 0 to 100 is"
            raise InputError(msg)
        return self.centre + (shown - MIDDLE) / (HIGH - MIDDLE) * self.reach


#: 100 is so many standard deviations of a new player's skill above 50: with a normal distribution of true
#: skills one player in a thousand is cut off at each end.
DEVIATIONS = 3.0

#: The reach for models that know no uncertainty, in their units: Elo's 400 points for 10 : 1, three times.
CERTAIN_REACH = 1200.0

#: An id that is nobody's, to ask a model what it assumes of a new player.
NOBODY = "\0"


def scale_of(model: RatingModel, state: State, ruleset: Ruleset | None = None) -> Scale:
    """Return the scale of one ruleset: 50 is a new player, 100 three of their standard deviations above.

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
