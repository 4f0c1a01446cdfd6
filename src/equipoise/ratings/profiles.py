"""Named settings of the default model, each with its source, and settings of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from equipoise.errors import InputError

if TYPE_CHECKING:
    from equipoise.ratings.models.gaussian_filter.model import GaussianFilter

#: The profile of a model made without arguments.
SHIPPED = "general"

#: ``general`` is the defaults of the default model, for everyone; docs/algorithms/gaussian-filter.md records
#: how they were found.
#: ``results-only`` looks at who won and nothing else, for leagues that want no reward for kills or margins.
#: ``frozen`` is for skills that do not change, as in a simulation or a night of bots.
PROFILES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "general": MappingProxyType({}),
        "results-only": MappingProxyType({"margin_slope": 0.0, "statistic_slope": 0.0, "trust_sigma": 0.0}),
        "frozen": MappingProxyType({"drift_game": 0.0, "drift_day": 0.0}),
    }
)


def with_settings(settings: Any) -> GaussianFilter:
    """Return the default model with settings, those not mentioned as shipped.

    Parameters
    ----------
    settings : mapping from str to number
        Hyperparameters by name; or what ``equipoise tune --json`` prints, which has them inside.

    Raises
    ------
    InputError
        If there is no such hyperparameter or its value is not allowed.

    Examples
    --------
    >>> with_settings({"sigma": 1.0}) == with_settings([{"settings": {"sigma": 1.0}}])
    True
    """
    from equipoise.ratings.models.gaussian_filter.model import GaussianFilter

    if isinstance(settings, list) and len(settings) == 1:
        settings = settings[0]
    if isinstance(settings, Mapping) and "settings" in settings:
        settings = settings["settings"]
    if not isinstance(settings, Mapping):
        msg = 'settings: they are not an object; one as {"sigma": 0.8} is allowed'
        raise InputError(msg)
    known = GaussianFilter().as_settings()
    for name in settings:
        if name not in known:
            msg = f"settings: there is no {name!r}; allowed: {', '.join(known)}"
            raise InputError(msg)
    return GaussianFilter(**settings)
