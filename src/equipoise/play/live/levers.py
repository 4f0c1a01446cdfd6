"""Levers: what a server can do for the weaker team where nobody may be moved.

They are two: a bot more or fewer, and a bot's skill.

Each is judged by the win chances that the ratings expect of it, and the one that comes nearest to even is
taken; doing nothing is one of them.  What a bot of a skill is worth is read off the bots that have played: a
straight line through their ratings.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from equipoise.core.arrays import Floats
from equipoise.core.player import Rating
from equipoise.core.sides import EVEN_SIDES, SIDES
from equipoise.core.win_probability import side_shift, win_probability

#: Levels of skill that are tried.
LEVELS = (1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0)

#: How much nearer to even a lever must bring the game, in win probability, to be worth a change.
WORTH = 0.02


@dataclass(frozen=True, slots=True)
class BotSkills:
    """What a bot is worth: the mean over all, and a line over levels where at least two have played.

    Parameters
    ----------
    mean : Rating
        Of a bot that nothing is known of.
    line : (float, float), optional
        Skill at level 0, and for each level more.
    """

    mean: Rating
    line: tuple[float, float] | None = None

    def of(self, level: float | None) -> Rating:
        """Return what is expected of a bot of a level."""
        if level is None or self.line is None:
            return self.mean
        at_zero, each = self.line
        return Rating(at_zero + each * level, self.mean.sigma)


def bot_skills(known: Iterable[tuple[float, Rating]], mean: Rating) -> BotSkills:
    """Return what bots of any level are worth, from those of known level and rating.

    A line that falls is not believed: a bot of a higher level is not worse.

    Examples
    --------
    >>> skills = bot_skills([(1.0, Rating(10.0)), (3.0, Rating(30.0))], Rating(20.0))
    >>> skills.of(2.0).mu, skills.of(None).mu
    (20.0, 20.0)
    """
    points = list(known)
    if len({level for level, _ in points}) < 2:
        return BotSkills(mean)
    levels = np.array([level for level, _ in points])
    skills = np.array([rating.mu for _, rating in points])
    sure = np.array([1.0 / (rating.sigma + 1.0) ** 2 for _, rating in points])
    centre, middle = np.average(levels, weights=sure), np.average(skills, weights=sure)
    each = float(np.sum(sure * (levels - centre) * (skills - middle)) / np.sum(sure * (levels - centre) ** 2))
    if each <= 0.0:
        return BotSkills(mean)
    return BotSkills(mean, (float(middle - each * centre), each))


@dataclass(frozen=True, slots=True)
class Lever:
    """The bots each team would have, and the chances that are expected of it.

    Parameters
    ----------
    bots : tuple of tuples of (float or None)
        The levels of each team's bots; None for whatever level is usual.
    chances : tuple of float
        Each team's win probability.
    words : str
        What is done, with teams counted from 1; empty where nothing is.
    """

    bots: tuple[tuple[float | None, ...], ...]
    chances: tuple[float, ...]
    words: str = ""

    @property
    def imbalance(self) -> float:
        """The largest distance of a chance from even."""
        return max(abs(chance - 1.0 / len(self.chances)) for chance in self.chances)


@dataclass(frozen=True, slots=True)
class RatingUnits:
    """What the units of ratings mean.

    Parameters
    ----------
    beta : float
        The performance noise of one player.
    zero : float
        The skill that adds nothing to a team.
    side_chance : float
        The chance of the first of two equal teams, for its side.
    """

    beta: float
    zero: float
    side_chance: float = EVEN_SIDES

    def chances(self, sums: Floats) -> tuple[float, ...]:
        """Return each team's chance, from number, mean and variance summed over each, (n_teams, 3)."""
        count, mu, variance = sums.T
        side = side_shift(self.side_chance) if len(sums) == SIDES else 0.0
        found = win_probability(mu[None], variance[None], count[None], self.beta, self.zero, side)
        return tuple(found[0].tolist())


