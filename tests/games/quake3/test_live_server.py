"""A Quake 3 server's log and console: every line is an event or nothing, and nothing hostile is ever sent."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.hostile import NAMES

from equipoise.games.quake3.live_server import Quake3Console, Quake3Log, seen, who
from equipoise.games.rcon import UnsafeError, checked
from equipoise.play.live.events import (
    AddBot,
    Announced,
    Carrying,
    Changed,
    Chatted,
    Clock,
    Ended,
    Joined,
    Left,
    MovePlayer,
    RemoveBot,
    Renamed,
    Say,
    Started,
    Starting,
)  # fmt: skip
from equipoise.play.live.session import Session
from equipoise.play.live.state import Policy

#: Eighty games of bots on a real server.
SHARED = Path(__file__).resolve().parents[3] / ".." / "shared" / "data" / "openarena"
RECORDED = SHARED / "tdm_oa_dm5_4v4_16bots_ts25.log"

INIT = rb"  0:00 InitGame: \g_gametype\4\mapname\oa_ctf\timelimit\10\gamename\baseoa" + b"\n"
HUMAN = (
    rb"  0:01 ClientUserinfoChanged: 2 n\Ann\t\3\model\x\hc\100\id\0123456789ABCDEF0123456789ABCDEF" + b"\n"
)
BOT = rb"  0:02 ClientUserinfoChanged: 3 n\Sarge\t\1\model\x\hc\100\skill\ 3.00\id" + b"\\\n"

LOG = (
    INIT + HUMAN + b"  0:01 ClientConnect: 2\n  0:01 ClientBegin: 2\n" + BOT + b"  0:02 ClientBegin: 3\n"
    b"  0:03 Item: 3 ammo\n" + HUMAN.replace(rb"\t\3", rb"\t\2").replace(b"0:01", b"0:04")
    + b"  0:05 CTF: 3 2 0: Sarge got the BLUE flag!\n  0:06 Kill: 2 3 7: Ann killed Sarge by MOD_ROCKET\n"
    b"  0:07 say: Ann: !why\n  0:08 ClientDisconnect: 3\n  9:00 Exit: Timelimit hit.\n"
    b"  9:00 red:3  blue:5\n"
)  # fmt: skip
ID = "0123456789ABCDEF0123456789ABCDEF"


def test_every_line_of_a_game_is_what_it_says() -> None:
    """A game from its announcement to its result."""
    log = Quake3Log({"oa_ctf": (6, 10)})
    events = log.read(LOG)
    assert events == [
        Announced("oa_ctf", 2, 6, 10, log.ruleset),
        Renamed(2, "Ann"),
        Joined(2, ID, "Ann"),
        Renamed(3, "Sarge"),
        Joined(3, "bot:Sarge:3", "Sarge", bot=True, team=0, level=3.0),
        Started(), Clock(597.0), Changed(2, 1), Carrying(3, True), Carrying(3, False), Chatted(2, "!why"),
        Left(3), Clock(60.0), Ended((3.0, 5.0)),
    ]  # fmt: skip
    assert log.ruleset.game_type == "ctf"


@pytest.mark.slow
@given(st.lists(st.integers(0, len(LOG)), max_size=8))
def test_a_log_in_pieces_says_the_same(cuts: list[int]) -> None:
    """However it is cut."""
    places = sorted({0, *cuts, len(LOG)})
    log = Quake3Log({"oa_ctf": (6, 10)})
    events = [event for a, b in pairwise(places) for event in log.read(LOG[a:b])]
    assert events == Quake3Log({"oa_ctf": (6, 10)}).read(LOG)


def test_a_server_that_was_begun_anew_has_nobody() -> None:
    """Its clock begins again, and nobody said goodbye."""
    log = Quake3Log()
    log.read(LOG)
    events = log.read(INIT)
    kinds = [type(event) for event in events]
    assert Left(2) in events
    assert kinds.index(Announced) < kinds.index(Left), "nobody is missed before it is known why"


def test_a_game_that_ends_without_result_has_ended_when_the_next_begins() -> None:
    """A map that was changed by hand."""
    log = Quake3Log()
    log.read(LOG[: LOG.index(b"  9:00 Exit")])
    events = log.read(INIT.replace(b"0:00", b"5:00"))
    assert [type(event) for event in events] == [Ended, Announced]


def test_a_warm_up_is_no_game_yet() -> None:
    """Teams are chosen when it begins."""
    events = Quake3Log().read(INIT + b"  0:00 Warmup:\n  0:10 Item: 3 ammo\n")
    assert [type(event) for event in events] == [Announced, Starting]


@pytest.mark.slow
@settings(max_examples=200)
@given(
    st.lists(st.one_of(st.sampled_from(LOG.splitlines(keepends=True)), st.binary(max_size=40)), max_size=60)
)
def test_any_lines_in_any_order_are_events_that_a_session_takes(lines: list[bytes]) -> None:
    """A damaged log breaks nothing."""
    log, session = Quake3Log(), Session(Policy(target=4))
    for n, event in enumerate(log.read(b"".join(lines))):
        session.handle(event, float(n))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_whatever_somebody_is_called_only_slots_and_numbers_are_sent(name: str) -> None:
    """The whole way from the log to the console."""
    log, session, console = Quake3Log(), Session(Policy(target=4)), Quake3Console({"p1": "Sarge"})
    raw = name.encode("utf-8", "replace").replace(b"\n", b" ").replace(b"\\", b"")
    text = LOG.replace(b"Ann", raw).replace(b"Sarge", raw)
    there: dict[int, Joined] = {}
    lines: list[str] = []
    for n, event in enumerate([*log.read(text), Starting()]):
        if isinstance(event, Joined):
            there[event.slot] = event
        lines += console.lines(session.handle(event, 10.0 * n), there)
    assert lines
    for line in lines:
        checked(line)
        assert len(name) < 4 or name in ("None", "blue", "spectator") or name not in line


def test_a_bot_that_counts_as_a_player_is_removed_and_added_again() -> None:
    """Its name and character stand in the settings."""
    console = Quake3Console({"p1": "Grism"})
    there = {
        4: Joined(4, "bot:p1:2.5", "p1", team=0, level=2.5),
        5: Joined(5, "bot:x;quit:1", "x;quit", level=1.0),
    }
    assert console.lines([MovePlayer(4, 1)], there) == ["clientkick 4", "addbot Grism 2.5 blue 0 p1"]
    assert console.lines([MovePlayer(5, 1)], there) == []
    assert console.lines([MovePlayer(9, 0), RemoveBot(3), AddBot(1, 4.5), Say("a b", 2), Say("c")], {}) == [
        "forceteam 9 red", "clientkick 3", "addbot Sarge 4.5 blue 0", "tell 2 a b", "say c",
    ]  # fmt: skip


def test_a_list_of_players_with_a_part_missing_says_nothing() -> None:
    """Packets are lost; a name that looks like a row is none."""
    whole = "!listplayers: 2 players connected:\n 0 R 0   Unknown Player (*)   p01\n 1 B 0   x (*)  2 B 0 y\n"
    assert seen(whole) is not None
    assert seen(whole.splitlines()[1]) is None
    assert seen("\n".join(whole.splitlines()[:2])) is None
    assert seen("") is None


def test_a_user_is_who_the_log_would_say() -> None:
    """Bots by name and level, people by their GUID or else their name."""
    assert who("name                Ann\ncl_guid             " + ID + "\n") == (ID, "Ann")
    assert who("name                Ann\nip                  localhost\n") == ("name:Ann", "Ann")
    assert who("characterfile       bots/x.c\nname                S\nskill               2.50\n") == (
        "bot:S:2.5",
        "S",
    )
    assert who("Userinfo not available.\n") is None


@pytest.mark.skipif(not RECORDED.exists(), reason="the logs in ../shared/data/openarena are not there")
def test_the_recorded_games_are_read() -> None:
    """Eighty games of a real server: each is announced, begins and ends."""
    log = Quake3Log()
    events = log.read(RECORDED.read_bytes())
    assert sum(isinstance(event, Ended) and bool(event.scores) for event in events) == 80
    assert sum(isinstance(event, Started) for event in events) == sum(
        isinstance(event, Announced) for event in events
    )
    here: set[int] = set()
    for event in events:
        assert not (isinstance(event, Renamed) and event.slot in here)
        here |= {event.slot} if isinstance(event, Joined) else set()
        here -= {event.slot} if isinstance(event, Left) else set()


def test_unsafe_words_are_refused_by_the_console() -> None:
    """The last line of defence."""
    with pytest.raises(UnsafeError):
        checked("say a; quit")
