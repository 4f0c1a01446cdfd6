"""``default``: a mixture of Gaussian filters, weighted by how likely they made what came so far.

See docs/algorithms/mixture.md.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from equipoise.errors import InputError
from equipoise.ratings.models.gaussian_filter.contest_columns import GENERAL, Key
from equipoise.ratings.models.gaussian_filter.model import Filters, GaussianFilter
from equipoise.ratings.starting_weights import TRUSTED, Given, StartingGuess, given_from, placed

#: How the ids begin of players of whom a log has only the name.
NAMED = "name:"

#: Members that may be mixed: memory and time grow with each.
MOST_MEMBERS = 16

#: The members of the default model; whatever is left out is as in ``GaussianFilter()``.
#: ``python -m benchmarks profile`` finds them, and its page says how and on what.
FILTERS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "steady": MappingProxyType(
            {
                "sigma": 0.82, "baseline": 1.0, "baseline_sigma": 0.05, "drift_game": 0.002,
                "drift_day": 0.014, "share_type": 0.027, "outcome": 0.25, "margin_slope": 0.28,
                "margin_noise": 1.4, "statistic_slope": 0.4, "statistic_noise": 1.3, "trust_sigma": 0.18,
                "caution": 10.0, "experience_sigma": 0.55, "experience_games": 7.5,
                "late_spread": 4.0,
            }
        ),
        "keen": MappingProxyType(
            {
                "sigma": 0.8, "baseline": 1.45, "baseline_sigma": 0.06, "drift_game": 0.008,
                "drift_day": 0.008, "share_type": 0.017, "outcome": 0.72, "margin_slope": 0.39,
                "margin_noise": 0.7, "statistic_slope": 0.77, "statistic_noise": 3.1, "trust_sigma": 0.38,
                "caution": 50.0, "experience_sigma": 0.48, "experience_games": 11.0,
                "late_spread": 4.0,
            }
        ),
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mixture(Filters):
    """The default model: named filters that see the same contests, weighted by how well they predict them.

    Parameters
    ----------
    members : sequence of str
        Names of filters, see :data:`equipoise.ratings.models.gaussian_filter.mixture.FILTERS`.
    settings : mapping from str to float
        Hyperparameters of :class:`GaussianFilter` that all members have alike, or one has, as ``keen.sigma``.
    starting : sequence of Player, or mapping from str to Rating or float
        An organiser's guesses, in any unit, for some players or all.  There is then a member of each name for
        each degree of trust in them, see :mod:`equipoise.ratings.starting_weights`.  Fewer than three
        guesses, or
        guesses that are all alike, say nothing of who is better: the model is then the same as without.

    Raises
    ------
    InputError
        If there is no such member or hyperparameter, or a value is out of range.

    Examples
    --------
    >>> from equipoise.core.match import Contest, Ruleset
    >>> model = Mixture()
    >>> state = model.update(model.initial(), Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    >>> chances = model.win_probability(state, (["ann"], ["bob"]))
    >>> chances[0] > 0.5, model.weights(state)
    (True, [0.5, 0.5])
    >>> guessed = Mixture(starting={"ann": 900, "bob": 1500, "cid": 1200})
    >>> guessed.win_probability(guessed.initial(), (["ann"], ["bob"]))[0] < 0.4
    True
    """

    members: tuple[str, ...] = tuple(FILTERS)
    settings: tuple[tuple[str, float], ...] = ()
    starting: tuple[Given, ...] = ()

    def __post_init__(self) -> None:
        items = self.settings.items() if isinstance(self.settings, Mapping) else self.settings
        try:
            object.__setattr__(self, "members", tuple(self.members))
            object.__setattr__(self, "settings", tuple(sorted((str(name), x) for name, x in items)))
        except (TypeError, ValueError) as error:
            msg = "members must be names, and settings a mapping from names to numbers, "
            raise InputError(msg + f"got {self.members!r:.80} and {self.settings!r:.80}") from error
        if type(self.starting) is not tuple or self.starting:
            object.__setattr__(self, "starting", given_from(self.starting))
        if not 1 <= len(self.members) <= MOST_MEMBERS:
            msg = f"members must be 1 to {MOST_MEMBERS}, got {len(self.members)}"
            raise InputError(msg)
        for name in self.members:
            if name not in FILTERS:
                msg = f"members: there is no {name!r}; there are {', '.join(FILTERS)}"
                raise InputError(msg)
        known = GaussianFilter().as_settings()
        for name, _ in self.settings:
            member, dot, own = name.rpartition(".")
            if own not in known or (dot and member not in self.members):
                msg = f"settings: there is no {name!r}; there are {', '.join(known)}"
                msg += f", each also of one member, as {self.members[0]}.{next(iter(known))}"
                raise InputError(msg)
        self.filters()

    @property
    def beta(self) -> float:
        """Performance noise, the unit of skills: that of the members."""
        return self.filters()[0].beta

    def filters(self) -> tuple[GaussianFilter, ...]:
        """Return the members: those of each degree of trust in turn."""
        return _made(self.members, self.settings) * (len(TRUSTED) if _placed(self.starting) else 1)

    def guesses(self) -> Collection[str]:
        """Return the ids of those whose strength was guessed."""
        return _by_id(self.starting).keys()

    def newcomer(self, key: Key) -> tuple[float, ...]:
        """Return the row of a part of a skill that was never seen, of each member in turn.

        Of a player with a guess it begins at the guess, as far as the member trusts it, and is as much less
        uncertain.
        """
        guess = _by_id(self.starting).get(key[0]) if key[1] == GENERAL else None
        if guess is None:
            return Filters.newcomer(self, key)
        many, row = len(self.members), list[float]()
        for n, one in enumerate(self.filters()):
            trust = TRUSTED[n // many]
            mean = trust * guess.part * guess.place * one.sigma
            row += (mean, 0.0, one.sigma * one.sigma * (1.0 - trust * trust * guess.part), math.nan)
        return tuple(row)


@lru_cache(64)
def _made(members: tuple[str, ...], settings: tuple[tuple[str, float], ...]) -> tuple[GaussianFilter, ...]:
    alike: dict[str, Any] = {name: number for name, number in settings if "." not in name}
    made = []
    for member in members:
        own = {name.removeprefix(f"{member}."): x for name, x in settings if name.startswith(f"{member}.")}
        made.append(GaussianFilter(**{**FILTERS[member], **alike, **own}))
    return tuple(made)


@lru_cache(64)
def _by_id(starting: tuple[Given, ...]) -> Mapping[str, StartingGuess]:
    """Return guesses by id; who is known by name alone has an id that says so."""
    guesses = _placed(starting)
    return {**{f"{NAMED}{who}": guess for who, guess in guesses.items()}, **guesses}


@lru_cache(64)
def _placed(starting: tuple[Given, ...]) -> Mapping[str, StartingGuess]:
    return placed(starting) if starting else {}
