"""``equipoise live`` on a real OpenArena server: real teams become the chosen ones, whatever goes wrong."""

from __future__ import annotations

import random
import select
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from benchmarks.games.openarena import OpenArena, installed, openarena

from equipoise.archive.archive import Archive, open_archive
from equipoise.games.quake3.live_server import PLAYERS, seen
from equipoise.play.live.session import PLAYING
from equipoise.play.live.state import Policy
from equipoise.service.live_server import BalancedServer
from equipoise.service.live_settings import Playing

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not installed(), reason="openarena-server is not installed; scripts/install-test-servers does it"
    ),
]

#: Bots that count as players, with their characters.
PLAYERS_OF_TESTS = {
    f"p{n}": name for n, name in enumerate(("Sarge", "Grism", "Kyonshi", "Major", "Liz", "Merman"))
}

#: Seconds of real time within which anything must have happened, on a machine that is busy.
PATIENCE = 150.0


class Table:
    """A server, an archive, and the program between them, step by step."""

    def __init__(self, server: OpenArena, folder: Path, policy: Policy) -> None:
        self.server, self.store, self.policy = server, f"sqlite:///{folder / 'games.db'}", policy
        self.reported: list[str] = []
        self.lost = 0.0
        self._rng = random.Random(1)  # noqa: S311 -- no secret
        self.open()

    def open(self) -> None:
        """Begin the program."""
        self.archive: Archive = open_archive(self.store)
        settings = Playing(
            str(self.server.log), f"127.0.0.1:{self.server.port}", self.server.password,
            policy=self.policy, players=PLAYERS_OF_TESTS, maps={"oa_dm5": (4, 8)},
        )  # fmt: skip
        self.game = BalancedServer(self.archive, settings, self.reported.append)
        if self.lost:
            self.lose(self.lost)

    def close(self) -> None:
        """End it without a goodbye."""
        self.game.close()
        self.archive.close()

    def lose(self, share: float) -> None:
        """Drop a share of the packets in both directions."""
        self.lost = share
        link = self.game._link
        send, arrived = link.send, link.arrived
        link.send = lambda packet: None if self._rng.random() < share else send(packet)  # type: ignore[method-assign]
        link.arrived = lambda: [each for each in arrived() if self._rng.random() >= share]  # type: ignore[method-assign]

    def until(self, holds: Callable[[], bool], what: str) -> float:
        """Let the program run until something holds; return the seconds that took."""
        began = time.monotonic()
        while time.monotonic() < began + PATIENCE:
            self.game.step(time.monotonic())
            if holds():
                return time.monotonic() - began
            select.select([self.game.fileno()], [], [], 0.01)
        pytest.fail(f"not within {PATIENCE:g} s: {what}; {self.reported[-20:]}; {self.game.session.state}")

    def real(self) -> dict[int, int | None]:
        """Return everyone's team as the server says on its own console, which has no limits."""
        output = self.server.folder / "output"
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            before = output.stat().st_size
            self.server.type(PLAYERS)
            select.select([], [], [], 0.1)
            reported = output.read_bytes()[before:].decode("latin-1")
            found = seen(reported[reported.rfind("!listplayers:") :])
            if found is not None:
                return dict(found.teams)
        pytest.fail("the server does not list its players")

    def as_chosen(self) -> bool:
        """Whether the session is content, and the server agrees with it."""
        session = self.game.session
        if session.phase != PLAYING or not session.settled:
            return False
        seats = session.state.seats
        real = self.real()
        wanted = {slot: session.state.plan.get(seat.id, seat.team) for slot, seat in seats.items()}
        return real == wanted

    def as_ideal(self) -> bool:
        """Whether both teams are equal, with as many bots as the rule says: four players at least."""
        session = self.game.session
        people = [0, 0]
        for seat in session.state.people():
            people[session.state.plan[seat.id]] += 1
        teams = list(self.real().values())
        return teams.count(0) == teams.count(1) == max(2, *people)

    def finish(self) -> None:
        """Let the game come to its end, and wait until the archive has it."""
        wanted = self.archive.count() + 1
        self.server.type("fraglimit 3")
        self.until(lambda: self.archive.count() >= wanted, "a game in the archive")
        self.server.type("fraglimit 200")

    def add(self, *bots: tuple[str, float, str]) -> None:
        """Let bots that count as players come, in some team."""
        for name, level, colour in bots:
            self.server.type(f"addbot {PLAYERS_OF_TESTS[name]} {level:g} {colour} 0 {name}")
            select.select([], [], [], 0.1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenArena]:
    """Give a server that is ten times as fast as usual."""
    with openarena(
        tmp_path_factory.mktemp("openarena"), speed=10, fraglimit="200", timelimit="60"
    ) as running:
        yield running


