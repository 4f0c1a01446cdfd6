"""Starting weights: an organiser's guesses of how strong players are, before any match was seen.

Guesses come in any unit.  They are put on the model's scale by their own mean and standard deviation, and how
far they are trusted is learnt: the default model mixes members that trust them by different degrees.
One typo must not take the scale from all others: a guess far from the median counts as if it were nearer, and
one that is absurd is left out (P. Huber, Ann. Math. Stat. 35 (1964) 73; the deviation is that of the median).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from statistics import median, pstdev
from typing import Any

from equipoise.core.data_frames import rows_of
from equipoise.core.plain_data import has_value, players_of
from equipoise.core.player import LARGEST_WEIGHT, Player, Rating, is_bot
from equipoise.errors import InputError

#: How far guesses may be trusted, as their correlation with true skill: members of each kind are mixed.
TRUSTED = (0.0, 0.15, 0.5, 0.8)

#: Guesses from which mean and deviation can be estimated, and from how many on one can be seen to be far off.
FEWEST, ENOUGH_TO_JUDGE = 3, 5

#: Deviations from the median beyond which a guess counts as if it were there, and beyond which it is absurd.
FAR, ABSURD = 3.0, 8.0

#: Standard deviations of normal numbers for each median of their distances from the median.
NORMAL = 1.4826


@dataclass(frozen=True, slots=True)
class StartingGuess:
    """A guess on the common scale.

    Parameters
    ----------
    place : float
        How many standard deviations of all guesses it is above their mean.
    part : float
        How much of it counts, from 0 to 1: less where the organiser was unsure.
    """

    place: float
    part: float


#: What is kept of a guess: the player, the number in the organiser's unit, and its sigma (0 where unknown).
Given = tuple[str, float, float]


class Guesses(tuple[Given, ...]):
    """Guesses as they are kept; their hash is worked out once, as a model looks them up for each player."""

    _hash: int | None = None

    def __hash__(self) -> int:
        """Return the hash of the guesses."""
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    def __reduce__(self) -> Any:
        """Return what another process makes them of: hashes of texts are its own."""
        return Guesses, (tuple(self),)


def given_from(starting: Any) -> Guesses:
    """Return guesses as they are kept, from a roster or a mapping, without bots and who has no weight.

    Parameters
    ----------
    starting : iterable of Player, mapping from id to Rating or float, data frame, or guesses as they are kept
        In one unit, any; a frame has the columns of a roster: ``id`` or ``name``, ``weight`` or ``mu``, and
        ``sigma``.

    Raises
    ------
    InputError
        If a guess is no number, or a player is there twice.

    Examples
    --------
    >>> given_from({"ann": 1500, "bob": Rating(1200.0, 50.0)})
    (('ann', 1500.0, 0.0), ('bob', 1200.0, 50.0))
    """
    if isinstance(starting, Guesses):
        return starting
    guesses: dict[str, Given] = {}
    for each in _pairs(starting):
        guess = _guess(each)
        if guess is None or is_bot(guess[0]):
            continue
        if guess[0] in guesses:
            msg = f"starting names the player {guess[0]!r} twice"
            raise InputError(msg)
        guesses[guess[0]] = guess
    return Guesses(sorted(guesses.values()))


def _pairs(starting: Any) -> Iterable[Any]:
    """Go through guesses, whatever holds them."""
    if (rows := rows_of(starting, "starting")) is not None:
        return players_of(rows, "starting")
    if isinstance(starting, Mapping):
        return starting.items()
    if isinstance(starting, str) or not isinstance(starting, Iterable):
        msg = f"starting must be players, or a mapping from ids to weights, got {starting!r:.80}"
        raise InputError(msg)
    return starting


def _guess(each: Any) -> Given | None:
    """Return one guess, None where a player has no weight."""
    if isinstance(each, Player):
        each = (each.id, each.rating)
    if isinstance(each, str) or not isinstance(each, Sequence) or not 2 <= len(each) <= 3:
        msg = f"starting must have players, or pairs of an id and a weight, got {each!r:.80}"
        raise InputError(msg)
    player, *numbers = each
    if not has_value(player):
        msg = f"starting: each guess must be of somebody; there is one of {player!r}"
        raise InputError(msg)
    if len(numbers) == 1:
        rating = numbers[0]
        if rating is None:
            return None
        numbers = [rating.mu, rating.sigma] if isinstance(rating, Rating) else [rating, 0.0]
    for what, least, number in zip(("weight", "sigma"), ("-1e15", "0"), numbers, strict=True):
        known = isinstance(number, Real) and not isinstance(number, bool)
        if not known or not float(least) <= number <= LARGEST_WEIGHT:
            msg = f"starting: the {what} of {player!r} must be a number from {least} to 1e15, got {number!r}"
            raise InputError(msg)
    return (str(player), float(numbers[0]), float(numbers[1]))


def placed(guesses: tuple[Given, ...]) -> dict[str, StartingGuess]:
    """Return guesses on the common scale; empty where they are too few, or all the same.

    Examples
    --------
    >>> guesses = placed((("a", 1.0, 0.0), ("b", 2.0, 0.0), ("c", 3.0, 0.0)))
    >>> [round(guess.place, 3) for guess in guesses.values()]
    [-1.225, 0.0, 1.225]
    """
    left_out = set(absurd(guesses))
    guesses = tuple(guess for guess in guesses if guess[0] not in left_out)
    if len(guesses) < FEWEST:
        return {}
    middle, spread = _middle([mu for _, mu, _ in guesses])
    near = [min(max(mu, middle - FAR * spread), middle + FAR * spread) for _, mu, _ in guesses]
    mean = math.fsum(near) / len(near)
    deviation = math.sqrt(math.fsum((mu - mean) ** 2 for mu in near) / len(near))
    if not deviation > 0.0:
        return {}
    return {
        player: StartingGuess((mu - mean) / deviation, 1.0 / (1.0 + (sigma / deviation) ** 2))
        for (player, _, sigma), mu in zip(guesses, near, strict=True)
    }


def absurd(guesses: tuple[Given, ...]) -> list[str]:
    """Return whose guesses are so far from all others that they are left out: typos, other units.

    Examples
    --------
    >>> absurd(given_from({"ann": 1500, "bob": 1420, "cid": 1610, "dee": 1380, "eve": 21600, "fay": 1550}))
    ['eve']
    """
    middle, spread = _middle([mu for _, mu, _ in guesses])
    return [player for player, mu, _ in guesses if abs(mu - middle) > ABSURD * spread]


def _middle(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the median, and a standard deviation that one wild number hardly moves.

    It is that of the distances from the median; where half are alike or more than a fifth are far, as in two
    groups, that of all but the farthest; and infinite where none can be seen to be far off.
    """
    if len(numbers) < ENOUGH_TO_JUDGE:
        return 0.0, math.inf
    middle = median(numbers)
    away = sorted(abs(number - middle) for number in numbers)
    spread = NORMAL * median(away)
    if sum(each > FAR * spread for each in away) > max(1, len(numbers) // 5):
        spread = pstdev(sorted(numbers, key=lambda number: abs(number - middle))[:-1])
    return middle, spread or math.inf
