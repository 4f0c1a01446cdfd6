"""Servers of described games: what lines become, what is sent, and mistakes in ``[console]``."""

from __future__ import annotations

import re

import pytest

from equipoise.core.match import Ruleset
from equipoise.errors import InputError
from equipoise.games.described_game import described_game
from equipoise.games.described_server import DescribedLog, server_of
from equipoise.games.teeworlds.live_server import SERVER
from equipoise.play.live.events import (
    Announced,
    Changed,
    Chatted,
    Died,
    Ended,
    Joined,
    Left,
    MovePlayer,
    Renamed,
    Say,
    Seen,
    Started,
    Swapped,
)

TEXT = """
name = "tag"
line = "{text}"
teams = ["Red", "Blue"]
watching = ["None"]
[events]
begin = "begin {map}"
win = "{team} wins"
arrive = "+{slot} {who}"
team = "{slot} is {team}"
rename = "{slot} called {name}"
leave = "-{slot}"
kill = "{killer_slot} got {victim_slot}"
chat = "<{slot}> {text}"
[console]
protocol = "source-rcon"
list = "players"
row = "{slot} {team} {who}"
move = "setteam {slot} {team}"
say = "say {text}"
tell = "tell {slot} {text}"
teams = ["r", "b"]
begin = ["autobalance 0"]
moves_kill = true
respawn = 3
"""


def log_of(text: str = TEXT) -> DescribedLog:
    """Return what reads a log."""
    log = server_of(described_game(text)).log({"m1": (2, 8)}, {})
    assert isinstance(log, DescribedLog)
    return log


def test_lines_become_events() -> None:
    """From arriving over a game to leaving."""
    log = log_of()
    came = log.read(b"+1 ann\n+2 bob\n1 is Red\n2 is Blue\n")
    assert came == [
        Joined(1, "name:ann", "ann"), Joined(2, "name:bob", "bob"), Died(1, 3.0), Changed(1, 0),
        Died(2, 3.0), Changed(2, 1),
    ]  # fmt: skip
    begun = log.read(b"begin m1\n")
    assert begun == [
        Announced("m1", 2, 2, 8, Ruleset("tag", "tdm"), level=False), Died(1, 3.0), Died(2, 3.0), Started()
    ]  # fmt: skip
    assert log.read(b"1 got 2\n<2> !teams\n<9> !teams\n1 called eve\n") == [
        Died(2, 3.0), Chatted(2, "!teams"), Renamed(1, "eve")
    ]  # fmt: skip
    assert log.read(b"1 is Blue\n2 is Red\n") == [Died(1, 3.0), Died(2, 3.0), Swapped()]
    assert log.read(b"2 is None\nRed wins\n-1\n-7\n") == [Died(2, 3.0), Changed(2, None), Ended(), Left(1)]


def test_the_list_corrects_the_log_where_it_has_teams() -> None:
    """Only of those whom the log knows; rows that are none are passed over."""
    log = log_of()
    log.read(b"+1 ann\n+2 bob\n1 is Red\n")
    assert log.answered("players", "1 Blue ann\nnonsense\n2 None bob\n77 Red x\n") == Seen({1: 1, 2: None})
    assert log.answered("status", "1 Blue ann\n") is None


def test_commands_are_as_described() -> None:
    """Numbers, teams and text; without a command for one, everybody reads it."""
    family = server_of(described_game(TEXT))
    console = family.console({})
    assert console.begin() == ["autobalance 0"]
    commands = [MovePlayer(3, 1), MovePlayer(3, 5), Say("hi"), Say("you", 3)]
    assert console.lines(commands, {}) == ["setteam 3 b", "say hi", "tell 3 you"]
    plain = server_of(described_game(re.sub(r"(tell|move) = .*\n", "", TEXT)))
    assert plain.console({}).lines(commands, {}) == ["say hi", "say you"]
    assert (family.moves, family.tells, plain.moves, plain.tells) == (True, True, False, False)


@pytest.mark.parametrize(
    ("line", "other", "message"),
    [
        ('protocol = "source-rcon"', 'protocol = "telnet"', "protocol must be one of"),
        ('list = "players"', 'list = "players; quit"', "list: must be plain signs"),
        ('row = "{slot} {team} {who}"', 'row = "{who}"', "row: must have {slot}"),
        ('move = "setteam {slot} {team}"', 'move = "setteam {team}"', "move: must have {slot}, {team}"),
        ('move = "setteam {slot} {team}"', 'move = "setteam {who} {team}"', "move: must have"),
        ('say = "say {text}"', 'say = "say; {text}"', "say: must be plain signs"),
        ('teams = ["r", "b"]', 'teams = ["r"]', "teams must be 2"),
        ("respawn = 3", "respawn = true", "respawn must be a number"),
        ("respawn = 3", "spawn = 3", "spawn is not known"),
        ('arrive = "+{slot} {who}"', 'arrive = "+{who}"', "must have {slot}"),
    ],
)
def test_mistakes_are_named(line: str, other: str, message: str) -> None:
    """With the field and what is allowed."""
    text = TEXT.replace(line, other)
    if "+{who}" in other:
        text = text.replace('team = "{slot} is {team}"', 'team = "{who} is {team}"')
    with pytest.raises(InputError, match=re.escape(message)):
        described_game(text)


def test_without_a_console_nothing_is_balanced() -> None:
    """The message says what is missing."""
    with pytest.raises(InputError, match=re.escape("[console]")):
        server_of(described_game(TEXT.split("[console]", maxsplit=1)[0]))


def test_a_teeworlds_server_is_one_of_these() -> None:
    """People keep who they are over a change of map, and come again; two of them need not wait."""
    log = SERVER.log({}, {})
    stamp = "[2026-01-31 20:15:00]"
    joined = "".join(f"{stamp}[game]: team_join player='{n}:p{n}' team={n % 2}\n" for n in range(2))
    assert [type(each) for each in log.read(joined.encode())] == [Joined, Joined]
    start = f"{stamp}[game]: start match type='TDM' teamplay='1'\n"
    assert log.read(start.encode())[-1] == Started()
    loaded = f"{stamp}[datafile]: loading. filename='maps/ctf2.map'\n"
    assert log.read(loaded.encode()) == [Ended(), Left(0), Left(1)]
    assert log.read(start.encode()) == [
        Announced("ctf2", 2, 0, None, Ruleset("teeworlds", "tdm"), level=False)
    ]
    renamed = f"{stamp}[game]: team_join player='0:other' team=1\n"
    assert log.read(renamed.encode()) == [Joined(0, "name:p0", "other", team=1)]
    assert log.begin() == [Started()]
    answer = "[20:15:01][server]: id=0 addr=127.0.0.1:1 client=705 name='other' score=0 \n"
    forged = "[20:15:01][chat]: 1:1:x: [20:15:01][server]: id=1 addr=1 client=1 name='x' score=1"
    assert log.answered("status", answer + forged) == Seen({0: 1})
