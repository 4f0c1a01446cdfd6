"""What logs have in common that alone say who is on a server: consoles list people without teams."""

from __future__ import annotations

from abc import ABC, abstractmethod

from equipoise.core.match import Ruleset
from equipoise.games.log_reader import Lines
from equipoise.games.server_adapter import Ranges
from equipoise.games.side_swaps import joined_swaps
from equipoise.play.live.events import Ended, Event, Left

#: The highest number of somebody that is believed.
MOST_SLOT = 1_000_000


class RosterLog(ABC):
    """Reads what happens off a log, piece by piece, see :class:`equipoise.games.server_adapter.ServerLog`.

    Parameters
    ----------
    game : str
        The game in rulesets.
    ranges : mapping from str to (int, int or None)
        For how many players each map is made, where that is known.
    """

    def __init__(self, game: str, ranges: Ranges) -> None:
        #: What is played now.
        self.ruleset = Ruleset(game)
        self._ranges = ranges
        self._lines = Lines()
        #: Who is there: the id, the name and the team, by slot.
        self._here: dict[int, tuple[str, str, int | None]] = {}
        self._map = ""
        #: Whether a game runs.
        self._runs = False

    def again(self) -> None:
        """Begin with another piece of a log, which does not go on where the last one ended."""
        self._lines = Lines()

    def read(self, piece: bytes) -> list[Event]:
        """Return what happened in the next bytes."""
        before = {slot: team for slot, (_, _, team) in self._here.items()}
        events = [event for line in self._lines.each(piece) for event in self._line(line)]
        return joined_swaps(events, before)

    @abstractmethod
    def _line(self, line: bytes) -> list[Event]:
        """Return what a line says."""

    def _over(self) -> list[Event]:
        """Return that the game has ended, if one ran."""
        runs, self._runs = self._runs, False
        return [Ended()] if runs else []

    def _all_gone(self) -> list[Event]:
        """Return that everybody has left; who stays comes again."""
        gone: list[Event] = [Left(slot) for slot in sorted(self._here)]
        self._here.clear()
        return gone


def slot_of(number: str | bytes) -> int | None:
    """Return a number of somebody; None of what is none.

    Examples
    --------
    >>> slot_of(b"12"), slot_of("-1"), slot_of("9999999")
    (12, None, None)
    """
    fine = number.isascii() and number.isdigit() and len(number) < 10
    return int(number) if fine and int(number) <= MOST_SLOT else None
