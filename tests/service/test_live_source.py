"""``equipoise live`` on Source games: a console of a package that is not ours, a game made from logs."""

from __future__ import annotations

import re
import select
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import rconx
from benchmarks.ports import free_port

from equipoise.archive.archive import open_archive
from equipoise.errors import InputError
from equipoise.games.halflife.live_server import (
    COUNTER_STRIKE_2,
    TEAM_FORTRESS,
    SourceLog,
    checked_move,
)
from equipoise.play.live.events import Changed, Chatted, Died, Joined, Left, Seen, Spawned, Started, Swapped
from equipoise.play.live.state import Policy
from equipoise.service.live_server import BalancedServer
from equipoise.service.live_settings import Playing, server_of

STAMP = "L 01/31/2026 - 20:15:00: "
PASSWORD = "loopback"  # noqa: S105 -- of servers on loopback


class SourceServer:
    """A game of Red and Blue behind a console that is not ours, its log, and the program between them.

    Parameters
    ----------
    folder : Path
        For the log and the archive.
    plugin : bool
        Whether the server has a command that moves people.
    policy : Policy, optional
        What the admin wants.
    typed : str
        The password that the program knows.
    """

    def __init__(
        self, folder: Path, *, plugin: bool = True, policy: Policy | None = None, typed: str = PASSWORD
    ) -> None:
        self.log = folder / "tf2.log"
        self.plugin = plugin
        self.teams: dict[int, str] = {}
        self.alive: set[int] = set()
        self.done: list[str] = []
        self.suicides: list[int] = []
        self.reported: list[str] = []
        self._lock = threading.Lock()
        self.port = free_port()
        self.start()
        self.archive = open_archive(f"sqlite:///{folder / 'a.db'}", create=True)
        self.log.write_text("", encoding="ascii")
        settings = Playing(
            str(self.log), f"127.0.0.1:{self.port}", typed, policy=policy or Policy(), game="tf2"
        )
        self.game = BalancedServer(self.archive, settings, self.reported.append)
        self.now = 0.0

    def start(self) -> None:
        """Begin the console."""
        self._server = rconx.RconServer(
            "127.0.0.1", self.port, authentication=PASSWORD, command_handler=self._carry_out
        )
        started = threading.Event()
        self._thread = threading.Thread(target=self._server.serve, kwargs={"on_started": started.set})
        self._thread.start()
        assert started.wait(10.0)

    def stop(self) -> None:
        """End the console."""
        self._server.shutdown()
        self._thread.join(10.0)

    def who(self, slot: int) -> str:
        """Return somebody as the log has them."""
        return f'"p{slot}<{slot}><[U:1:{slot}]><{self.teams.get(slot, "Unassigned")}>"'

    def write(self, *lines: str) -> None:
        """Let the log grow."""
        with self.log.open("a", encoding="ascii") as log:
            log.write("".join(f"{STAMP}{line}\n" for line in lines))

    def join(self, slot: int, team: str) -> None:
        """Let somebody come, into a team, alive."""
        self.write(f'{self.who(slot)} connected, address "0.0.0.0:1"', f"{self.who(slot)} entered the game")
        self.put(slot, team)
        self.spawn(slot)

    def put(self, slot: int, team: str) -> None:
        """Let somebody be in a team; who was alive dies."""
        self.write(f'{self.who(slot)} joined team "{team}"')
        self.teams[slot] = team
        if slot in self.alive:
            self.write(f'{self.who(slot)} committed suicide with "world"')
            self.suicides.append(slot)
        self.alive.discard(slot)

    def spawn(self, *slots: int) -> None:
        """Let people come to life."""
        self.alive |= set(slots)
        self.write(*(f'{self.who(slot)} spawned as "soldier"' for slot in slots))

    def die(self, slot: int, by: int) -> None:
        """Let somebody be killed."""
        self.alive.discard(slot)
        self.write(f'{self.who(by)} killed {self.who(slot)} with "scattergun"')

    def _carry_out(self, content: Any, _: Any) -> str:
        line = content.text
        with self._lock:
            self.done.append(line)
            if line == "status":
                rows = [
                    f'#  {slot:5} "p{slot}" [U:1:{slot}] 00:32 70 0 active 0.0.0.0:1' for slot in self.teams
                ]
                return "\n".join(["hostname: a server", "players : some", *rows, ""])
            moved = re.fullmatch(r"sm_setteam #(\d+) (red|blue)", line)
            if moved is None:
                return ""
            if not self.plugin:
                return 'Unknown command "sm_setteam"\n'
            self.put(int(moved[1]), moved[2].capitalize())
            return ""

    def step(self, seconds: float, until: Callable[[], bool] = bool) -> list[str]:
        """Let time pass in steps; return what the server was told."""
        before = len(self.done)
        end = self.now + seconds
        while self.now < end and not until():
            self.now += 0.05
            self.game.step(self.now)
            select.select([self.game.fileno()] if self.game.fileno() >= 0 else [], [], [], 0.005)
        return [line for line in self.done[before:] if line not in ("status", "")]

    def moves(self) -> list[str]:
        """Return the orders to move somebody."""
        return [line for line in self.done if line.startswith("sm_setteam")]

    def close(self) -> None:
        """End it."""
        self.game.close()
        self.archive.close()
        self.stop()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SourceServer]:
    """Give a server with the plug-in, and three against one who play."""
    given = SourceServer(tmp_path)
    begin(given)
    yield given
    given.close()


