"""``equipoise live`` and a console: what is sent over UDP to a Nexuiz server that is only a fake one."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.games.fake_console import FakeConsole

from equipoise.archive.archive import open_archive
from equipoise.games.rcon import DARKPLACES, QUAKE3
from equipoise.play.live.state import Policy
from equipoise.service.live_server import BalancedServer
from equipoise.service.live_settings import Playing

LEVEL = ":gamestart:tdm_aggressor:{}.0.5\n:gameinfo:mutators:LIST\n:gameinfo:end\n"
PEOPLE = "".join(f":join:{n}:{n + 2}:10.0.0.{n}:p{n}\n:team:{n}:5\n" for n in (1, 2, 3, 4))
RESULT = ":scores:x:60\n:teamscores:see-labels:9,0:5\n:teamscores:see-labels:7,0:14\n:end\n:gameover\n"


class Fake:
    """A server that does nothing of what it is told, a log, and the program between them."""

    def __init__(
        self, folder: Path, typed: str = "secret", game: str = "nexuiz", answers: bool = True
    ) -> None:
        self.done: list[str] = []
        self.reported: list[str] = []
        self.answers = answers
        self.link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.link.bind(("127.0.0.1", 0))
        self.link.setblocking(False)
        self.console = FakeConsole(
            "secret", self._carry_out, DARKPLACES if game == "nexuiz" else QUAKE3, limited=False
        )
        self.log = folder / "nexuiz.log"
        self.archive = open_archive(f"sqlite:///{folder / 'a.db'}", create=True)
        settings = Playing(
            str(self.log), f"127.0.0.1:{self.link.getsockname()[1]}", typed,
            policy=Policy(target=6), game=game,
        )  # fmt: skip
        self.game = BalancedServer(self.archive, settings, self.reported.append)
        self.now = 0.0

    def _carry_out(self, line: str) -> str:
        self.done.append(line)
        return ""

    def write(self, text: str) -> list[str]:
        """Let the log grow; return what the server is told until nothing more is."""
        self.done.clear()
        self.console.variables.clear()
        with self.log.open("a", encoding="ascii") as log:
            log.write(text)
        for _ in range(60):
            self.now += 0.06
            self.game.step(self.now)
            while select.select([self.link], [], [], 0.002)[0]:
                packet, address = self.link.recvfrom(65536)
                for answer in self.console.receive(packet, self.now) if self.answers else ():
                    self.link.sendto(answer, address)
        return list(self.done)

    def close(self) -> None:
        """End it."""
        self.game.close()
        self.archive.close()
        self.link.close()


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[Fake]:
    """Give a fake server."""
    given = Fake(tmp_path)
    yield given
    given.close()


def test_teams_are_applied_when_a_game_begins_and_settings_at_every_level(fake: Fake) -> None:
    """A server that was begun again knows nothing of what the last one was told."""
    fake.write("")
    for level in range(2):
        done = fake.write(LEVEL.format(level) + PEOPLE + ":kill:frag:1:2:type=1\n")
        moves = [line for line in done if line.startswith("sv_cmd movetoteam")]
        assert len(moves) == 2
        assert all(line.endswith(" blue") for line in moves)
        assert fake.console.variables["bot_join_empty"] == "1"
        assert fake.console.variables["minplayers"] == "6"
        moved = "".join(f":team:{int(line.split()[2]) - 2}:14\n" for line in moves)
        fake.write(moved + ":kill:frag:3:1:type=1\n" + RESULT)
        assert fake.archive.count() == level + 1
    assert "sv_cmd teamstatus" in done


def test_a_message_that_was_announced_and_not_sent_is_reported(fake: Fake) -> None:
    """A level begins while orders of the one before still wait for a server that answers no longer."""
    fake.write("")
    fake.write(LEVEL.format(0) + PEOPLE + ":kill:frag:1:2:type=1\n")
    before, fake.answers = len(fake.reported), False
    for level in range(5):
        fake.write(LEVEL.format(level + 1) + PEOPLE + ":kill:frag:1:2:type=1\n")
    assert any("was not sent" in text for text in fake.reported[before:]), fake.reported


GAME = "  0:00 InitGame: \\gamename\\baseoa\\g_gametype\\3\\mapname\\oa_dm5\n" + "".join(
    f"  0:01 ClientUserinfoChanged: {n} n\\p{n}\\t\\1\\id\\{n:032X}\n  0:01 ClientBegin: {n}\n"
    for n in range(4)
)


@pytest.mark.parametrize(
    ("password", "answers", "trouble"),
    [("wrong", True, "refuses the password"), ("secret", False, "does not answer"),
     ("secret", True, "does not answer '!list")],
)  # fmt: skip
def test_what_is_wrong_with_a_console_is_said_once_and_nothing_is_ordered(
    tmp_path: Path, password: str, answers: bool, trouble: str
) -> None:
    """A wrong password, a dead console, a game without the command for the list."""
    fake = Fake(tmp_path, password, "openarena", answers)
    try:
        for n in range(8):
            fake.write(GAME if not n else "")
        said = [text for text in fake.reported if trouble in text]
        assert len(said) == 1
        assert said[0].endswith("nothing is ordered until then")
        orders = ("addbot", "forceteam", "clientkick")
        assert not [line for line in fake.done if line.startswith(orders)]
        assert "eq_orders" not in str([text for text in fake.console.variables.values() if "addbot" in text])
    finally:
        fake.close()
