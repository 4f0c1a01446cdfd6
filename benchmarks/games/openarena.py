"""An OpenArena server of our own, on loopback and sped up: bots in teams as asked, games as they ended.

Game time is tied to frames (``fixedtime``): every frame of a sped-up server is 50 ms of game time, in which
bots think once and physics run once, as on a server at normal speed.  So a machine that is busy slows games
down and changes nothing in them; with ``timescale`` alone a frame that comes late would be several frames of
physics in which no bot thinks.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.games.quake3_client import own_address
from benchmarks.ports import free_port

from equipoise.core.match import Match
from equipoise.games.log_reader import Parsed
from equipoise.games.quake3.reader import GAME
from equipoise.games.rcon import OUT_OF_BAND, QUAKE3, Dialect
from equipoise.play.live.events import AddBot
from equipoise.play.live.session import in_turn

#: Where servers listen.
LOOPBACK = "127.0.0.1"

#: Where Debian puts it.
PROGRAM = shutil.which("openarena-server") or "/usr/games/openarena-server"

#: Characters that are unlike each other, for up to 16 bots.
CHARACTERS = (
    "Sarge", "Grism", "Kyonshi", "Major", "Gargoyle", "Liz", "Merman", "Sergei", "Sorceress", "Tony",
    "Angelyss", "Ayumi", "Beret", "Penguin", "Rai", "S_Marine",
)  # fmt: skip

#: Seconds after which a game that does not end is given up.
PATIENCE = 300.0

#: Frames of a second of a server at normal speed, and the milliseconds of each.
FRAMES, FRAME = 20, 50

SETTINGS = {
    "g_gametype": "3", "g_log": "games.log", "g_logsync": "1", "timelimit": "10", "fraglimit": "20",
    "g_doWarmup": "0", "bot_enable": "1", "bot_nochat": "1", "bot_minplayers": "0", "sv_pure": "0",
    "sv_maxclients": "24", "nextmap": "map_restart 0", "sv_hostname": "equipoise",
}  # fmt: skip


def installed() -> bool:
    """Tell whether there is a server."""
    return Path(PROGRAM).exists()


@dataclass(frozen=True, slots=True)
class Bot:
    """A bot as it is added."""

    name: str
    character: str
    skill: float

    @property
    def id(self) -> str:
        """What logs know it by."""
        return f"bot:{self.name}:{self.skill:g}"


@dataclass
class OpenArena:
    """A server that runs; see :func:`openarena`."""

    folder: Path
    port: int
    password: str = "loopback-only"  # noqa: S105 -- a server of our own, on loopback
    speed: int = 1
    settings: dict[str, str] = field(default_factory=dict)
    level: str = "oa_dm5"
    process: subprocess.Popen[bytes] | None = None
    _read: int = 0

    @property
    def log(self) -> Path:
        """The log of its games."""
        return self.folder / "baseoa" / "games.log"

    def start(self) -> None:
        """Begin it, and wait until it answers."""
        (self.folder / "baseoa").mkdir(parents=True, exist_ok=True)
        settings = {**SETTINGS, "rconPassword": self.password, **self.settings}
        lines = [f'set {name} "{value}"' for name, value in settings.items()]
        config = self.folder / "baseoa" / "test.cfg"
        config.write_text("\n".join([*lines, f"devmap {self.level}", ""]), encoding="ascii")
        where = {"dedicated": "1", "net_ip": "127.0.0.1", "net_port": str(self.port), "net_enabled": "1",
                 "fs_homepath": str(self.folder), "ttycon": "0", "com_ansiColor": "0"}  # fmt: skip
        command = [
            PROGRAM,
            *(word for name, value in where.items() for word in ("+set", name, value)),
        ]
        output = (self.folder / "output").open("ab")
        self.process = subprocess.Popen(
            [*command, "+exec", "test.cfg"],
            stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT
        )  # fmt: skip
        output.close()
        self._until_it_answers()
        if self.speed != 1:
            self.type(f"set sv_fps {FRAMES * self.speed}; set timescale {self.speed}; set fixedtime {FRAME}")

    def type(self, *lines: str) -> None:
        """Write lines to the server's own console."""
        assert self.process is not None
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode("ascii"))
        self.process.stdin.flush()

    def kill(self) -> None:
        """End it without asking."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            if self.process.stdin is not None:
                self.process.stdin.close()
            self.process = None

    def ask(self, command: str, seconds: float = 1.0) -> str:
        """Ask the remote console once, without regard to its limits; empty where nothing comes."""
        return ask_console(self.port, self.password, command, QUAKE3, seconds)

    def new(self) -> bytes:
        """Return what the log has got since this was last asked."""
        if not self.log.exists():
            return b""
        with self.log.open("rb") as log:
            log.seek(self._read)
            content = log.read()
        self._read += len(content)
        return content

    def _until_it_answers(self) -> None:
        for _ in range(300):
            if "map:" in self.ask("status", 0.2):
                return
            time.sleep(0.1)
        msg = "the server does not answer"
        raise RuntimeError(msg)


@contextmanager
def openarena(folder: Path, *, speed: int = 1, **settings: str) -> Iterator[OpenArena]:
    """Give a server that runs in a folder."""
    server = OpenArena(folder, free_port(), speed=speed, settings=settings)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def in_turns(first: int, *sizes: int) -> tuple[int, ...]:
    """Return the teams of bots in the order in which live balance adds them: neither team is ahead.

    Examples
    --------
    >>> in_turns(1, 4, 3)
    (1, 0, 0, 1, 0, 1, 0)
    """
    return tuple(bot.team for bot in in_turn([[AddBot(n)] * size for n, size in enumerate(sizes)], first))


def play(
    server: OpenArena, teams: Sequence[Sequence[Bot]], turns: Sequence[int | None] = (), *before: str
) -> Match | None:
    """Let bots play a game in these teams; None where it did not begin so, or did not end in time.

    All are added first, and the level is begun anew with them, so that nobody comes late.  The commands are a
    file, since the console cuts what comes in at once after 256 bytes.

    Parameters
    ----------
    server : OpenArena
        A server that runs.
    teams : two sequences of Bot
        Red and blue.
    turns : sequence of int or None, optional
        The team of each bot in the order they are added, as :func:`in_turns` where none are given; None keeps
        a place on the server free for one of the last.
    before : str
        Commands before anybody is added.
    """
    turns = turns or in_turns(0, *map(len, teams))
    waiting = [iter(team) for team in teams]
    held = [n for n, team in enumerate(turns) if team is None]
    adds = []
    for n, team in enumerate(turns):
        if held and n == len(turns) - len(held):
            adds += [f"kick held{place}" for place in held]
        if team is None:
            adds.append(f"addbot {CHARACTERS[n]} 1 spectator 0 held{n}")
        else:
            bot = next(waiting[team])
            adds.append(f"addbot {bot.character} {bot.skill:g} {('red', 'blue')[team]} 0 {bot.name}")
    lines = ["kickbots", "wait 30", *before, *(word for add in adds for word in (add, "wait 6")), "wait 30"]
    (server.folder / "baseoa" / "game.cfg").write_text(
        "\n".join([*lines, "map_restart 0", ""]), encoding="ascii"
    )
    reader = GAME.reader("log")
    server.new()
    server.type("exec game.cfg")
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found: list[Parsed] = list(reader.read(server.new()))
        for one in found:
            if isinstance(one, Match):
                return one if _as_asked(one, teams) else None
        time.sleep(0.02)
    return None


def _as_asked(match: Match, teams: Sequence[Sequence[Bot]]) -> bool:
    """Tell whether a match was played by those who were asked to, in their teams."""
    found = [{player for player, _ in team} for team in match.contests[-1].teams]
    return found == [{bot.id for bot in team} for team in teams]


def ask_console(port: int, password: str, command: str, dialect: Dialect, seconds: float) -> str:
    """Ask once, without regard to the console's limits; empty where nothing comes."""
    with own_address() as link:
        link.settimeout(seconds)
        link.sendto(OUT_OF_BAND + f"rcon {password} {command}".encode(), (LOOPBACK, port))
        text = b""
        try:
            while True:
                text += link.recv(65536).removeprefix(OUT_OF_BAND + dialect.prefix)
                link.settimeout(0.1)
        except (TimeoutError, ConnectionError):
            return text.decode("latin-1")
