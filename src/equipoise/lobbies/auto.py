"""Which solver for which task: a table over size."""

from __future__ import annotations

from equipoise.lobbies.candidates import count_candidates
from equipoise.lobbies.problem import LobbyTask
from equipoise.programs import available

#: Teams times lobbies up to which listing them all is worth it for teams of two, and for larger ones, whose
#: integer programs are far harder: 400 players into three lobbies, and 20 into teams of three.
LISTED_PAIRS, LISTED = 250_000, 4_000


def pick(task: LobbyTask) -> str:
    """Return the name of the solver for a task."""
    limit = LISTED_PAIRS if task.problem.team_size <= 2 else LISTED
    return "exact" if available() and count_candidates(task.problem) <= limit else "large"
