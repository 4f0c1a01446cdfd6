"""Letting two ids be one person while evenings go on: one rule for the command line, HTTP and codes of chats.

One person cannot fill two places, and a game that goes on is not divided again behind its players: whoever is
in it twice leaves it, or it ends, first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from equipoise.archive.archive import TakenMeanwhileError
from equipoise.service.forgetting import refuse_in
from equipoise.service.kept_evening import TIMES, KeptEvening

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive


def merge(
    archive: Archive, player: str, other: str, *, unseen: Collection[str] = (),
    records: Sequence[Mapping[str, Any]] = (), known: int | None = None,
) -> tuple[str, ...]:  # fmt: skip
    """Let two ids be one person, under the first, unless both play in a game that goes on.

    Whoever plays keeps their place, and so does everybody else, as long as the rules hold for the one person.

    Parameters
    ----------
    archive : Archive
        What knows of both, and keeps the evenings.
    player, other : str
        Their ids.
    unseen, records, known
        As :meth:`equipoise.archive.archive.Archive.merge` has them.

    Returns
    -------
    tuple of str
        The lobbies whose teams had to be made again, as they break a rule that held for the other id.

    Raises
    ------
    InputError
        If both are in one game that has no result yet, or the archive refuses them.
    TakenMeanwhileError
        If somebody else has added a record meanwhile: where ``known`` is given, at once.
    """
    if not archive.night_events():
        archive.merge(player, other, unseen=unseen, records=records, known=known)
        return ()
    left = TIMES if known is None else 1
    while True:
        left -= 1
        kept = KeptEvening(archive)
        refuse_in("merge", kept, kept.evening.game_of_both(player, other), player, other)
        seen = kept.known if known is None else known
        try:
            archive.merge(player, other, unseen=unseen, records=records, known=seen)
        except TakenMeanwhileError:
            if not left:
                raise
        else:
            return _made_again(kept)


def _made_again(kept: KeptEvening) -> tuple[str, ...]:
    """Take in a merge, and return the lobbies whose teams are others than they were before."""
    evening = kept.evening
    games = {name: evening.games.get(room.game) for name, room in evening.rooms.items()}
    before = {name: game.teams for name, game in games.items() if game is not None and game.teams}
    kept.follow()
    evening, found = kept.evening, list[str]()
    for name, teams in before.items():
        game = evening.current(name)
        stayed = [set(map(evening.one, team)) for team in teams]
        if game is None or [set(team) for team in game.teams] != stayed:
            found.append(name)
    return tuple(found)
