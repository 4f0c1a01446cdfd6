"""A Nexuiz server's log and console: every line is an event or nothing, and nothing hostile is ever sent."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.samples import real
from tests.hostile import NAMES

from equipoise.games.nexuiz.live_server import PLAYERS, NexuizConsole, NexuizLog
from equipoise.games.rcon import checked
from equipoise.play.live.events import (
    AddBot,
    Announced,
    Changed,
    Ended,
    Joined,
    Left,
    MovePlayer,
    RemoveBot,
    Renamed,
    Say,
    Seen,
    SetMinimum,
    Started,
    Starting,
)
from equipoise.play.live.session import Session
from equipoise.play.live.state import Policy

LOG = (
    b"Server listening\n:gamestart:tdm_aggressor:1.0.123456\n:gameinfo:mutators:LIST:minstagib\n"
    b":gameinfo:end\n:join:1:3:bot:[BOT]Eve\n:team:1:5\n[BOT]Eve connected\n:join:2:4:10.0.0.1:^1Ann\n"
    b":team:2:14\n:kill:frag:1:2:type=7:items=7:victimitems=2\n:name:2:^2Annie\n:team:1:14\n:part:2\n"
    b":scores:tdm_aggressor:60\n:labels:teamscores:score!!,,\n:teamscores:see-labels:10,0:5\n"
    b":teamscores:see-labels::6\n:teamscores:see-labels:2,0:14\n:end\n:gameover\n"
)
NEXT = LOG.replace(b"1.0.123456", b"2.0.5").replace(b":3:bot", b":4:bot").replace(b":4:10.", b":3:10.")

STATUS = (
    "^4Blue Team^7 ^30            ^7    kills ^7   deaths ^7 suicides ^3    score\n"
    "  [BOT]Eve          ^7        0 ^7        0 ^7        0 ^3        0\n"
    "^1Red Team^7 ^31             ^7    kills ^7   deaths ^7 suicides ^3    score\n"
    "  ^1Ann             ^7        1 ^7        3 ^7        0 ^3        -1\n"
)


def test_every_line_of_a_game_is_what_it_says() -> None:
    """A game from its announcement to its result; people and bots by slot, a bot once it has a team."""
    log = NexuizLog({"aggressor": (6, 10)})
    assert log.read(LOG) == [
        Announced("aggressor", 2, 6, 10, log.ruleset),
        Joined(3, "bot:Eve:?", "Eve", bot=True, team=0),
        Joined(4, "name:Ann", "^1Ann"), Changed(4, 1), Started(),
        Renamed(4, "^2Annie"), Changed(3, 1), Left(4), Ended((10.0, 2.0)),
    ]  # fmt: skip
    assert (log.ruleset.game_type, log.ruleset.mutators) == ("tdm", ("minstagib",))


def test_at_the_next_level_nobody_is_there_until_they_join() -> None:
    """Slots are given anew; whoever counts as a player is none that fills up."""
    log = NexuizLog(players={"Eve": ""})
    log.read(LOG)
    events = log.read(NEXT)
    assert events[:3] == [
        Left(3),
        Announced("aggressor", 2, 0, None, log.ruleset),
        Joined(4, "bot:Eve:?", "Eve", team=0),
    ]
    assert Joined(3, "name:Ann", "^1Ann") in events


def test_a_game_that_is_restarted_or_broken_off_has_ended() -> None:
    """Without scores; with the same people."""
    log = NexuizLog()
    log.read(LOG[: LOG.index(b":part")])
    assert [type(event) for event in log.read(b":restart\n")] == [Ended, Announced]
    assert [type(event) for event in log.read(b":gamestart:dm_x:3.0.1\n:gameinfo:end\n")] == [
        Ended, Left, Left, Announced,
    ]  # fmt: skip
    assert log.teams == 1
    assert log.read(b":join:1:1:bot:[BOT]Eve\n") == [Joined(1, "bot:Eve:?", "Eve", bot=True, team=0)]


@pytest.mark.parametrize(
    "line", [":end: x", ":restart: x", ":status:tdm_x:30\n:teamscores:see-labels:9,0:5\n:end"]
)
def test_what_only_looks_like_an_event_is_none(line: str) -> None:
    """A name at the beginning of a line; scores that an admin asked for."""
    place = LOG.index(b":name")
    events = NexuizLog().read(LOG[:place] + line.encode() + b"\n" + LOG[place:])
    assert events == NexuizLog().read(LOG)


@given(st.lists(st.integers(0, len(LOG)), max_size=8))
def test_a_log_in_pieces_says_the_same(cuts: list[int]) -> None:
    """However it is cut."""
    places = sorted({0, *cuts, len(LOG)})
    log = NexuizLog()
    events = [event for a, b in pairwise(places) for event in log.read(LOG[a:b])]
    assert events == NexuizLog().read(LOG)


@settings(max_examples=100)
@given(
    st.lists(
        st.one_of(st.sampled_from((LOG + NEXT).splitlines(keepends=True)), st.binary(max_size=40)),
        max_size=60,
    )
)
def test_any_lines_in_any_order_are_events_that_a_session_takes(lines: list[bytes]) -> None:
    """A damaged log breaks nothing."""
    log, session = NexuizLog(), Session(Policy(target=4), moves_bots=True)
    for n, event in enumerate(log.read(b"".join(lines))):
        session.handle(event, float(n))
    seen = log.answered(PLAYERS, STATUS)
    assert isinstance(seen, Seen)
    session.handle(seen, 100.0)


def test_games_of_a_real_server_are_read_whole() -> None:
    """Six games within what a server printed: each is announced, begins and ends with its result."""
    log = NexuizLog()
    events = log.read(real("nexuiz_tdm_console_eventlog"))
    assert sum(isinstance(event, Announced) for event in events) == 6
    assert [type(event) for event in events if isinstance(event, Started | Ended)] == [Started, Ended] * 6
    assert Ended((10.0, 2.0)) in events


def test_a_list_of_the_server_says_the_teams_and_the_log_who_is_there() -> None:
    """By names without colours; where two have one name in two teams, the log is believed."""
    log = NexuizLog()
    log.read(LOG[: LOG.index(b":name")].replace(b"[BOT]Eve", b"Eve"))
    assert log.answered(PLAYERS, STATUS.replace("[BOT]", "")) == Seen({3: 1, 4: 0})
    assert log.answered(PLAYERS, STATUS.replace("[BOT]Eve", "Ann")) == Seen({3: 0, 4: 1})
    assert log.answered(PLAYERS, "") == Seen({3: 0, 4: 1})
    assert log.answered("status", STATUS) is None


@pytest.mark.parametrize("name", NAMES)
def test_whatever_somebody_is_called_only_slots_and_numbers_are_sent(name: str) -> None:
    """The whole way from the log to the console."""
    log, session, console = NexuizLog(), Session(Policy(target=4), moves_bots=True), NexuizConsole()
    raw = name.encode("utf-8", "replace").replace(b"\n", b" ")
    text = (LOG + NEXT).replace(b"^1Ann", raw).replace(b"[BOT]Eve", raw)
    lines: list[str] = []
    for n, event in enumerate([*log.read(text), Starting()]):
        lines += console.lines(session.handle(event, 10.0 * n), {})
    assert lines
    for line in lines:
        checked(line)
        assert len(name) < 4 or name in ("None", "blue", "spectator") or name not in line


def test_commands_are_lines_of_its_console() -> None:
    """Bots come by the number that is to play; one that is too many is kicked by its slot."""
    console = NexuizConsole()
    commands = [SetMinimum(8), MovePlayer(3, 1), RemoveBot(4), AddBot(0), AddBot(1), Say("a b", 2), Say("c")]
    assert console.lines(commands, {}) == [
        "set minplayers 8", "sv_cmd movetoteam 3 blue", "kick # 4", "tell # 2 a b", "say c",
    ]  # fmt: skip
    assert console.lines([AddBot(1)], {}) == ["set minplayers 8"]
    for line in (*console.begin(), *console.lines(commands, {})):
        checked(line)


def test_a_bot_in_the_wrong_team_is_moved_where_the_server_can_do_that() -> None:
    """Instead of another one for it."""
    log, session = NexuizLog(), Session(Policy(target=2), moves_bots=True)
    start = LOG[: LOG.index(b":join:2")]
    for n, event in enumerate(log.read(start + b":join:2:4:bot:[BOT]Bob\n:team:2:5\n")):
        session.handle(event, float(n))
    found = session.handle(Started(), 10.0)
    assert [each for each in found if isinstance(each, MovePlayer | AddBot | RemoveBot)] == [MovePlayer(4, 1)]
