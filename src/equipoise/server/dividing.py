"""The worker that divides players, and the one that compiles what this needs.

Compiling takes longer than a division may, so one that has a time limit is done without where nothing was
compiled before; a worker of its own sees to it that it was.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from functools import partial

from equipoise.clock import deadline
from equipoise.compiled import available, is_kept, keeps
from equipoise.players import Player
from equipoise.serving.answers import INFEASIBLE, Gathered, InfeasibleError
from equipoise.teams.balancing import balance
from equipoise.teams.solvers import meeting, window_kernels

#: Divisions that need what is compiled, players and teams, and the kernels after which they are given up.
NEEDING = ((32, 3, (window_kernels.fill_teams,)), (64, 2, meeting.KERNELS))

Divided = tuple[int, ...] | str | None


class Dividing:
    """Divides players within a time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        balance({"one": 1.0, "two": 2.0})  # loads what divides, so that the first who asks need not wait

    def __call__(self, question: Gathered | None) -> Generator[None, None, Divided]:
        """Return the team of each player, or the name of why there are none; None tells of no time left.

        Of None as a question only that this process is ready.
        """
        yield from ()
        if question is None:
            return None
        try:
            return question.divided(deadline(self._seconds))
        except InfeasibleError:
            return INFEASIBLE


class Compiling:
    """Compiles what dividing needs, once for an installation: it is kept on disk."""

    def __call__(self, _: None) -> Generator[None, None, bool]:
        """Return whether it is kept, or nothing can be compiled at all."""
        yield from ()
        if not available():
            return True
        if not keeps(window_kernels.fill_teams):
            return False
        for count, teams, kernels in NEEDING:
            # Squares are not alike in any unit, so that no split is perfect and the search goes on.
            players = tuple(Player(str(n), float(n * n)) for n in range(count))
            Gathered(players, teams, None).divided(partial(_are_kept, kernels))
        return True


def _are_kept(kernels: Iterable[Callable[..., object]]) -> bool:
    return all(map(is_kept, kernels))
