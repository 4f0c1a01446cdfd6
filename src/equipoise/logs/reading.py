"""What the log of a game is to the rest: bytes in, matches out, no matter where they are cut.

The protocols only; what the readers of several games share stands beside this file, each game in its own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from equipoise.logs.rules import GameRules
from equipoise.matches import Match, Skipped, Unfinished

#: What comes out of a log.
Parsed = Match | Skipped | Unfinished


class Reader(Protocol):
    """Reads one log from its start, or from a place that was :attr:`settled`.

    What comes out depends on the bytes alone, never on how they were cut, on the clock or on the name of the
    file; the name is only used to say where something stands.
    """

    @property
    def settled(self) -> int:
        """How many bytes, from where this reader began, are not needed again.

        A new reader that begins there gives what this one would have given from there on; lines of a running
        game that were skipped are reported again.
        """

    @property
    def settled_line(self) -> int:
        """The number of the line that begins there: the ``first_line`` of such a reader."""

    def read(self, data: bytes) -> Iterable[Parsed]:
        """Take the next bytes; return what has ended with them.  A line that is not complete waits."""

    def finish(self) -> Iterable[Parsed]:
        """Take the end of the log; return what ends with it, among it the game that was not finished.

        A match is given only where nothing that may be appended to the log can change it.  Who follows a log
        that grows does not call this.
        """


class Game(Protocol):
    """One family of logs: a module-level object, registered in :data:`equipoise.registry.GAMES`."""

    name: str

    def recognise(self, head: bytes) -> str:
        """Return by what the first bytes of a log (up to 64 KiB) show this game; empty where they do not."""

    def reader(self, source: str, first_line: int = 1) -> Reader:
        """Return a reader for a log.

        Parameters
        ----------
        source : str
            What the log is called in ``where`` (``"<source>, line <n>"``).
        first_line : int
            The number of its first line; more than 1 where a followed log goes on.
        """

    def rules(self) -> Iterable[GameRules]:
        """Return the tables of game types and mutators, one for each game of the family."""
