"""The worker that divides players, and the one that compiles what this needs.

Compiling takes longer than a division may, so one that has a time limit is done without where nothing was
compiled before; a worker of its own sees to it that it was.
"""

from __future__ import annotations

from collections.abc import Generator

from equipoise.clock import deadline
from equipoise.compiled import available, keeps
from equipoise.serving.answers import INFEASIBLE, Gathered, InfeasibleError
from equipoise.serving.warming import missing
from equipoise.teams.balancing import balance
from equipoise.teams.solvers.window_kernels import fill_teams

Divided = tuple[int, ...] | str | None


class Dividing:
    """Divides players within a time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        balance({"one": 1.0, "two": 2.0})  # loads what divides, so that the first who asks need not wait

    def __call__(self, question: Gathered | None) -> Generator[None, None, Divided]:
        """Return the team of each player, or the name of why there are none; None where no time was left.

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
    """Compiles every kernel, once for an installation: they are kept on disk."""

    def __call__(self, _: None) -> Generator[None, None, bool]:
        """Return whether they are kept, or nothing can be compiled at all."""
        yield from ()
        if not available():
            return True
        if not keeps(fill_teams):
            return False
        for step in missing():
            step.work(step.kernels)
        return True
