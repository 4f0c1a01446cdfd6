"""A custom game in one file: a chess club's log, a line a game, ``2026-01-10T20:05Z ann beat bob``.

equipoise ingest club.log --game examples.parts.game:GAME --store sqlite:///club.db
"""

from __future__ import annotations

import hashlib
import re
from datetime import datetime

from equipoise import Contest, Match, Ruleset
from equipoise.extending import Block, GameRules, LineReader

_GAME = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\dZ) (\w{1,40}) (beat|drew) (\w{1,40})\s*")


class Club:
    """The club's log; see :class:`equipoise.games.log_reader.Game`."""

    name = "club"
    server = "a chess club"

    def recognise(self, head: bytes) -> str:
        """Tell by the first line."""
        return "a first line 'DATE NAME beat NAME'" if _GAME.match(head) else ""

    def reader(self, source: str, first_line: int = 1) -> ClubReader:
        """Return a reader for a log."""
        return ClubReader(source, first_line)

    def rules(self) -> tuple[GameRules, ...]:
        """Return no table: chess has no mutators here."""
        return ()


class ClubReader(LineReader):
    """Gives a match for each line; a game is never spread over lines."""

    def take(self, block: Block) -> None:
        """Go through some lines."""
        place = 0
        for line in block.content.splitlines(keepends=True):
            self._line(line, block.line_at(place))
            place += len(line)

    def _line(self, line: bytes, number: int) -> None:
        game = _GAME.fullmatch(line)
        if game is None:
            if line.strip():
                self.skip(number, "it is not 'DATE NAME beat NAME' or 'DATE NAME drew NAME'")
            return
        date, one, verb, other = (part.decode() for part in game.groups())
        try:
            at = datetime.fromisoformat(date).timestamp()
        except ValueError:
            self.skip(number, f"{date} is not a date")
            return
        if one == other:
            self.skip(number, f"{one} plays alone")
            return
        ruleset = Ruleset("chess", "duel")
        ranks = (1, 1 if verb == "drew" else 2)
        contest = Contest(ruleset, ([one], [other]), ranks, at=at)
        key = hashlib.sha256(line.strip()).hexdigest()
        self.give(Match((contest,), began=at, ended=at, id=key, roster=(one, other)))

    def idle(self) -> bool:
        """Nothing is needed from one line to the next."""
        return True

    def end(self) -> None:
        """Take the end of the log: a line without a line feed may still grow, so it does not count."""
        if self.lines.rest():
            self.abandon(f"{self.source}, line {self.lines.line}", "the line has no end yet")


GAME = Club()
