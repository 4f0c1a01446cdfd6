"""``default``: a mixture of Gaussian filters, weighted by how likely they made what came so far.

See docs/algorithms/mixture.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from equipoise.errors import InputError
from equipoise.ratings.models.gaussian_filter.model import Filters, GaussianFilter
from equipoise.ratings.profiles import FILTERS

#: Members that may be mixed: memory and time grow with each.
MOST_MEMBERS = 16


@dataclass(frozen=True, slots=True)
class Mixture(Filters):
    """The default model: named filters that see the same contests, weighted by how well they predict them.

    Parameters
    ----------
    members : sequence of str
        Names of filters, see :data:`equipoise.ratings.profiles.FILTERS`.
    settings : mapping from str to float
        Hyperparameters of :class:`GaussianFilter` that all members have alike.

    Raises
    ------
    InputError
        If there is no such member or hyperparameter, or its value is out of range.

    Examples
    --------
    >>> from equipoise.matches import Contest, Ruleset
    >>> model = Mixture()
    >>> state = model.update(model.initial(), Contest(Ruleset(), (["ann"], ["bob"]), (1, 2)))
    >>> chances = model.win_probability(state, (["ann"], ["bob"]))
    >>> chances[0] > 0.5, model.weights(state)
    (True, [0.5, 0.5])
    """

    members: tuple[str, ...] = tuple(FILTERS)
    settings: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        given = self.settings.items() if isinstance(self.settings, Mapping) else self.settings
        object.__setattr__(self, "members", tuple(self.members))
        object.__setattr__(self, "settings", tuple(sorted((str(name), x) for name, x in given)))
        if not 1 <= len(self.members) <= MOST_MEMBERS:
            msg = f"members: there must be 1 to {MOST_MEMBERS}, got {len(self.members)}"
            raise InputError(msg)
        for name in self.members:
            if name not in FILTERS:
                msg = f"members: there is no {name!r}; there are {', '.join(FILTERS)}"
                raise InputError(msg)
        known = GaussianFilter().as_settings()
        for name, _ in self.settings:
            if name not in known:
                msg = f"settings: there is no {name!r}; allowed: {', '.join(known)}"
                raise InputError(msg)
        self.filters()

    @property
    def beta(self) -> float:
        """Performance noise, the unit of skills: that of the members."""
        return self.filters()[0].beta

    def filters(self) -> tuple[GaussianFilter, ...]:
        """Return the members."""
        return _made(self.members, self.settings)


@lru_cache(64)
def _made(members: tuple[str, ...], settings: tuple[tuple[str, float], ...]) -> tuple[GaussianFilter, ...]:
    more: dict[str, Any] = dict(settings)
    return tuple(GaussianFilter(**{**FILTERS[name], **more}) for name in members)
