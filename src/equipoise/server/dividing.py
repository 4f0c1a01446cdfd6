"""The worker that divides players.

Compiling takes longer than a division may, so one that has a time limit is done without where nothing was
compiled before; a worker of its own (:mod:`equipoise.server.compiling`) sees to it that it was.
"""

from __future__ import annotations

from collections.abc import Generator

from equipoise.clock import deadline
from equipoise.serving.answers import INFEASIBLE, Gathered, InfeasibleError
from equipoise.teams.balancing import balance

Divided = tuple[int, ...] | str | None


class Dividing:
    """Divides players within a time."""

    def __init__(self) -> None:
        balance({"one": 1.0, "two": 2.0})  # loads what divides, so that the first who asks need not wait

    def __call__(self, question: tuple[Gathered, float] | None) -> Generator[None, None, Divided]:
        """Return the team of each player, or the name of why there are none; None where no time was left.

        The seconds come with the question.

        Of None as a question only that this process is ready.
        """
        yield from ()
        if question is None:
            return None
        gathered, seconds = question
        try:
            return gathered.divided(deadline(seconds))
        except InfeasibleError:
            return INFEASIBLE
