"""How soon a late joiner is placed: ``python -m benchmarks placements`` measures it, for ``PLACEMENTS.md``.

An OpenArena server at normal speed with four players (bots of the server that count as players), balanced as
``equipoise live`` does it.  A fifth comes into the one team or the other by turns, in the middle of the game;
measured is the time from the line of the log that says so until the server's own list has them in the team
that was chosen for them.  A bot that is in the other one is moved as such a server can: it is kicked and
added.  The next one comes ten seconds after everything is at rest, as the console takes ten packets at once
and then one a second.  ``--report`` only writes the page anew, ``--check`` tells whether it is stale.
"""

from __future__ import annotations

import os
import select
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.games.openarena import OpenArena, openarena
from benchmarks.reporting import PAGES, RAW, run

from equipoise.archive.archive import open_archive
from equipoise.games.quake3.live_server import PLAYERS, seen
from equipoise.play.live.session import PLAYING
from equipoise.play.live.state import Policy
from equipoise.service.live_server import BalancedServer
from equipoise.service.live_settings import Playing

#: How often somebody comes late, and what is promised, seconds.
TIMES, PROMISED = 20, 2.0

CHARACTERS = {"p0": "Sarge", "p1": "Grism", "p2": "Kyonshi", "p3": "Major", "late": "Liz"}
SKILLS = {"p0": 5, "p1": 4, "p2": 2, "p3": 1, "late": 3}

#: Seconds between two of them.
REST = 10.0

#: Seconds after which a step is given up.
PATIENCE = 120.0


class Table:
    """A server, and the program that balances it."""

    def __init__(self, server: OpenArena, game: BalancedServer) -> None:
        self.server, self.game = server, game

    def until(self, holds: Callable[[], bool]) -> None:
        """Let the program run until something holds."""
        end = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < end, self.game.session.as_dict()
            self.game.step(time.monotonic())
            select.select([self.game.fileno()], [], [], 0.02)

    def add(self, name: str, colour: str) -> None:
        """Let a bot come that counts as a player."""
        self.server.type(f"addbot {CHARACTERS[name]} {SKILLS[name]} {colour} 0 {name}")

    def real(self) -> dict[int, int | None]:
        """Return everyone's team as the server says on its own console, the program running on."""
        output = self.server.folder / "output"
        before = output.stat().st_size
        self.server.type(PLAYERS)
        found = None
        while found is None:
            self.game.step(time.monotonic())
            select.select([self.game.fileno()], [], [], 0.01)
            reported = output.read_bytes()[before:].decode("latin-1")
            found = seen(reported[reported.rfind("!listplayers:") :]) if "!listplayers:" in reported else None
        return dict(found.teams)

    def as_chosen(self) -> bool:
        """Whether everyone is where they are to be, and the server agrees."""
        session = self.game.session
        return session.phase == PLAYING and session.settled and self._agrees(None)

    def placed(self, name: str) -> bool:
        """Whether somebody is where they are to be, and the server agrees."""
        return self._agrees(name)

    def _agrees(self, name: str | None) -> bool:
        state = self.game.session.state
        seats = [seat for seat in state.people() if name is None or seat.name == name]
        if not seats or any(seat.id not in state.plan for seat in seats):
            return False
        real = self.real()
        return all(real.get(seat.slot) == state.plan.get(seat.id) for seat in seats)

    def entered(self, since: int) -> bool:
        """Whether the log, from a place on, says that somebody who counts as a player has come."""
        return rb"n\late\t" in self.server.log.read_bytes()[since:]


def measure(times: int = TIMES) -> dict[str, Any]:
    """Let somebody come late so often."""
    rows = []
    with (
        tempfile.TemporaryDirectory() as name,
        openarena(Path(name), fraglimit="1000", timelimit="0") as server,
        open_archive(f"sqlite:///{name}/a.db", create=True) as archive,
    ):
        settings = Playing(
            str(server.log), f"127.0.0.1:{server.port}", server.password,
            policy=Policy(target=4), players=CHARACTERS, maps={"oa_dm5": (4, 8)},
        )  # fmt: skip
        table = Table(server, BalancedServer(archive, settings, lambda _: None))
        for n in range(4):
            table.add(f"p{n}", "red")
        table.until(lambda: len(list(table.game.session.state.people())) == 4)
        server.type("map_restart 0")
        table.until(table.as_chosen)
        for n in range(times):
            rows.append(_come_and_go(table, ("red", "blue")[n % 2]))
            print(rows[-1], file=sys.stderr)
        table.game.close()
    return {"cores": os.cpu_count(), "rows": rows}


def _come_and_go(table: Table, colour: str) -> dict[str, Any]:
    """Let somebody come and go again; return how long it took until they were placed."""
    session, place = table.game.session, table.server.log.stat().st_size
    table.add("late", colour)
    table.until(lambda: table.entered(place))
    began = time.monotonic()
    table.until(lambda: table.placed("late"))
    took = time.monotonic() - began
    seat = next(seat for seat in session.state.people() if seat.name == "late")
    moved = ("red", "blue")[session.state.plan[seat.id]] != colour
    table.until(table.as_chosen)
    table.server.type("kick late")
    table.until(lambda: len(list(session.state.people())) == 4 and table.as_chosen())
    rest = time.monotonic() + REST
    table.until(lambda: time.monotonic() > rest)
    return {"seconds": round(took, 2), "moved": moved}


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    lines = [
        "# Late joiners on a real server", "",
        "`python -m benchmarks placements` measured and wrote this; do not edit.",
        "An OpenArena server at normal speed, balanced by what `equipoise live` runs, on a machine with",
        f"{results['cores']} cores that did other things too.",
        "A fifth player comes in mid game, ten seconds after the last change; times are from the line of the",
        "log that says so until the server's own list has them in the team that was chosen.",
        f"Promised are {PROMISED:g} s.", "",
        "| came into | times | median | longest |", "|---|---|---|---|",
    ]  # fmt: skip
    for moved, words in ((False, "the team that was chosen"), (True, "the other one: kicked and added")):
        seconds = [row["seconds"] for row in results["rows"] if row["moved"] is moved]
        if seconds:
            reported = f"{statistics.median(seconds):.2f} s | {max(seconds):.2f} s"
            lines.append(f"| {words} | {len(seconds)} | {reported} |")
    return "\n".join([*lines, ""])


def main() -> int:
    """Do what the command line says."""
    return run(__doc__, RAW / "placements.json", PAGES / "PLACEMENTS.md", measure, report)
