"""Messages of Discord are never longer than it takes, and no name in them is more than a name."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from benchmarks.play.discord_server import pinged
from hypothesis import given
from hypothesis import strategies as st

from equipoise.pages.text import discord as cards
from equipoise.play.evening_events import EveningLobby, Setup
from equipoise.play.evening_state import EveningGame, Phase, Room

#: What people call themselves to be more than a name.
HOSTILE = (
    "@everyone", "@here",
    "<@1001>", "<@&7>", "<#5>", "**bold**", "`code`", "~~no~~", "||spoiler||", "> quote",
    "[link](https://evil.example)",
    "https://evil.example", "\u202eevil", "a\nb", "# head", "", " ", "W" * 200,
    ":smile:", "<:x:5>", "\\", "\\*", "- list", "1. list", "<t:5:R>", "</add:5>", "\u200b", "_" * 40,
)  # fmt: skip

PLAYERS = [f"discord:{1000 + n}" for n in range(24)]


def game(phase: Phase, size: int = 4, **more: object) -> EveningGame:
    """Return a game of so many a team."""
    players = PLAYERS[: 2 * size]
    lobby = EveningLobby("5/ctf", size=size, maps=("dock", "keep", "mill"))
    made = EveningGame("pickup-5-ctf-1-5", lobby, players, phase, 1e9)
    made.teams, made.chances = (tuple(players[:size]), tuple(players[size:])), (0.49, 0.51)
    return replace(made, maps=["dock", "keep"], **more)  # type: ignore[arg-type]


def whole(message: cards.DiscordMessage) -> str:
    """Return all text of a message."""
    return "\n".join([message.title, message.text, message.footer, *(f"{a}\n{b}" for a, b in message.fields)])


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_shown_as_it_is(name: str) -> None:
    """No mention, link, markdown, line or direction of writing comes of a name."""
    safe = cards.safe(name)
    assert pinged({"content": safe}) == []
    assert "\n" not in safe
    assert "\u202e" not in safe
    assert "://" not in safe
    assert not re.search(r"(?<!\\)[*_`~|<>\[\]#]", safe.replace("\\\\", ""))
    assert safe


@given(
    st.text(), st.sampled_from([phase for phase in Phase if phase is not Phase.DIVIDING]), st.integers(1, 12)
)
def test_a_message_fits_whatever_people_are_called(name: str, phase: Phase, size: int) -> None:
    """Any name in any phase gives a message that Discord takes, and that pings nobody by itself."""
    played = game(phase, size)
    if phase is Phase.DRAFTING:
        played.teams = (played.teams[0][:1], played.teams[1][:1])
    message = cards.game_message(played, lambda n: f"{name}{n}", lambda player: name + player, proof=name)
    assert len(message.title) <= cards.MOST_TITLE
    assert len(message.text) <= cards.MOST_BODY
    assert all(len(value) <= cards.MOST_FIELD and value and title for title, value in message.fields)
    parts = [message.title, message.text, message.footer, *(part for pair in message.fields for part in pair)]
    assert sum(map(len, parts)) <= cards.MOST_ALL
    assert len(message.buttons) <= cards.A_ROW * cards.ROWS
    assert all(1 <= len(each.label) <= cards.MOST_LABEL for each in message.buttons)
    ids = [each.id for each in message.buttons]
    assert len(set(ids)) == len(ids)
    assert all(len(each) <= cards.MOST_ID for each in ids)


@given(st.lists(st.text(max_size=60), max_size=200))
def test_a_lobby_fits_however_many_are_there(names: list[str]) -> None:
    """A lobby of two hundred people is one message."""
    players = tuple(f"{n}" for n in range(len(names)))
    room = Room(EveningLobby("5/x", size=None, called=True), Setup(players))
    message = cards.lobby_message(room, lambda player: names[int(player)])
    assert len(whole(message)) < 6000
    assert pinged({"content": whole(message)}) == []


def test_the_bubble_is_within_the_lines_exactly_while_a_game_is_even() -> None:
    """Within 2.5 of even the bubble stands between the lines, and nowhere else."""
    for tenth in range(1001):
        bubble = cards.level((1.0 - tenth / 1000, tenth / 1000))
        left, right = bubble.index("┃"), bubble.rindex("┃")
        assert (left < bubble.index("●") < right) == (475 <= tenth <= 525), tenth


def test_only_those_who_play_are_pinged() -> None:
    """A game tells its own players of it, and a lobby nobody."""
    assert cards.game_message(game(Phase.CHECKING), str, str).pings == tuple(PLAYERS[:8])
    assert cards.lobby_message(Room(EveningLobby("5/x"), Setup(tuple(PLAYERS))), str).pings == ()


def test_every_phase_says_what_comes_next() -> None:
    """Each phase of a game has a head of its own and, until it is over, a button that goes on."""
    heads = {}
    for phase in Phase:
        played = game(phase, counted=phase is Phase.OVER, ranks=(1.0, 2.0))
        if phase is Phase.DRAFTING:
            played.teams = (played.teams[0][:1], played.teams[1][:1])
        message = cards.game_message(played, str, str)
        heads[phase] = message.title
        assert bool(message.buttons) == (phase not in (Phase.OVER, Phase.DIVIDING)), phase
    assert len(set(heads.values())) == len(Phase) - 1  # a disputed game is still being played