@pytest.fixture
def table(server: OpenArena, tmp_path: Path) -> Iterator[Table]:
    """Give a server with four players in one team, and the program that balances it."""
    server.kill()
    shutil.rmtree(server.folder / "baseoa", ignore_errors=True)
    server._read = 0
    server.start()
    given = Table(server, tmp_path, Policy(target=4, retry_seconds=2.0))
    try:
        given.add(("p0", 5, "red"), ("p1", 4, "red"), ("p2", 2, "red"), ("p3", 1, "red"))
        given.until(lambda: len(list(given.game.session.state.people())) == 4, "four players")
        server.type("map_restart 0")
        given.until(lambda: any(text.startswith("say: Teams") for text in given.reported), "a start")
        yield given
    finally:
        given.close()


def test_after_each_start_the_real_teams_are_the_chosen_ones(table: Table) -> None:
    """Three games: each is rated, and the server's own list says what was chosen."""
    for _ in range(3):
        table.until(table.as_chosen, "teams as chosen")
        assert table.as_ideal()
        table.finish()
    assert any(text.startswith("rated") for text in table.reported)


def test_a_late_bot_is_placed_and_fillers_keep_the_ideal_number(table: Table) -> None:
    """A fifth player goes where the game is more even; bots make the teams equal, before and after."""
    table.until(table.as_chosen, "teams as chosen")
    table.add(("p4", 3, "red"))
    session = table.game.session
    table.until(lambda: len(list(session.state.people())) == 5 and table.as_chosen(), "the late one placed")
    assert table.as_ideal()
    table.server.type("kick p4")
    table.until(
        lambda: len(list(session.state.people())) == 4 and table.as_chosen(), "a bot in place of who left"
    )
    assert table.as_ideal()


@pytest.mark.parametrize("rotation", [("map oa_dm4", "map_restart 0"), ("map oa_dm5", "map oa_dm5")])
def test_no_change_of_level_puts_more_on_the_server_than_the_target(
    table: Table, rotation: tuple[str, ...]
) -> None:
    """Bots of the level before are there again a moment later, and are not added twice."""
    table.until(table.as_chosen, "teams as chosen")
    most = max(len(table.real()), 4)
    for command in rotation:
        table.server.type(command)
        began = time.monotonic()

        def on_the_server(began: float = began, command: str = command) -> bool:
            """Look at the server's own list now and then, for as long as it takes to settle."""
            count = len(table.real())
            assert count <= most, f"{count} on the server after {command}: {table.reported[-20:]}"
            return time.monotonic() - began > 3.0 and table.as_chosen()

        table.until(on_the_server, f"teams as chosen after {command}")


def test_where_half_of_the_packets_are_lost_it_converges(table: Table) -> None:
    """Nobody stays in the wrong team, and no bot comes twice."""
    table.lose(0.5)
    table.add(("p4", 3, "red"))
    session = table.game.session
    table.until(lambda: len(list(session.state.people())) == 5 and table.as_chosen(), "teams as chosen")
    assert table.as_ideal()


def test_a_server_that_is_killed_and_begun_again_is_balanced_again(table: Table) -> None:
    """Nobody of the old server is waited for."""
    table.until(table.as_chosen, "teams as chosen")
    before = table.archive.count()
    table.server.kill()
    table.server.start()
    table.add(("p5", 4, "blue"), ("p2", 2, "blue"), ("p3", 1, "blue"))
    session = table.game.session
    table.until(lambda: len(list(session.state.people())) == 3 and table.as_chosen(), "teams as chosen")
    assert table.as_ideal()
    assert table.archive.count() == before


def test_a_program_that_is_killed_goes_on_and_counts_nothing_twice(table: Table) -> None:
    """Between two games and in the middle of one."""
    table.finish()
    table.close()
    table.open()
    table.until(table.as_chosen, "teams as chosen")
    table.close()
    table.open()
    table.finish()
    ids = [match.id for match in table.archive.matches()]
    assert len(ids) == len(set(ids))
    log = table.server.log.read_bytes()
    assert log.count(b"red:") == len(ids) == 2


def test_a_log_that_is_rotated_in_mid_game_loses_nothing(table: Table) -> None:
    """Copied away and truncated, as logrotate does."""
    table.until(table.as_chosen, "teams as chosen")
    before = table.archive.count()
    log = table.server.log
    shutil.copy(log, log.with_name("games.log.1"))
    with log.open("r+b") as file:
        file.truncate(0)
    table.finish()
    table.until(table.as_chosen, "teams as chosen")
    assert table.archive.count() >= before + 1
    ids = [match.id for match in table.archive.matches()]
    assert len(ids) == len(set(ids))
