"""Who plays: ratings, players and bots; frozen, checked once, without behaviour."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from equipoise.core.copies import copies
from equipoise.errors import InputError

#: Largest absolute weight that is accepted: sums of squares of a million such players stay finite and
#: sums keep a relative precision of 1e-10.
LARGEST_WEIGHT = 1e15

#: More players than any game seats.
MOST_PLAYERS = 1_000_000

#: More teams than any game has, and as many as labels of one byte can tell apart.
MOST_TEAMS = 100

#: The side preference of a player who has none.
NO_SIDE = 0.5

#: The belief of a rating that nothing is known of, as in the package openskill.
NEW_MU, NEW_SIGMA = 25.0, 25.0 / 3.0

#: The largest number that a float holds.
LARGEST_FLOAT = sys.float_info.max

#: What stands for a mu that was not given: recognised by what it is, as any number may be given.
NOT_GIVEN = float("nan")


def plain_number(given: object) -> int | float | None:
    """Return a number of any kind, such as a decimal or a fraction, as Python's own; None where it is none.

    What no float holds is infinite, or not a number.
    """
    if isinstance(given, bool):
        return None
    if isinstance(given, float) or (isinstance(given, int) and abs(given) <= LARGEST_FLOAT):
        return given
    if not isinstance(given, numbers.Real) and not hasattr(given, "as_integer_ratio"):
        return None  # decimals are no Reals, but say what they are as a fraction
    number: Any = given
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf
    except ValueError:  # a decimal that signals
        return math.nan


def as_floats(owner: object, *names: str) -> None:
    """Make floats of numbers of other kinds, such as decimals, in fields of a frozen dataclass.

    Raises
    ------
    InputError
        If one is no number.
    """
    for name in names:
        given: Any = getattr(owner, name)
        if given is None or isinstance(given, float) or type(given) is int:
            continue
        number = plain_number(given)
        if number is None:
            msg = f"{name} must be a number, got {given!r}"
            raise InputError(msg)
        object.__setattr__(owner, name, number)


@dataclass(frozen=True, slots=True)
class Rating:
    """What is known of a player's skill: a normal distribution.

    Parameters
    ----------
    mu : float
        Mean, in roster units (any unit, the same for the whole roster), at most 1e15 in size.
    sigma : float
        Standard deviation of that belief, in the same units; 0 for certainty.
        Without mu too it is that of somebody new, as :func:`equipoise.rate` expects: 25 give or take 25/3.

    Raises
    ------
    InputError
        If a number is not finite or out of range.

    Examples
    --------
    >>> Rating(), Rating(1840)
    (Rating(mu=25.0, sigma=8.333333333333334), Rating(mu=1840, sigma=0.0))
    """

    mu: float = NOT_GIVEN
    sigma: float = 0.0

    def __post_init__(self) -> None:
        if self.mu is NOT_GIVEN:
            object.__setattr__(self, "mu", NEW_MU)
            object.__setattr__(self, "sigma", self.sigma or NEW_SIGMA)
        if self.mu.__class__ is not float or self.sigma.__class__ is not float:
            as_floats(self, "mu", "sigma")
        if not -LARGEST_WEIGHT <= self.mu <= LARGEST_WEIGHT:
            msg = f"mu must be from -1e15 to 1e15, got {self.mu:g}"
            raise InputError(msg)
        if not 0.0 <= self.sigma <= LARGEST_WEIGHT:
            msg = f"sigma must be from 0 to 1e15, got {self.sigma:g}"
            raise InputError(msg)


@dataclass(frozen=True, slots=True)
class Player:
    """Someone to be placed in a team.

    Parameters
    ----------
    id : str
        What tells this player from all others.
    rating : Rating, float or None
        What is known of the skill; a plain number is a rating without uncertainty, None is unknown.
    name : str
        What is shown; the id where empty.
    party : str or None
        Players with the same party stay together.
    side : float
        The preference for a team, from 0 (the first) to 1 (the last); 0.5 is no preference.
    team : int or None
        The team (counted from 0) this player is fixed to; None leaves it open.
    bot : bool
        Whether this is a bot that is present by name; it is divided like any player of the roster.
    roles : sequence of str, or mapping from str to Rating, float or None
        The roles this player plays, with the rating in each where it is known; none listed is all.
    prefer, avoid : sequence of str, or mapping from str to float or None
        Whom (by id or name) this player prefers to play with, or not, and the price of each one in win
        probability unless it is the usual one.
    team_now : int or None
        The team (counted from 0) this player is in already, for those who prefer not to change; None if there
        is none yet.

    Raises
    ------
    InputError
        If the id is empty or a field is out of range.
    """

    id: str
    rating: Rating | float | None = None
    name: str = ""
    party: str | None = None
    side: float = NO_SIDE
    team: int | None = None
    bot: bool = False
    roles: tuple[tuple[str, Rating | None], ...] = ()
    prefer: tuple[tuple[str, float | None], ...] = ()
    avoid: tuple[tuple[str, float | None], ...] = ()
    team_now: int | None = None

    def __post_init__(self) -> None:
        identity: object = self.id
        if not (isinstance(identity, str) and identity):
            msg = f"id must be text that is not empty, got {self.id!r}"
            raise InputError(msg)
        if self.rating.__class__ is not Rating:
            object.__setattr__(self, "rating", _rating(self.rating, self.id))
        if self.side.__class__ is not float:
            as_floats(self, "side")
        if not 0.0 <= self.side <= 1.0:
            msg = f"side of player {self.id!r} must be from 0 to 1, got {self.side!r}"
            raise InputError(msg)
        if (self.team or 0) < 0 or (self.team_now or 0) < 0:
            field = "team" if (self.team or 0) < 0 else "team_now"
            msg = f"{field} of player {self.id!r} must be at least 0, got {getattr(self, field)!r}"
            raise InputError(msg)
        if self.roles:
            roles = tuple((role, _rating(known, self.id)) for role, known in _pairs(self.roles))
            object.__setattr__(self, "roles", roles)
        if self.prefer or self.avoid:
            for field in ("prefer", "avoid"):
                object.__setattr__(self, field, _priced(field, getattr(self, field), self.id))

    @property
    def label(self) -> str:
        """What to show for this player: the name, or the id where there is none."""
        return self.name or self.id


def players_named(weights: Mapping[str, Rating | float | None]) -> list[Player]:
    """Return ``Player(name, weight)`` for each name: of a million plain ones in half the time.

    Raises
    ------
    InputError
        If a name is empty or a weight is no number or out of range.
    """
    names, numbers = list(weights), cast("list[float]", list(weights.values()))
    plain = set(map(type, names)) == {str} and set(map(type, numbers)) == {float} and all(names)
    if not (plain and all(-LARGEST_WEIGHT <= number <= LARGEST_WEIGHT for number in numbers)):
        return [Player(name, weight) for name, weight in weights.items()]
    ratings = copies(Rating(0.0), len(names), mu=numbers)
    return copies(Player("any"), len(names), id=names, rating=ratings)


@dataclass(frozen=True, slots=True)
class Member:
    """Someone in a game, as the game names them: a player by id, or a bot by name.

    Parameters
    ----------
    bot : bool
        Whether it is a bot.
    name : str
        The id of a player, the name of a bot.
    """

    bot: bool
    name: str


#: The members of each team.
Seats = tuple[tuple[Member, ...], ...]


def _pairs(raw: object) -> tuple[tuple[str, object], ...]:
    """Return names with the price of each, from a mapping, from pairs, or from names alone."""
    items = raw.items() if isinstance(raw, Mapping) else cast("Iterable[object]", raw)
    return tuple(
        (item, None) if isinstance(item, str) else cast("tuple[str, object]", item) for item in items
    )


def _priced(field: str, raw: object, who: str) -> tuple[tuple[str, float | None], ...]:
    pairs = cast("tuple[tuple[str, float | None], ...]", _pairs(raw))
    for other, price in pairs:
        if price is not None and not 0.0 <= price <= 1.0:
            msg = f"{field}: the price of {who!r} for {other!r} must be from 0 to 1, got {price!r}"
            raise InputError(msg)
    return pairs


def _rating(raw: object, who: str) -> Rating | None:
    if raw is None or isinstance(raw, Rating):
        return raw
    number = plain_number(raw)
    if number is not None:
        return Rating(float(number))
    msg = f"rating of {who!r} must be a Rating, a number or None, got {raw!r}"
    raise InputError(msg)


@dataclass(frozen=True, slots=True)
class Bots:
    """How bots fill up the teams: every bot weighs the same, since nobody knows yet which will come.

    Every team is filled to ``clamp(target, minimum, maximum) / n_teams`` players, rounded up, and at
    least to the size of the team with the most players of its own.

    Parameters
    ----------
    weight : float or None
        The mean weight of a bot, in roster units; None is the mean weight of the roster.
    minimum, maximum : int
        The numbers of players, over all teams, that the map is made for.
    target : int
        The number of players, over all teams, that is wanted.

    Raises
    ------
    InputError
        If a number is out of range or the minimum is above the maximum.

    References
    ----------
    S. Simpson, "Balancing tools for Unreal Tournament", 2010: ideal bot counter and team balancing.
    """

    weight: float | None = None
    minimum: int = 0
    maximum: int | None = None
    target: int = 0

    def __post_init__(self) -> None:
        as_floats(self, "weight")
        if self.weight is not None and not -LARGEST_WEIGHT <= self.weight <= LARGEST_WEIGHT:
            msg = f"must be from -1e15 to 1e15, got {self.weight:g}"
            raise InputError(msg, "bots.weight")
        for field, number in (("minimum", self.minimum), ("maximum", self.maximum), ("target", self.target)):
            if number is not None and not 0 <= number <= MOST_PLAYERS:
                msg = f"must be from 0 to {MOST_PLAYERS}, got {number}"
                raise InputError(msg, f"bots.{field}")
        if self.maximum is not None and self.minimum > self.maximum:
            msg = f"must be at most the maximum, {self.maximum}, got {self.minimum}"
            raise InputError(msg, "bots.minimum")

    def seats(self, n_teams: int) -> int:
        """Return the least number of players in each team, before any team outgrows it."""
        limit = max(self.target, self.minimum) if self.maximum is None else min(self.target, self.maximum)
        return -(-max(limit, self.minimum) // n_teams)


def rated_by_roles(player: Player) -> Player:
    """Return a player without a rating with the mean of those in the roles, where there are any."""
    known = [rating for _, rating in player.roles if rating is not None]
    if player.rating is not None or not known:
        return player
    mu, sigma = (sum(getattr(rating, field) for rating in known) / len(known) for field in ("mu", "sigma"))
    return replace(player, rating=Rating(mu, sigma))


#: How the ids of bots begin: ``bot:<name>:<level>``.
BOT = "bot:"


def is_bot(player: str) -> bool:
    """Tell whether an id is that of a bot.

    Examples
    --------
    >>> is_bot("bot:Xan:6"), is_bot("botany")
    (True, False)
    """
    return player.startswith(BOT)
