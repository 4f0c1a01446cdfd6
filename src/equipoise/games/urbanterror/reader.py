r"""``urbanterror``: logs of Urban Terror servers, of the Quake 3 family.

How lines are read is in :mod:`equipoise.games.quake3.match_lines`; what is its own are game types, rounds,
halves, identities and what counts as a mutator.  ``gamename`` or ``version`` of ``InitGame`` says that a log
is of it.
"""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.core.rulesets import GameRules
from equipoise.games.quake3.reader import LINE, Quake3
from equipoise.games.quake3.rulesets import RULES, URBAN_TERROR, game_of, settings_of


class UrbanTerror(Quake3):
    """Urban Terror, see :class:`equipoise.games.log_reader.Game`."""

    name = URBAN_TERROR
    server = "an Urban Terror server"

    def with_mutators(self, custom: Mapping[str, frozenset[str]]) -> UrbanTerror:
        """Return the same game where more settings count as changing play."""
        return UrbanTerror(custom)

    def recognise(self, head: bytes) -> str:
        """Tell by the first beginning of a game."""
        for line in LINE.finditer(b"\n" + head):
            if line[5] == b"InitGame":
                settings = settings_of(line[6])
                return "a line 'InitGame: \\...' of it" if game_of(settings) == URBAN_TERROR else ""
        return ""

    def rules(self) -> tuple[GameRules, ...]:
        """Return the table of the game."""
        return tuple(table for table in RULES if table.game == URBAN_TERROR)


#: The game.
GAME = UrbanTerror()