def begin(server: SourceServer) -> None:
    """Let four come, three of them into one team, and a game begin."""
    server.write('Loading map "cp_badlands"', 'Started map "cp_badlands" (CRC "1")')
    for slot, team in ((2, "Red"), (3, "Red"), (4, "Red"), (5, "Blue")):
        server.join(slot, team)
    server.step(10.0)
    server.write('World triggered "Round_Start"')
    server.spawn(2, 3, 4, 5)
    server.step(3.0)


def test_nobody_is_moved_while_alive_and_the_next_who_dies_is(server: SourceServer) -> None:
    """Three against one: whoever of them dies first and is to be moved is, before they are spawned again."""
    assert any(line.startswith("say Teams: Red 2, Blue 2") for line in server.done)
    assert not server.moves()
    for slot in (2, 3, 4):
        server.die(slot, 5)
        server.step(3.0)
        server.spawn(slot)
        server.step(1.0)
    assert len(server.moves()) == 1
    assert server.suicides == []
    assert sorted(server.teams.values()) == ["Blue", "Blue", "Red", "Red"]
    assert server.game.session.settled


def test_between_rounds_people_are_moved(server: SourceServer) -> None:
    """After a round nobody loses anything."""
    server.write('World triggered "Round_Win" (winner "Red")')
    server.step(2.0)
    assert len(server.moves()) == 1


def test_where_the_admin_says_so_people_are_moved_at_once(tmp_path: Path) -> None:
    """``--move-alive``."""
    server = SourceServer(tmp_path, policy=Policy(move_alive=True))
    try:
        begin(server)
        assert len(server.moves()) == 1
        assert len(server.suicides) == 1
    finally:
        server.close()


def test_who_comes_late_is_placed_within_two_seconds(server: SourceServer) -> None:
    """Alive or not: they have lost nothing yet."""
    server.die(2, 5), server.die(3, 5), server.die(4, 5)
    server.step(3.0)
    assert server.game.session.settled
    server.join(6, "Red")
    server.step(2.0)
    teams = list(server.teams.values())
    server.join(7, max(("Red", "Blue"), key=teams.count))
    began = server.now
    server.step(5.0, lambda: list(server.teams.values()).count("Red") == 3)
    assert server.now - began < 2.0
    assert list(server.teams.values()).count("Blue") == 3


