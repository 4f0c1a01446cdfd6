"""What would have been done on a server, from its recorded log and what an archive knows now."""

from __future__ import annotations

from collections.abc import Iterator

from equipoise.archive.archive import Archive
from equipoise.clock import deadline
from equipoise.errors import InputError
from equipoise.ingest.logs import Source, pieces
from equipoise.live.events import Announced, Ended, Event, Joined, Left, Starting, Weighed
from equipoise.live.session import Session
from equipoise.server.playing import SECONDS, ranges, worded
from equipoise.server.playing_settings import Playing
from equipoise.server.rated import ArchiveRatings

#: Seconds between two games of a record, in which every command would have had its effect.
BETWEEN = 60.0


def replay(archive: Archive, settings: Playing) -> Iterator[str]:
    """Give what would have been done, a line for each game and command.

    The record goes on as it did, whatever would have been done about it; so every game begins with the teams
    that it really had.

    Parameters
    ----------
    archive : Archive
        What is known; it is not changed.
    settings : Playing
        The server, with its log.

    Raises
    ------
    InputError
        If no game begins in the log.
    """
    family = settings.family()
    log = family.log(ranges(archive, settings), settings.players)
    rated = ArchiveRatings(archive)
    session = Session(settings.policy, lambda: deadline(SECONDS), moves_bots=family.moves_bots)
    there: dict[int, Joined] = {}
    now, games = 0.0, 0

    def happened(event: Event) -> Iterator[str]:
        for command in session.handle(event, now):
            yield f"  {worded(command, there)}"

    for piece in pieces(Source(settings.log, named=True)):
        for event in log.read(piece):
            now += 0.1
            if isinstance(event, Announced):
                games, now = games + 1, now + BETWEEN
                yield f"game {games}: {event.map}"
                rated.ruleset = event.ruleset
                yield from happened(rated.known([each.id for each in there.values()]))
            elif isinstance(event, Joined):
                there[event.slot] = event
                yield from happened(Weighed(event.id, rated.rating(event.id)))
            elif isinstance(event, Left):
                there.pop(event.slot, None)
            yield from happened(event)
            if isinstance(event, Ended) and family.keeps_teams:
                yield from happened(Starting())
    if not games:
        msg = f": {settings.log} has no game of {settings.game}; --game says what the server plays"
        raise InputError(msg, "log")
