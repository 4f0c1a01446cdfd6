"""Two doors to one evening: words in a chat, as bytes from a server, and events by themselves."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from benchmarks.play import doors

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match_records import record_data
from equipoise.errors import InputError
from equipoise.play.chat_commands import ChatQuestion, Speaking, understood
from equipoise.play.evening_events import EveningLobby
from equipoise.play.evening_state import Phase
from equipoise.play.ledger import accounts
from equipoise.service.chat.irc_session import ChatSession, Spoken
from equipoise.service.pickup_lobbies import Pickups

PEOPLE = ("ann", "bob", "cid", "dan", "eve", "fay")
LOBBIES = (EveningLobby("duel", 2, 1), EveningLobby("two", 2, 2, maps=("dock", "keep", "mill"), veto=True))

#: What people type in each phase, and whenever.
SENSIBLE = {
    None: ("!add two", "!add two", "!add duel"),
    Phase.CHECKING: ("!ready",),
    Phase.VOTING: ("!yes", "!yes", "!no", "!captains"),
    Phase.DRAFTING: tuple(f"!pick {who}" for who in PEOPLE),
    Phase.STRIKING: ("!veto dock", "!veto keep", "!veto mill"),
    Phase.PLAYING: ("!report won", "!report lost", "!report draw", "!confirm"),
    Phase.DISPUTED: ("!report won", "!report lost"),
}  # fmt: skip
WHENEVER = (
    "!leave",
    "!undo",
    "!sub",
    "!sub bob",
    "!duo cid",
    "!duo ann",
    "!prefer eve",
    "!avoid fay",
    "!late",
    "!no",
)

#: How many evenings; more by the variable, as a measurement.
EVENINGS = int(os.environ.get("EVENINGS", "3"))

#: What is typed in an evening.
STEPS = 150


def played(archive: Archive, pickups: Pickups) -> object:
    """Return teams, results and accounts of an evening, and everyone's ratings."""
    over = [
        (game.id, game.teams, game.ranks, game.counted, game.map) for game in pickups.evening.over.values()
    ]
    standing = archive.standing()
    ratings = {key: standing.model.rating(standing.state, *key) for key in standing.games}
    matches = [record_data(match) for match in archive.matches()]
    return (
        over,
        pickups.evening.games,
        pickups.evening.waiting,
        accounts(pickups.evening.played()),
        ratings,
        matches,
    )


def by_irc(pickups: Pickups) -> Callable[[str, str, float], None]:
    """Return a door that takes what somebody types as bytes of a server."""
    session = ChatSession("bot", "#pug", "", "", 1e9)
    session.start(0.0)
    session.feed(b":irc 001 bot :hi\r\n:irc 376 bot :end\r\n:bot!b@h JOIN #pug\r\n", 0.0)
    for who in PEOPLE:
        session.feed(f":{who}!{who}@h JOIN #pug\r\n:irc 317 bot {who} 1 1000 :x\r\n".encode(), 0.0)

    def door(who: str, text: str, now: float) -> None:
        for each in session.feed(f":{who}!{who}@h PRIVMSG #pug :{text}\r\n".encode(), now):
            if isinstance(each, Spoken):
                pickups.hear(each.who, each.nick, each.text, now, session.id_of)

    return door


def by_events(pickups: Pickups) -> Callable[[str, str, float], None]:
    """Return a door that takes the events alone."""

    def door(who: str, text: str, now: float) -> None:
        try:
            speaking = Speaking(who, lambda nick: nick if nick in PEOPLE else None)
            meant = understood(text, speaking, pickups.evening)
        except InputError:
            return
        assert not isinstance(meant, ChatQuestion)
        pickups.take(meant, now, who)

    return door


def test_an_evening_is_the_same_by_chat_and_by_its_own_door(tmp_path: Path) -> None:
    """The same steps at the same times: teams, ledgers, results and ratings agree, bit for bit."""
    games = 0
    for seed in range(EVENINGS):
        draw, evenings = np.random.default_rng(seed), []
        steps: list[tuple[str, str]] = []
        for kind in (by_irc, by_events):
            url = f"sqlite:///{tmp_path / f'{seed}-{kind.__name__}.db'}"
            with open_archive(url, create=True) as archive:
                pickups = Pickups(archive, LOBBIES)
                door = kind(pickups)
                for n in range(STEPS):
                    if kind is by_irc:
                        who = str(draw.choice(PEOPLE))
                        game = pickups.evening.game_of(who)
                        words = WHENEVER if draw.random() < 0.1 else SENSIBLE[game and game.phase]
                        steps.append((who, str(draw.choice(words))))
                    pickups.tick(1000.0 + 4.0 * n)
                    door(*steps[n], 1000.0 + 4.0 * n)
                evenings.append(played(archive, pickups))
                games += sum(game.counted for game in pickups.evening.over.values())
        assert evenings[0] == evenings[1]
    assert games > EVENINGS


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_evening_is_the_same_at_the_terminal_over_irc_and_by_its_own_door(
    seed: int, tmp_path: Path
) -> None:
    """Teams, ledgers, results, matches and ratings, whatever is swapped, drafted or taken back."""
    empty = tmp_path / "empty.db"
    open_archive(f"sqlite:///{empty}", create=True).close()
    done = doors.evening(seed, empty, 14)
    assert done["taken"] > 7
