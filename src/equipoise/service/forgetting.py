"""Forgetting somebody while evenings go on: one rule for the command line, HTTP and chats.

Nobody is forgotten in the middle of a game, as others play it too.  Who is only there, or waits, leaves
first, so that no stand-in is left in a lobby.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from equipoise.errors import InputError
from equipoise.play import evening_events as ev
from equipoise.service.kept_evening import KeptEvening

if TYPE_CHECKING:
    from equipoise.archive.archive import Archive
    from equipoise.play.evening_state import EveningGame


def check_no_game(kept: KeptEvening, player: str) -> None:
    """Refuse to forget somebody who plays.

    Raises
    ------
    InputError
        If a person is in a game that has no result yet, under any of their ids.
    """
    kept.catch_up()
    refuse_in("forget", kept, kept.evening.game_of(player), player)


def refuse_in(what: str, kept: KeptEvening, game: EveningGame | None, *players: str) -> None:
    """Refuse what cannot be done to people while they are in a game, unless there is none.

    Raises
    ------
    InputError
        With what is refused, the people and the game.
    """
    if game is not None:
        names, are = " and ".join(map(kept.shown, players)), "is" if len(players) == 1 else "are both"
        msg = f"{what}: {names} {are} in a game that goes on ({game.id}): leave it, or end it, first"
        raise InputError(msg)


def forget_in(kept: KeptEvening, player: str) -> str:
    """Take a person out of all lobbies and then out of the archive; return the id that replaces theirs.

    Raises
    ------
    InputError
        If they are in a game that goes on, or there is no such player.
    """
    check_no_game(kept, player)
    evening, one = kept.evening, kept.evening.one(player)
    leaving: list[ev.Event] = []
    for name, room in evening.rooms.items():
        states = {**dict.fromkeys(room.setup.here, ev.IN), **room.states}
        if room.lobby.called and states.get(one, ev.OUT) != ev.OUT:
            leaving.append(ev.Attend(name, (one,), ev.OUT, who=one))
    if evening.waits(one):
        leaving.append(ev.Leave(one))
    return kept.forget(player, leaving, time.time())


def forget(archive: Archive, player: str) -> str:
    """Forget a person, where no evening is open; see :func:`forget_in`."""
    return forget_in(KeptEvening(archive), player) if archive.night_events() else archive.forget(player)
