"""Named settings of the default model, each with its source."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
