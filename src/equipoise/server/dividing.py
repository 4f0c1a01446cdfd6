"""The worker that divides players."""

from __future__ import annotations

from collections.abc import Generator

from equipoise.clock import deadline
from equipoise.serving.answers import INFEASIBLE, Gathered, InfeasibleError
from equipoise.teams.balancing import balance

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
