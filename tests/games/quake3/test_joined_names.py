"""What a client may write into a log through its name changes nothing but its name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.samples import TDM, real

from equipoise.core.match import Match
from equipoise.games.laws import parsed
from equipoise.games.quake3.live_server import Quake3Log
from equipoise.games.quake3.reader import GAME
from equipoise.play.live.events import Changed, Joined, Left, Renamed

#: A client of the log whose name is another one in what follows.
LOG = real(TDM)[:60000]
WHO = re.search(rb"ClientUserinfoChanged: (\d+) n\\([^\\]+)\\t\\1", LOG)
assert WHO is not None
SLOT, NAME = WHO[1], WHO[2]

FORGED = [
    b"foo\n  0:40 Exit: Fraglimit hit.", b"\n  0:30 red:99  blue:0", b"a\n  9:00 InitGame: x", b"b\n  0:1",
    b"x\n  1:00 Kill: 0 1 10: a killed b by MOD", b"\n", b"a\n\n\n0:00 ShutdownGame:", b"d\n 99:59 Warmup:",
    b"c\r  0:50 Exit: x",
    b"e\n  0:50 ClientDisconnect: 0", b"f\n  0:50 score: 99  ping: 1  client: 1 Ann",
]  # fmt: skip


def renamed(name: bytes) -> bytes:
    """Return the log with another name for one client, wherever a line writes it."""
    return LOG.replace(b"n\\" + NAME + b"\\", b"n\\" + name + b"\\").replace(
        b" " + NAME + b" killed", b" " + name + b" killed"
    ).replace(b" killed " + NAME + b" by", b" killed " + name + b" by")  # fmt: skip


HUMAN = b"0123456789ABCDEF0123456789ABCDEF"


#: What a human says of itself, without the id at the end.
SAYS = {
    b"model": b"sarge",
    b"hmodel": b"sarge",
    b"g_redteam": b"",
    b"g_blueteam": b"",
    b"c1": b"4",
    b"c2": b"5",
}
NUMBERS = rb"\hc\100\w\0\l\0\tt\0\tl\0\id" + b"\\"


def stating(field: bytes, value: bytes) -> bytes:
    """Return the log where one client is a human with an id, and states something else in one line."""
    beginning = rb"( *\d+:\d\d ClientUserinfoChanged: " + SLOT + rb" n\\" + re.escape(NAME) + rb"\\t\\\d\\)"

    def line(begins: bytes, says: dict[bytes, bytes], identity: bytes = HUMAN) -> bytes:
        fields = b"\\".join(part for pair in says.items() for part in pair)
        return begins + fields + NUMBERS + identity + b"\n"

    log = re.sub(beginning + rb"[^\n]*\n", lambda found: line(found[1], SAYS), LOG)
    last = list(re.finditer(beginning + rb"[^\n]*\n", log))[-1]
    other = line(last[1], SAYS, value) if field == b"id" else line(last[1], SAYS | {field: value})
    return log[: last.end()] + other + last[0] + log[last.end() :]


OTHERS = {match.roster for match in parsed(GAME, renamed(b"Zed")) if isinstance(match, Match)}


def outcomes(log: bytes) -> list[str]:
    """Return what was played; of who is in none of the games otherwise, only that they are there."""
    others = {player for roster in OTHERS for player in roster if "Zed" not in player}

    def shown(player: str) -> str:
        return player if player in others else "?"

    return [
        repr([
            (
                [[(shown(player), share) for player, share in team] for team in contest.teams],
                contest.ranks, contest.scores,
                [(shown(one.player), one.kills, one.deaths) for one in contest.statistics],
            )
            for contest in one.contests
        ])
        for one in parsed(GAME, log)
        if isinstance(one, Match)
    ]  # fmt: skip


@pytest.mark.parametrize("name", FORGED, ids=repr)
def test_a_forged_line_changes_no_game(name: bytes) -> None:
    """The clock, the end, scores and kills are those that the server wrote."""
    assert outcomes(renamed(name)) == outcomes(renamed(b"Zed")) != []


@pytest.mark.parametrize("name", FORGED, ids=repr)
def test_a_forged_line_is_no_event_of_a_running_game(name: bytes) -> None:
    """The live reader tells the same, however the log is cut."""

    def events(log: bytes, size: int) -> list[str]:
        reader, found = Quake3Log(), []
        for n in range(0, len(log), size):
            found += [type(event).__name__ for event in reader.read(log[n : n + size])]
        return found

    assert events(renamed(name), 1 << 16) == events(renamed(b"Zed"), 1 << 16)
    assert events(renamed(name)[:20000], 7) == events(renamed(name)[:20000], 1 << 16)


@settings(max_examples=30)
@given(name=st.binary(min_size=1, max_size=40), place=st.integers(0, len(LOG)))
def test_nothing_depends_on_how_a_log_with_hostile_names_is_cut(name: bytes, place: int) -> None:
    """Names end at a backslash and nowhere else."""
    log = renamed(name.replace(b"\\", b"/") + b"\n 0:00 Exit:")
    assert parsed(GAME, log, (place,)) == parsed(GAME, log)


@pytest.mark.parametrize(
    "field", [b"model", b"hmodel", b"g_redteam", b"g_blueteam", b"c1", b"c2", b"id"], ids=repr
)
@pytest.mark.parametrize(
    "value", [*FORGED, b"x\n  0:01 ClientUserinfoChanged: 7 n", b"\n  0:01 InitGame: "], ids=repr
)
def test_whatever_a_client_says_of_itself_makes_no_line(field: bytes, value: bytes) -> None:
    """Its model, colours, teams' names, and an id that is none: no game and no event is another one."""
    log, plain = stating(field, value), stating(field, HUMAN if field == b"id" else b"x")
    assert outcomes(log) == outcomes(plain) != []
    events = [
        [
            event
            for event in Quake3Log().read(each)
            if not isinstance(event, Left | Joined | Changed | Renamed)
        ]
        for each in (log, plain)
    ]
    assert events[0] == events[1]
    short = log[: log.index(value) + 3000][-9000:]
    reader = Quake3Log()
    pieces = [event for n in range(0, len(short), 7) for event in reader.read(short[n : n + 7])]
    assert pieces == Quake3Log().read(short)
