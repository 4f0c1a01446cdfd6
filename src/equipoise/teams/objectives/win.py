"""``win``: the largest distance of a team's win probability from even."""

from __future__ import annotations

from equipoise.teams.objectives.moments import WinDistance
from equipoise.teams.objectives.objective import Objective, Units


def win(units: Units) -> Objective:
    """Return the objective in the given units."""
    return Objective("win", WinDistance(units.beta, units.zero))
