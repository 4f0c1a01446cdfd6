"""Named settings of the default model, each with its source, and custom settings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.ratings.models.gaussian_filter.model import Filters

#: The profile of a model made without arguments.
SHIPPED = "general"

#: ``general`` is the default model as shipped, for everyone.
#: ``results-only`` looks at who won and nothing else, for leagues that want no reward for kills or margins.
#: ``frozen`` is for skills that do not change, as in a simulation or a night of bots.
PROFILES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "general": MappingProxyType({}),
        "results-only": MappingProxyType({"margin_slope": 0.0, "statistic_slope": 0.0, "trust_sigma": 0.0}),
        "frozen": MappingProxyType({"drift_game": 0.0, "drift_day": 0.0}),
    }
)

#: Settings that came later: what was tuned before has all others.
LATER = frozenset({"late_spread"})


def with_settings(settings: Any) -> Filters:
    """Return the default model with settings that all its members have, those not mentioned as shipped.

    Parameters
    ----------
    settings : mapping from str to number
        Hyperparameters by name; or what ``equipoise tune --json`` prints, which has them inside.  Where all
        are given, as there, nothing is left that members could differ in: then it is a single filter.

    Raises
    ------
    InputError
        If there is no such hyperparameter or its value is out of range.

    Examples
    --------
    >>> with_settings({"sigma": 1.0}) == with_settings([{"settings": {"sigma": 1.0}}])
    True
    """
    from equipoise.ratings.models.gaussian_filter.mixture import Mixture
    from equipoise.ratings.models.gaussian_filter.model import GaussianFilter

    settings = constants_in(settings)
    if not isinstance(settings, Mapping):
        msg = 'settings must be an object such as {"sigma": 0.8}'
        raise InputError(msg)
    if GaussianFilter().as_settings().keys() - settings.keys() <= LATER:
        return GaussianFilter(**settings)
    return Mixture(settings=tuple(settings.items()))


def constants_in(settings: Any) -> Any:
    """Return the constants within what ``equipoise tune --json`` prints, and anything else as it is."""
    if isinstance(settings, list) and len(settings) == 1:
        settings = settings[0]
    return settings["settings"] if isinstance(settings, Mapping) and "settings" in settings else settings
