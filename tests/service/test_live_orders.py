"""Orders and what comes of them late: never more on the server than asked for, and all settled in the end.

The server is one of made-up time, whose frames last as long as the test says.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.games.fake_quake3 import FakeQuake3

from equipoise.archive.archive import Archive, open_archive
from equipoise.play.live.session import PLAYING
from equipoise.play.live.state import Policy
from equipoise.service.live_server import BalancedServer
from equipoise.service.live_settings import Playing

TARGET, PEOPLE, STEP = 8, 5, 0.05

#: Seconds after which a list shows who has come, and the log who has loaded the level, at most.
LISTED = 4.0


class Room:
    """A server, and the program that balances it, in time that is made up."""

    def __init__(self, folder: Path, seed: int, policy: Policy | None = None, **net: float) -> None:
        self.rng = random.Random(seed)  # noqa: S311 -- no secret
        self.store, self.log, self.now = f"sqlite:///{folder / 'games.db'}", folder / "games.log", 0.0
        self.said: list[str] = []
        self.ordered: list[float] = []
        self.policy = policy or Policy(target=TARGET)
        self.server = FakeQuake3(self.log, self.rng, **net)
        self.open(create=True)

    def open(self, *, create: bool = False) -> None:
        """Begin the program."""
        self.archive: Archive = open_archive(self.store, create=create)
        settings = Playing(
            str(self.log), "127.0.0.1:9", "secret", policy=self.policy, game="openarena",
            maps={"oa_dm5": (4, TARGET)},
        )  # fmt: skip
        self.game = BalancedServer(self.archive, settings, self._say)
        link = self.game._link
        link.send, link.arrived = self.server.send, self.server.arrived  # type: ignore[method-assign]

    def _say(self, text: str) -> None:
        self.said.append(text)
        if text.startswith("add a bot"):
            self.ordered.append(self.now)

    def close(self) -> None:
        """End it without a word."""
        self.game.close()
        self.archive.close()

    def run(self, seconds: float, holds: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass until something holds; return whether it does."""
        end = self.now + seconds
        while self.now < end:
            self.now += STEP
            self.server.step(self.now)
            self.game.step(self.now)
            if holds():
                return True
        return False

    def settled(self) -> bool:
        """Whether all is as it is to be, on the server too."""
        session, clients = self.game.session, self.server.clients.values()
        teams = [each.team for each in clients if each.begun]
        most = max(TARGET // 2, -(-len(self.server.people()) // 2))
        return (
            session.phase == PLAYING and session.settled and len(teams) == len(clients)
            and teams.count(0) == teams.count(1) == most == len(teams) / 2
        )  # fmt: skip


@pytest.fixture
def room_of(tmp_path: Path) -> Iterator[Callable[..., Room]]:
    """Give what makes a room, which is closed in the end."""
    rooms: list[Room] = []

    def make(seed: int, policy: Policy | None = None, **net: float) -> Room:
        rooms.append(Room(tmp_path, seed, policy, **net))
        return rooms[-1]

    yield make
    for room in rooms:
        room.close()


def too_many(room: Room) -> list[tuple[float, int]]:
    """Return the bots that made too many, though nobody had come since shortly before they were ordered."""
    found = []
    for at, count in room.server.filled:
        ordered = max(each for each in room.ordered if each <= at)
        if count > TARGET and not any(ordered - LISTED < came <= at for came in room.server.came):
            found.append((at, count))
    return found


@pytest.mark.parametrize("frame", [0.05, 0.2, 0.6])
@pytest.mark.parametrize("when", [0.0, 0.3, 0.7, 1.2, 1.9, 2.6, 3.4, 4.5])
def test_a_restart_at_any_time_after_bots_were_ordered_makes_no_more_of_them(
    room_of: Callable[..., Room], frame: float, when: float
) -> None:
    """Neither slow frames nor a level that begins anew let a bot be ordered twice."""
    room = room_of(1, frame=frame)
    for n in range(PEOPLE):
        room.server.join(f"person {n}")
    assert room.run(60.0, lambda: any("add a bot" in text for text in room.said))
    room.run(when)
    room.server.restart()
    room.server.hang(1.5)
    assert room.run(120.0, room.settled)
    room.run(20.0)
    assert max(count for _, count in room.server.filled) <= TARGET
    assert room.settled()


@pytest.mark.parametrize("seed", range(6))
def test_sixty_who_connect_within_twenty_seconds_stand_in_teams_three_after_the_last(
    room_of: Callable[..., Room], seed: int
) -> None:
    """What the console takes is enough for them: those who wait for it are put into teams together."""
    room = room_of(seed, policy=Policy(bots=False))
    server, begun = room.server, 0.0
    for n in range(2):
        server.join(f"person {n}")
    room.run(15.0)
    for n in range(2, 60):
        server.join(f"person {n}")
        room.run(20.0 / 58)

    def all_stand() -> bool:
        nonlocal begun
        if not begun and all(each.begun for each in server.clients.values()):
            begun = room.now
        return all(each.team is not None for each in server.clients.values())

    assert room.run(30.0, all_stand)
    assert room.now - begun <= 3.0
    teams = [each.team for each in server.clients.values()]
    assert teams.count(0) == teams.count(1) == 30


@pytest.mark.parametrize("seed", range(10))
def test_who_takes_the_slot_of_a_bot_is_not_kicked_in_its_place(
    room_of: Callable[..., Room], seed: int
) -> None:
    """Orders to go are sent again and again, and arrive late; the slot has somebody else by then."""
    room = room_of(seed, loss=0.2, delay=0.9)
    for n in range(2):
        room.server.join(f"person {n}")
    for _ in range(2):
        assert room.run(120.0, room.settled)
        for n in range(2, TARGET):
            room.server.join(f"person {n}")
            room.run(room.rng.random())
        assert room.run(120.0, room.settled)
        assert room.server.kicked == []
        assert len(room.server.people()) == TARGET
        for n in range(2, TARGET):
            room.server.leave(f"person {n}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_whatever_happens_at_whatever_time_no_order_makes_too_many(
    room_of: Callable[..., Room], seed: int
) -> None:
    """People, levels, restarts and crashes of either side, while packets are lost, late and in disorder."""
    rng = random.Random(seed)  # noqa: S311 -- no secret
    room = room_of(
        seed, frame=rng.choice([0.05, 0.1, 0.4]), loss=rng.choice([0.0, 0.2, 0.5]),
        delay=rng.choice([0.0, 0.2, 0.45]),
    )  # fmt: skip
    server = room.server
    for n in range(rng.randrange(3, 8)):
        server.join(f"person {n}")
    number = 10
    for _ in range(14):
        room.run(rng.choice([0.3, 1.0, 2.5, 6.0, 15.0]))
        kind = rng.choice(["join", "leave", "restart", "level", "crash", "kill", "hang"])
        if kind == "join" and len(server.people()) < TARGET:
            number += 1
            server.join(f"person {number}")
        elif kind == "leave" and len(server.people()) > 2:
            server.leave(rng.choice(server.people()))
        elif kind == "restart":
            server.restart()
        elif kind == "level":
            server.level()
        elif kind == "crash":
            people = server.people()
            server.begin()
            for name in people:
                server.join(name)
        elif kind == "kill":
            room.close()
            room.open()
        elif kind == "hang":
            server.hang(rng.random() * 4.0)
    assert room.run(180.0, room.settled)
    assert too_many(room) == []
    assert server.kicked == []