def best_lever(
    people: Sequence[Sequence[Rating]],
    bots: Sequence[Sequence[float | None]],
    skills: BotSkills,
    scale: RatingUnits,
    *,
    most: int | None = None,
    more: bool = True,
    levels: Sequence[float] = LEVELS,
    worth: float = WORTH,
) -> Lever:
    """Return the bots at which a game is nearest to even.

    Parameters
    ----------
    people : sequence of sequences of Rating
        The players of each team who stay there.
    bots : sequence of sequences of float or None
        The levels of the bots that fill each team up.
    skills : BotSkills
        What a bot of a level is worth.
    scale : RatingUnits
        What the units of ratings mean.
    most : int, optional
        How many may play at most, over all teams.
    more : bool
        Whether a team may have a bot more or fewer; otherwise only skills change.
    levels : sequence of float
        Levels that may be chosen.
    worth : float
        How much nearer to even a lever must bring the game to be taken.

    Examples
    --------
    >>> strong, weak = [Rating(40.0)] * 3, [Rating(30.0)] * 3
    >>> skills = bot_skills([(1.0, Rating(10.0)), (5.0, Rating(50.0))], Rating(25.0))
    >>> lever = best_lever([strong, weak], [[2.0], [2.0]], skills, RatingUnits(20.0, 0.0), most=9)
    >>> lever.words, [round(chance, 2) for chance in lever.chances]
    ('a bot of team 2 has skill 5', [0.5, 0.5])
    """
    now = tuple(tuple(team) for team in bots)
    sums = np.array([_sums(team) for team in people])
    stay = Lever(now, _chances(sums, now, skills, scale))
    best = min(
        (
            Lever(bots_then, _chances(sums, bots_then, skills, scale), words)
            for bots_then, words in _options(people, now, most, levels if skills.line else (), more=more)
        ),
        key=lambda lever: (round(lever.imbalance, 9), len(lever.words)),
        default=stay,
    )
    return best if stay.imbalance - best.imbalance >= worth else stay


def _options(
    people: Sequence[Sequence[Rating]],
    now: tuple[tuple[float | None, ...], ...],
    most: int | None,
    levels: Sequence[float],
    *,
    more: bool,
) -> Iterable[tuple[tuple[tuple[float | None, ...], ...], str]]:
    """Give what may be done: teams then differ by one player at most, or as much as they do already."""
    sizes = [len(team) + len(filled) for team, filled in zip(people, now, strict=True)]
    apart = max(1, max(sizes) - min(sizes))
    for team, filled in enumerate(now):
        changed = {_and(filled, place, level): f"a bot of team {team + 1} has skill {level:g}"
                   for place in range(len(filled)) for level in levels if filled[place] != level}  # fmt: skip
        if more and filled:
            changed[filled[:-1]] = f"a bot fewer for team {team + 1}"
        if more and (most is None or sum(sizes) < most):
            for level in levels or (None,):
                skill = "" if level is None else f", of skill {level:g}"
                changed[(*filled, level)] = f"a bot more for team {team + 1}{skill}"
        for then, words in changed.items():
            sized = [*sizes[:team], sizes[team] + len(then) - len(filled), *sizes[team + 1 :]]
            if min(sized) > 0 and max(sized) - min(sized) <= apart:
                yield (*now[:team], then, *now[team + 1 :]), words


def _and(filled: tuple[float | None, ...], place: int, level: float) -> tuple[float | None, ...]:
    return (*filled[:place], level, *filled[place + 1 :])


def _sums(team: Sequence[Rating]) -> tuple[float, float, float]:
    return len(team), sum(one.mu for one in team), sum(one.sigma**2 for one in team)


def _chances(
    sums: Floats, bots: Sequence[Sequence[float | None]], skills: BotSkills, scale: RatingUnits
) -> tuple[float, ...]:
    """Return each team's chance with these bots."""
    total = sums + np.array([_sums([skills.of(level) for level in team]) for team in bots])
    return scale.chances(total)
