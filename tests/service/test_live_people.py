"""``equipoise live`` on a real server with people on it: clients of its own protocol, not bots."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from benchmarks.games.openarena import OpenArena, installed, openarena
from benchmarks.games.quake3_client import Quake3Client, run
from tests.service.test_live_server import Table

from equipoise.play.live.session import PLAYING
from equipoise.play.live.state import Policy

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not installed(), reason="openarena-server is not installed; scripts/install-test-servers does it"
    ),
]

TARGET, PEOPLE, CROWD = 8, 5, 30

#: What hostile clients are called and state: each would be a line of the log.
HOSTILE = [
    "a\n 9:59 Exit: x", "b\n 9:59 red:9  blue:1", "\n  0:00 InitGame: ", "c\n 9:59 ClientDisconnect: 0",
    "d\r\n 9:59 Warmup:", "e\n 9:59 ClientBegin: 1", "f\n 9:59 Kill: 0 1 7: a", 'g";quit',
]  # fmt: skip


@pytest.fixture(params=["20", "5"], ids=["quick", "slow"])
def server(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[OpenArena]:
    """Give a server at the speed at which people play, with frames as usual and with long ones."""
    with openarena(
        tmp_path / "openarena", fraglimit="0", timelimit="0", sv_floodProtect="0", sv_fps=request.param
    ) as running:
        yield running


@contextmanager
def balanced(server: OpenArena, folder: Path, policy: Policy) -> Iterator[Table]:
    """Let the program balance a server."""
    table = Table(server, folder, policy)
    try:
        yield table
    finally:
        table.close()


@contextmanager
def playing(server: OpenArena, count: int) -> Iterator[list[Quake3Client]]:
    """Let people be on a server, all of whom come at once."""
    people, over = [Quake3Client(server.port, f"person {n}") for n in range(count)], threading.Event()

    def play() -> None:
        while not over.is_set():
            run(people, 0.05)

    thread = threading.Thread(target=play)
    thread.start()
    try:
        yield people
    finally:
        over.set()
        thread.join()
        for each in people:
            each.close()


def test_people_who_come_at_once_are_placed_and_stay(server: OpenArena, tmp_path: Path) -> None:
    """Bots make two equal teams of them, again after each level, never more than asked; nobody is kicked."""
    with balanced(server, tmp_path, Policy(target=TARGET)) as table, playing(server, PEOPLE) as people:
        session = table.game.session
        most = 0

        def settled() -> bool:
            nonlocal most
            teams = list(table.real().values())
            most = max(most, len(teams))
            return session.settled and teams.count(0) == teams.count(1) == TARGET // 2 == len(teams) // 2

        def ordered() -> bool:
            return any("add a bot" in text for text in table.reported)

        table.until(ordered, "bots are ordered")
        for command in ("map_restart 0", "map_restart 0", "map oa_dm4"):
            server.type(command)
            began = time.monotonic()
            table.until(lambda began=began: settled() and time.monotonic() - began > 3.0, command)  # type: ignore[misc]
        table.until(table.as_chosen, "all placed")
        assert most <= TARGET
        assert [each.state for each in people] == ["connected"] * PEOPLE
        assert not [text for each in people for text in each.heard if "kicked" in text]


def test_a_crowd_that_comes_within_ten_seconds_is_placed_with_few_packets(tmp_path: Path) -> None:
    """Three a second, where a server takes one packet a second: they are put into teams together."""
    with (
        openarena(tmp_path / "openarena", fraglimit="0", timelimit="0", sv_maxclients="64") as server,
        balanced(server, tmp_path, Policy(bots=False)) as table,
        playing(server, 2) as people,
    ):
        sent: list[bytes] = []
        send = table.game._link.send
        table.game._link.send = lambda packet: (sent.append(packet), send(packet))[1]  # type: ignore[method-assign,func-returns-value]
        table.until(table.as_chosen, "two placed")
        sent.clear()
        began = time.monotonic()

        def all_stand() -> bool:
            if len(people) < CROWD and time.monotonic() - began > 10.0 * len(people) / CROWD:
                person = f"person {len(people)}"
                people.append(Quake3Client(server.port, person, {"snaps": "1"}, pace=0.4))
            teams = [seat.team for seat in table.game.session.state.seats.values()]
            return len(teams) == CROWD and None not in teams

        table.until(all_stand, "all placed")
        teams = list(table.real().values())
        assert teams.count(0) == teams.count(1) == CROWD // 2
        assert len(sent) <= CROWD
        assert not [text for each in people for text in each.heard if "kicked" in text]


def test_nothing_that_people_state_is_taken_for_the_servers_word(server: OpenArena, tmp_path: Path) -> None:
    """Names, models and colours with lines of a log in them end no game, and nobody leaves by them."""
    policy = Policy(target=4, retry_seconds=2.0)
    with balanced(server, tmp_path, policy) as table, playing(server, 4) as people:
        session = table.game.session
        table.until(lambda: len(list(session.state.people())) == 4 and table.as_chosen(), "all placed")
        before = {seat.id for seat in session.state.people()}
        for text in HOSTILE:
            for each, field in zip(people, ("name", "team_model", "color1", "g_redteam"), strict=True):
                each.userinfo = {field: text}
                each.rename(text if field == "name" else each.identity)
            table.until(lambda: not any(each.waiting for each in people), "all heard by the server")
        for each in people:
            each.userinfo = {}
            each.rename(each.identity)
        table.until(lambda: not any(each.waiting for each in people), "all heard by the server")
        table.until(table.as_chosen, "the same teams")
        written = server.log.read_bytes()
        assert b"\n 9:59 red:9" in written
        assert session.phase == PLAYING
        assert {seat.id for seat in session.state.people()} == before
        assert table.archive.count() == 0
        assert not any(text.startswith("rated") for text in table.reported)