def test_what_the_server_cannot_do_is_suggested_in_the_chat_once(tmp_path: Path) -> None:
    """Without the plug-in: one try, one line about it, one suggestion by name; another map is another try."""
    server = SourceServer(tmp_path, plugin=False)
    try:
        begin(server)
        server.write('World triggered "Round_Win" (winner "Red")')
        said = server.step(20.0)
        assert len(server.moves()) == 1
        assert sum("moves are suggested in the chat" in line for line in server.reported) == 1
        suggested = [line for line in said if line.startswith("say For even teams: p")]
        assert len(suggested) == 1
        slot = int(re.findall(r"p(\d)", suggested[0])[0])
        assert server.teams[slot] == "Red"
        server.put(slot, "Blue")
        server.step(3.0)
        assert server.game.session.settled
        server.write('Loading map "cp_granary"')
        server.alive.clear()
        for each in (2, 3, 4, 5):
            server.join(each, "Red")
        server.write('World triggered "Round_Start"')
        server.step(3.0)
        for each in (2, 3, 4):
            server.die(each, 5)
        server.step(5.0)
        assert len(server.moves()) > 1
    finally:
        server.close()


def test_teams_that_change_sides_are_followed_and_not_moved_back(server: SourceServer) -> None:
    """A stopwatch half: everybody changes colour at once."""
    server.write('World triggered "Round_Win" (winner "Red")')
    server.step(8.0)
    before = dict(server.teams)
    count = len(server.moves())
    server.alive.clear()
    lines = []
    for slot, team in before.items():
        other = "Blue" if team == "Red" else "Red"
        lines.append(f'{server.who(slot)} joined team "{other}"')
        server.teams[slot] = other
    server.write(*lines)
    server.step(8.0)
    assert len(server.moves()) == count
    assert server.game.session.settled


def test_a_server_that_is_begun_again_is_spoken_to_again(server: SourceServer) -> None:
    """What it does not answer is said once, and that it answers again too; then who dies is moved."""
    server.stop()
    server.step(20.0)
    assert sum("does not answer" in line for line in server.reported) == 1
    before = len(server.moves())
    server.start()
    server.step(40.0, lambda: any(line.endswith(" answers") for line in server.reported))
    for slot in (2, 3, 4):
        server.die(slot, 5)
    server.step(5.0)
    assert len(server.moves()) == before + 1


def test_a_refused_password_is_said_once_and_nothing_is_ordered(tmp_path: Path) -> None:
    """It is not tried again and again, as servers ban who does."""
    server = SourceServer(tmp_path, typed="wrong")
    try:
        begin(server)
        server.step(20.0)
        assert sum("refuses the password" in line for line in server.reported) == 1
        assert server.done == []
    finally:
        server.close()


def test_the_chat_is_answered_after_a_name_that_is_plain(server: SourceServer) -> None:
    """There is no private message; a name holds nothing that a console reads."""
    server.write('"; quit;<3><[U:1:3]><Red>" changed name to "; quit;"')
    server.write('"; quit;<3><[U:1:3]><Red>" say "!teams"')
    said = server.step(2.0)
    assert any(line.startswith("say quit: Red 2, Blue 2. Chances") for line in said)
    assert not any(";" in line for line in server.done)


# The log


def log_of(game: Any = TEAM_FORTRESS) -> SourceLog:
    """Return what reads a log."""
    log: SourceLog = game.log({}, {})
    return log


def lines(*texts: str) -> bytes:
    """Return lines of a log."""
    return "".join(f"{STAMP}{text}\n" for text in texts).encode()


