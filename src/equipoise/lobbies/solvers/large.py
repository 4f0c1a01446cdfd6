"""``large``: dealing and exchanges, with a certified bound; from a dozen players to a million."""

from __future__ import annotations

from equipoise.lobbies.bounding import place_and_bound
from equipoise.lobbies.problem import LobbyTask, Placed


def solve(task: LobbyTask) -> Placed:
    """Return a good placing and a bound that no placing of as many players is below."""
    return place_and_bound(task, task.start)
