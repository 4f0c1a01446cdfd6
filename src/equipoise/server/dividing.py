"""The worker that divides players."""

from __future__ import annotations

from collections.abc import Generator

from equipoise.clock import deadline
from equipoise.serving.answers import Gathered
from equipoise.teams.balancing import balance


class Dividing:
    """Divides players within a time."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        balance({"one": 1.0, "two": 2.0})  # loads what divides, so that the first who asks need not wait

    def __call__(self, question: Gathered | None) -> Generator[None, None, tuple[int, ...] | None]:
        """Return the team of each player; of None only that this process is ready."""
        yield from ()
        return None if question is None else question.divided(deadline(self._seconds))
