"""Twenty games on a real Nexuiz server, balanced while they run: ``python -m benchmarks nexuiz`` plays them.

The server (Debian's ``nexuiz-server``, from ``scripts/install-test-servers --nexuiz``) runs five times as
fast as usual, with a list of bots of our own: eight of several skills, which count as players, and four that
fill up.  The server itself picks which of them play; there are eight in each game.  Half of the games are
played with the mutator ``minstagib``.  The loop of ``equipoise live`` chooses the teams and applies them by
the console.  Three things are compared for every game: the teams that were chosen, those of the server's own
``teamstatus`` once they are applied, and those of the match that the archive has in the end.

It writes ``NEXUIZ.md``; ``--report`` only writes the page, ``--check`` tells whether it is stale.
"""

from __future__ import annotations

import select
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.games.openarena import ask_console
from benchmarks.ports import free_port
from benchmarks.reporting import PAGES, RAW, run

from equipoise.archive.archive import Archive, open_archive
from equipoise.games.nexuiz.live_server import TEAMS, team_status
from equipoise.games.rcon import DARKPLACES
from equipoise.play.live.session import PLAYING
from equipoise.play.live.state import Policy
from equipoise.service.live_server import BalancedServer
from equipoise.service.live_settings import Playing

#: Where Debian puts it.
PROGRAM = shutil.which("nexuiz-server") or "/usr/games/nexuiz-server"

#: Games, how many there are with each set of mutators at a time, and the mutators.
GAMES, BLOCK, MUTATORS = 20, 5, ("", "minstagib")

#: Bots that count as players, by how much better than usual each is, and those that fill up.
SKILLS = {"p1": -2.0, "p2": -1.5, "p3": -1.0, "p4": -0.5, "p5": 0.5, "p6": 1.0, "p7": 1.5, "p8": 2.0}
FILLERS = ("f1", "f2", "f3", "f4")

#: How many play, and how much faster than usual.
SIZE, SPEED = 8, 5

#: Seconds of real time after which a game is given up.
PATIENCE = 240.0

SETTINGS = {
    "sv_public": "0", "net_address": "127.0.0.1", "rcon_secure": "0", "maxplayers": "16",
    "sv_eventlog": "1", "sv_eventlog_console": "1", "sv_eventlog_files": "0", "sys_colortranslation": "0",
    "g_dm": "0", "g_tdm": "1", "fraglimit_override": "30", "timelimit_override": "5", "skill": "5",
    "bot_config_file": "bots-of-tests.txt", "g_maplist": "aggressor", "g_maplist_votable": "0",
    "bot_prefix": "",
}  # fmt: skip


def installed() -> bool:
    """Tell whether there is a server."""
    return Path(PROGRAM).exists()