def test_counter_strikes_half_time_is_a_swap() -> None:
    """Ten lines, as its log has them."""
    log = log_of(COUNTER_STRIKE_2)
    people = [f'"p{n}<{n}><[U:1:{n}]><{"CT" if n % 2 else "TERRORIST"}>" picked up "ak47"' for n in range(10)]
    assert [event.team for event in log.read(lines(*people)) if isinstance(event, Joined)] == [0, 1] * 5
    switched = [
        f'"p{n}<{n}><[U:1:{n}]>" switched from team <{a}> to <{b}>'
        for n in range(10)
        for a, b in [("CT", "TERRORIST") if n % 2 else ("TERRORIST", "CT")]
    ]
    assert log.read(lines(*switched)) == [Swapped()]
    back = log_of(COUNTER_STRIKE_2)
    back.read(lines(*people))
    assert [type(event) for event in back.read(lines(*switched[:9]))] == [Changed] * 9


def test_deaths_rounds_and_chat_are_read() -> None:
    """Who is dead, who is there again, and when nobody loses anything."""
    log = log_of()
    log.read(lines('"a<2><[U:1:2]><Red>" spawned as "scout"', '"b<3><[U:1:3]><Blue>" spawned as "scout"'))
    assert log.read(lines('World triggered "Round_Start"'))[-1] == Started()
    kill = '"a<2><[U:1:2]><Red>" killed "b<3><[U:1:3]><Blue>" with "gun"'
    assert log.read(lines(kill)) == [Died(3)]
    assert log.read(lines(f'{kill} (customkill "feign_death")')) == []
    assert log.read(lines('"b<3><[U:1:3]><Blue>" spawned as "spy"')) == [Spawned(3)]
    assert log.read(lines('"b<3><[U:1:3]><Blue>" say_team "!why"')) == [Chatted(3, "!why")]
    assert [type(event) for event in log.read(lines('World triggered "Round_Win" (winner "Red")'))] == [
        Died
    ] * 2
    assert log.read(lines('"b<3><[U:1:3]><Blue>" disconnected (reason "x")')) == [Left(3)]


@pytest.mark.parametrize(
    ("answer", "there"),
    [
        ('hostname: x\nplayers : 2\n#      2 "a" [U:1:2] 00:32 70 0 active 0.0.0.0:1\n', {2: 0}),
        ("hostname: x\nplayers : 2\n    3      00:13   17    0     active 786432 0.0.0.0:1 'b'\n", {3: 1}),
        ("hostname: x\nplayers : 0 humans\n", {2: 0, 3: 1}),
        ("Unknown command", None),
    ],
    ids=["tf2", "cs2", "a list that cannot be read", "no list"],
)
def test_the_list_says_who_is_still_there(answer: str, there: dict[int, int] | None) -> None:
    """Teams are the log's; where rows are of another form the log is believed about all."""
    log = log_of()
    log.read(lines('"a<2><[U:1:2]><Red>" spawned as "scout"', '"b<3><[U:1:3]><Blue>" spawned as "scout"'))
    assert log.answered("status", answer) == (None if there is None else Seen(there))


@pytest.mark.parametrize(
    "move", ["", "sm_setteam {slot}", "x {slot} {team};quit", "{slot} {team} {name}", "{"]
)
def test_a_command_that_cannot_move_anybody_is_refused(move: str) -> None:
    """It has both places, and plain signs."""
    with pytest.raises(InputError, match="move"):
        checked_move(move)


def test_settings_that_do_not_apply_are_refused(tmp_path: Path) -> None:
    """No bots are added on Source servers, and OpenArena moves people by itself."""
    log = {"log": str(tmp_path / "log")}
    for given, what in (
        ({"game": "tf2", "target": 8}, "target"), ({"game": "cs2", "levers": True}, "levers"),
        ({"game": "openarena", "move": "forceteam {slot} {team}"}, "move"), ({"game": "tf3"}, "game"),
        ({"game": "tf2", "move": "nonsense"}, "move"),
    ):  # fmt: skip
        with pytest.raises(InputError) as failure:
            server_of({**log, **given})
        assert failure.value.argument == what
    assert server_of({**log, "game": "csgo"}).family().moves is False
    assert server_of({**log, "game": "csgo", "move": "sm_team #{slot} {team}"}).family().moves
