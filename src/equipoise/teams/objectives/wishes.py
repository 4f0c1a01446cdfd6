"""``wishes``: the prices of all wishes that are broken, in win probability."""

from __future__ import annotations

from equipoise.teams.composing import WishPrices
from equipoise.teams.objective import Objective, Scale


def wishes(scale: Scale) -> Objective:
    """Return the objective; its unit is that of the prices."""
    del scale
    return Objective("wishes", WishPrices())