@dataclass
class Nexuiz:
    """A server that runs; see :func:`nexuiz`."""

    folder: Path
    port: int
    password: str = "loopback-only"  # noqa: S105 -- a server of our own, on loopback
    process: subprocess.Popen[bytes] | None = None

    @property
    def log(self) -> Path:
        """What it prints."""
        return self.folder / "output"

    def start(self) -> None:
        """Begin it, and wait until it answers."""
        data = self.folder / "data"
        data.mkdir(parents=True, exist_ok=True)
        settings = {**SETTINGS, "port": str(self.port), "rcon_password": self.password}
        lines = [f'set {name} "{value}"' for name, value in settings.items()]
        (data / "server.cfg").write_text("\n".join([*lines, "map aggressor", ""]), encoding="ascii")
        (data / "bots-of-tests.txt").write_text(bots(), encoding="ascii")
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                [PROGRAM, "-userdir", str(self.folder), "+exec", "server.cfg"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
        end = time.monotonic() + PATIENCE
        while "map:" not in self.ask("status"):
            if time.monotonic() > end:
                msg = "the server does not answer"
                raise RuntimeError(msg)
        self.ask(f"slowmo {SPEED}")

    def kill(self) -> None:
        """End it without asking."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def ask(self, command: str, seconds: float = 0.5) -> str:
        """Ask the remote console once; empty where nothing comes."""
        return ask_console(self.port, self.password, command, DARKPLACES, seconds)


def bots() -> str:
    """Return the list of bots: name, looks, no team of their own, and how good each is at everything."""
    skills = {**SKILLS, **dict.fromkeys(FILLERS, 0.0)}
    return "".join(
        "\t".join([name, "marine", "0", "0", "0", "0", *(f"{skill:g}" for _ in range(12))]) + "\n"
        for name, skill in skills.items()
    )


@contextmanager
def nexuiz(folder: Path) -> Iterator[Nexuiz]:
    """Give a server that runs in a folder."""
    server = Nexuiz(folder, free_port())
    try:
        server.start()
        yield server
    finally:
        server.kill()


class Table:
    """A server, an archive, and the program between them, step by step."""

    def __init__(self, server: Nexuiz, archive: Archive) -> None:
        self.server, self.archive = server, archive
        self.reported: list[str] = []
        settings = Playing(
            str(server.log), f"127.0.0.1:{server.port}", server.password,
            policy=Policy(target=SIZE), players=dict.fromkeys(SKILLS, "marine"), game="nexuiz",
        )  # fmt: skip
        self.game = BalancedServer(archive, settings, self.reported.append)

    def until(self, holds: Callable[[], bool]) -> None:
        """Let the program run until something holds."""
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                msg = f"not within {PATIENCE:g} s; reported: {self.reported[-20:]}; {self.game.session.state}"
                raise RuntimeError(msg)
            self.game.step(time.monotonic())
            select.select([self.game.fileno()], [], [], 0.02)

    def chosen(self) -> list[set[str]]:
        """Return who is to be in each team, bots that fill up too."""
        state = self.game.session.state
        teams: list[set[str]] = [set() for _ in TEAMS]
        for seat in state.seats.values():
            team = seat.team if seat.bot else state.plan.get(seat.id)
            if team is not None:
                teams[team].add(seat.name)
        return teams

    def play(self, mutator: str) -> dict[str, Any]:
        """Let one game be played, and the next one have a mutator; return what was chosen, seen and kept."""
        session, before = self.game.session, self.archive.count()
        self.until(lambda: session.phase == PLAYING and session.settled and sum(session.state.sizes()) > 0)
        self.server.ask(f"g_minstagib {int(mutator == 'minstagib')}", 5.0)
        chosen = self.chosen()
        moves = sum(text.startswith("move ") for text in self.reported)
        self.reported.clear()
        real: list[set[str]] = [set() for _ in TEAMS]
        for bot, team in team_status(self.server.ask("sv_cmd teamstatus", 5.0)):
            real[team].add(bot)
        ruleset = session.state.match.ruleset
        self.until(lambda: self.archive.count() > before)
        match = list(self.archive.matches())[-1]
        result = match.contests[-1]
        names = dict(match.names)
        kept = [{names[player] for player, _ in team} for team in result.teams]
        return {
            "mutators": list(ruleset.mutators), "kept_mutators": list(match.ruleset.mutators),
            "moves": moves, "scores": list(result.scores or ()),
            "chosen": [sorted(team) for team in chosen], "real": [sorted(team) for team in real],
            "kept": [sorted(team) for team in kept],
        }  # fmt: skip


def measure(games: int = GAMES, block: int = BLOCK) -> list[dict[str, Any]]:
    """Play so many games, with another set of mutators after each block."""
    rows: list[dict[str, Any]] = []
    with (
        tempfile.TemporaryDirectory() as name,
        nexuiz(Path(name)) as server,
        open_archive(f"sqlite:///{name}/a.db", create=True) as archive,
    ):
        table = Table(server, archive)
        for number in range(games):
            rows.append(table.play(MUTATORS[(number + 1) // block % len(MUTATORS)]))
            print(number + 1, rows[-1], file=sys.stderr)
        table.game.close()
    return rows


def report(rows: list[dict[str, Any]]) -> str:
    """Return the page."""
    applied = sum(row["chosen"] == row["real"] for row in rows)
    kept = sum(row["chosen"] == row["kept"] for row in rows)
    same = sum(row["mutators"] == row["kept_mutators"] for row in rows)
    lines = [
        "# Games on a real Nexuiz server", "",
        "`python -m benchmarks nexuiz` played them and wrote this; do not edit.",
        f"{len(rows)} games of {SIZE} bots, of which those called p count as players; the server picks who",
        "plays, and puts everyone into some team at the start of each game.",
        "Teams are then chosen, and applied by the server's console.", "",
        f"- The server's `teamstatus` had the teams that were chosen in {applied} of {len(rows)} games.",
        f"- The match in the archive had them in {kept} of {len(rows)}.",
        f"- The ruleset had the mutators of the game in {same} of {len(rows)}.", "",
        "| game | mutators | red | blue | moved | result | `teamstatus` | match |",
        "|---|---|---|---|---|---|---|---|",
    ]  # fmt: skip
    for number, row in enumerate(rows, start=1):
        red, blue = (" ".join(team) for team in row["chosen"])
        result = ":".join(f"{score:g}" for score in row["scores"])
        agree = ["same" if row["chosen"] == row[what] else "differs" for what in ("real", "kept")]
        mutators = ", ".join(row["mutators"]) or "none"
        lines.append(
            f"| {number} | {mutators} | {red} | {blue} | {row['moves']} | {result} | {' | '.join(agree)} |"
        )
    return "\n".join([*lines, ""])


def main() -> int:
    """Do what the command line says."""
    return run(__doc__, RAW / "nexuiz.json", PAGES / "NEXUIZ.md", measure, report)
