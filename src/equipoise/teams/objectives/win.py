"""``win``: the largest distance of a team's win probability from even."""

from __future__ import annotations

from equipoise.teams.objectives.moments import WinDistance
from equipoise.teams.objectives.objective import Objective, Scale


def win(scale: Scale) -> Objective:
    """Return the objective in the units of the scale's beta."""
    return Objective("win", WinDistance(scale.beta))
