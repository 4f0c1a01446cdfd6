"""Minutes on a real Teeworlds server with stock clients, balanced while it runs.

``python -m benchmarks teeworlds`` plays them: Debian's server and four stock clients, each on a display of
its own, and ``equipoise live`` as people start it.  At random times somebody dies, leaves, comes back or asks
in the chat, the map changes, an admin restarts the match, and the program or the server is killed (SIGKILL)
and begun again.  What is judged stands in the server's log alone, with the times at which it was read.

It writes ``TEEWORLDS.md``; ``--minutes N`` plays longer or shorter, ``--report`` only writes the page,
``--check`` tells whether it is stale.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.play.teeworlds_server import StockClient, Teeworlds
from benchmarks.reporting import PAGES, RAW, describe, run_many

from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset

#: How long is played, how many play, and what the randomness begins with.
MINUTES, CLIENTS, SEED = 20, 4, 1

#: Seconds within which somebody who comes may be moved, and in which all is settled after a kill.
JOINING, SETTLING = 2.0, 20.0

#: Seconds by which what is read off a log may be late here.
READING = 0.1

#: What happens, how often, and seconds between two of them.
EVENTS = {"death": 8, "chat": 2, "leave": 2, "join": 5, "map": 1, "restart": 1, "kill equipoise": 1,
          "kill server": 1}  # fmt: skip
PAUSE = (3.0, 9.0)

_ARRIVES = re.compile(r".*\]\[game\]: team_join player='(\d+):(.*)' team=(-?\d)")
_CHANGES = re.compile(r".*\]\[game\]: team_join player='(\d+):(.*)' team=(-?\d)->(-?\d)")
_LEAVES = re.compile(r".*\]\[game\]: leave player='(\d+):.*'")
_ORDER = re.compile(r".*\]\[server\]: cid=\d+ cmd='set_team (\d+) (-?\d)'")
_SUICIDE = re.compile(r".*\]\[game\]: kill killer='(\d+):.*' victim='(\d+):.*' weapon=-3 .*")
_DEATH = re.compile(r".*\]\[game\]: kill killer='.*' victim='(\d+):.*' weapon=(-?\d) .*")


@dataclass
class Judge:
    """Reads the server's log as it grows, and keeps what is to be judged."""

    log: Path
    read: int = 0
    here: dict[int, tuple[str, int, float]] = field(default_factory=dict)
    ordered: dict[int, float] = field(default_factory=dict)
    #: Orders, and those that killed somebody alive: seconds after they came.
    orders: int = 0
    alive: list[float] = field(default_factory=list)
    #: How long after they came people were moved, who had not died since.
    placed: list[float] = field(default_factory=list)
    died: dict[int, float] = field(default_factory=dict)
    arrivals: int = 0
    deaths: int = 0
    starts: int = 0
    last_order: float = 0.0
    last_change: float = 0.0

    def step(self, now: float) -> None:
        """Read what is new."""
        with self.log.open("rb") as file:
            file.seek(self.read)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self.read += len(whole)
        for line in whole.decode("utf-8", "replace").splitlines():
            self._line(line, now)

    def _line(self, line: str, now: float) -> None:
        if found := _ORDER.fullmatch(line):
            slot = int(found[1])
            self.orders += 1
            self.ordered[slot] = self.last_order = now
            came = self.here.get(slot, ("", 0, 0.0))[2]
            if self.died.get(slot, 0.0) < came:
                self.placed.append(now - came)
        elif (found := _SUICIDE.fullmatch(line)) and found[1] == found[2]:
            slot = int(found[1])
            if now - self.ordered.pop(slot, float("-inf")) < 1.0:
                self.alive.append(now - self.here.get(slot, ("", 0, 0.0))[2])
        elif found := _DEATH.fullmatch(line):
            self.died[int(found[1])] = now
            self.deaths += 1
        elif found := _ARRIVES.fullmatch(line):
            self.here[int(found[1])] = (found[2], int(found[3]), now)
            self.last_change = now
            self.arrivals += 1
        elif found := _CHANGES.fullmatch(line):
            slot = int(found[1])
            self.here[slot] = (found[2], int(found[4]), self.here.get(slot, ("", 0, 0.0))[2])
            self.ordered.pop(slot, None)
        elif found := _LEAVES.fullmatch(line):
            self.here.pop(int(found[1]), None)
            self.last_change = now
        elif "][game]: start match" in line:
            self.starts += 1
            self.died = dict.fromkeys(self.here, now)
        elif line.endswith("][server]: starting..."):
            self.here.clear()

    def sizes(self) -> tuple[int, int]:
        """Return how many are in each team."""
        teams = [team for _, team, _ in self.here.values()]
        return teams.count(0), teams.count(1)


class Evening:
    """The server, its clients, and the program between them."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.rng = random.Random(seed)
        self.server = Teeworlds(folder)
        self.clients = [StockClient(f"p{n}", folder, self.server.port) for n in range(CLIENTS)]
        self.playing: set[str] = set()
        self.folder = folder
        self.judge = Judge(self.server.log)
        self.live: subprocess.Popen[bytes] | None = None
        self.done: dict[str, int] = dict.fromkeys(EVENTS, 0)
        #: Who came and went while the program was dead.
        self.missed: dict[str, int] = {"join": 0, "leave": 0}
        self.settled: list[dict[str, Any]] = []
        self.unbalanced: list[float] = []

    @property
    def store(self) -> str:
        """Where games are kept."""
        return f"sqlite:///{self.folder / 'games.db'}"

    def begin(self) -> None:
        """Begin everything; of the four it is known that two are better than the others."""
        with open_archive(self.store, create=True) as archive:
            archive.record(known_games([f"name:{each.name}" for each in self.clients]))
        (self.folder / "password").write_text(f"{self.server.password}\n", encoding="ascii")
        self.server.start()
        self.start_live()
        for client in self.clients:
            self.join(client)
        self.wait(60.0, lambda: len(self.judge.here) == CLIENTS)

    def start_live(self) -> None:
        """Begin the program."""
        with (self.folder / "live.out").open("ab") as output:
            self.live = subprocess.Popen(
                [sys.executable, "-m", "equipoise", "live", "--game", "teeworlds",
                 "--log", str(self.server.log), "--rcon", f"127.0.0.1:{self.server.econ}",
                 "--rcon-password-file", str(self.folder / "password"), "--store", self.store],
                stdout=output, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )  # fmt: skip

    def join(self, client: StockClient) -> None:
        """Let somebody come."""
        client.start()
        self.playing.add(client.name)

    def leave(self, client: StockClient) -> None:
        """Let somebody go."""
        client.leave()
        self.playing.discard(client.name)

    def wait(self, seconds: float, until: Any = None) -> None:
        """Let time pass, and watch."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            self.judge.step(now)
            if until is not None and until():
                return
            time.sleep(0.02)

    def settle(self, what: str, killed: float) -> None:
        """Wait until all is settled after a kill, and keep how long it took from then on.

        Settled is what stays so: teams of one size, and no order for five seconds.  People go on dying.
        """
        wanted = len(self.playing)
        judge = self.judge

        def calm() -> bool:
            now = time.monotonic()
            level = abs(judge.sizes()[0] - judge.sizes()[1]) <= 1 and sum(judge.sizes()) == wanted
            quiet = min(now - judge.last_order, now - judge.last_change) >= 5.0
            return level and quiet

        end = time.monotonic() + 120.0
        while not calm() and time.monotonic() < end:
            present = [each for each in self.clients if each.name in self.playing]
            if sum(judge.sizes()) == wanted and not self.rng.randrange(3):
                self.rng.choice(present).press("k")
            self.wait(1.0, calm)
        last = max(judge.last_order, judge.last_change)
        took = last - killed if calm() else 120.0
        came = max((each[2] for each in judge.here.values()), default=killed)
        self.settled.append(
            {"what": what, "seconds": max(took, 0.0), "after_all_came": max(last - came, 0.0)}
        )

    def happen(self) -> None:
        """Let something happen."""
        absent = [each for each in self.clients if each.name not in self.playing]
        present = [each for each in self.clients if each.name in self.playing]
        what = self.rng.choices(list(EVENTS), list(EVENTS.values()))[0]
        if (what == "join" and not absent) or (what == "leave" and len(present) < 3):
            what = "death"
        self.done[what] += 1
        if what == "death":
            self.rng.choice(present).press("k")
        elif what == "chat":
            self.rng.choice(present).press(self.rng.choice("cy"))
        elif what == "leave":
            self.leave(self.rng.choice(present))
        elif what == "join":
            client = self.rng.choice(absent)
            before = self.judge.arrivals
            self.join(client)
            self.wait(30.0, lambda: self.judge.arrivals > before)
        elif what == "map":
            self.server.type(f"sv_map {self.rng.choice(['ctf1', 'ctf2', 'ctf3'])}")
        elif what == "restart":
            self.server.type("restart 1")
        else:
            self._kill(what)

    def _kill(self, what: str) -> None:
        began = time.monotonic()
        if what == "kill equipoise":
            assert self.live is not None
            self.live.kill()
            self.live.wait()
            absent = [each for each in self.clients if each.name not in self.playing]
            if absent:  # somebody comes, or goes, while nobody balances
                self.join(absent[0])
                self.missed["join"] += 1
            elif self.rng.randrange(2):
                self.leave(self.rng.choice(self.clients))
                self.missed["leave"] += 1
            self.start_live()
            self.settle(what, began)
            return
        self.server.kill()
        self.judge.here.clear()
        self.server.start()
        for client in self.clients:
            if client.name in self.playing:
                client.kill()
                client.start()
        self.settle(what, began)

    def play(self, minutes: float) -> None:
        """Let things happen for so long."""
        end = time.monotonic() + 60.0 * minutes
        while time.monotonic() < end:
            self.happen()
            self.wait(self.rng.uniform(*PAUSE))
            quiet = time.monotonic() - self.judge.last_change
            sizes = self.judge.sizes()
            died = max(self.judge.died.values(), default=0.0) > self.judge.last_change
            if died and quiet > JOINING and abs(sizes[0] - sizes[1]) > 1:
                self.unbalanced.append(quiet)
        self.wait(3.0)

    def close(self) -> None:
        """End everything."""
        for client in self.clients:
            client.kill()
        if self.live is not None:
            self.live.terminate()
            self.live.wait(20.0)
        self.server.kill()


def known_games(players: list[str]) -> list[Match]:
    """Return games by which the first of four is best and the last is worst."""
    ruleset = Ruleset("teeworlds", "tdm")
    found = []
    for n in range(24):
        pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
        better, worse = pairs[n % len(pairs)]
        contest = Contest(
            ruleset, [[(players[better], 1.0)], [(players[worse], 1.0)]], (0.0, 1.0),
            at=1.7e9 + 600.0 * n, scores=(20.0, 10.0),
        )  # fmt: skip
        found.append(
            Match([contest], began=1.7e9 + 600.0 * n, ended=1.7e9 + 600.0 * n + 300.0, id=f"{n:064x}")
        )
    return found


def measure(minutes: int = MINUTES, seed: int = SEED) -> dict[str, Any]:
    """Play so many minutes; return what is judged."""
    with tempfile.TemporaryDirectory() as name:
        evening = Evening(Path(name), seed)
        try:
            evening.begin()
            evening.play(minutes)
        finally:
            evening.close()
        judge = evening.judge
        said = (Path(name) / "live.out").read_text(encoding="utf-8")
        with open_archive(evening.store) as archive:
            games = archive.count() - 24
        if "Traceback" in said or "error" in said:
            print(said, file=sys.stderr)
        return {
            "with": describe(), "load": os.getloadavg()[1], "minutes": minutes, "seed": seed,
            "happened": evening.done, "missed": evening.missed,
            "orders": judge.orders, "arrivals": judge.arrivals,
            "deaths": judge.deaths, "matches": judge.starts, "rated": games,
            "moved_alive": judge.alive, "placed": judge.placed, "settled": evening.settled,
            "unbalanced": evening.unbalanced, "answers": said.count("say: ") - said.count("say: Teams"),
            "faults": said.count("Traceback") + said.count("error:"),
        }  # fmt: skip


def report(row: dict[str, Any]) -> str:
    """Return the page."""
    late = [seconds for seconds in row["moved_alive"] if seconds > JOINING + READING]
    happened = ", ".join(f"{many} {what}" for what, many in row["happened"].items())
    placed = max(row["placed"], default=0.0)
    lines = [
        "# Minutes on a real Teeworlds server", "",
        "`python -m benchmarks teeworlds` played them and wrote this; do not edit.",
        f"{row['minutes']:g} minutes of team deathmatch on Debian's server (0.7.5), with {CLIENTS} stock",
        "clients under Xvfb and `equipoise live` between them; it is known how strong the four are.",
        f"What happened, at random (seed {row['seed']}): {happened}.",
        f"The load of the machine was {row['load']:.1f} on two cores.", "",
        f"- {row['arrivals']} arrivals, {row['deaths']} deaths, {row['matches']} matches begun, of which",
        f"  {row['rated']} came to an end that counts; {row['orders']} orders to change teams.",
        f"- {len(row['moved_alive'])} people were moved while alive, of whom {len(late)} had come more than",
        f"  {JOINING:g} s before.",
        f"- {len(row['placed'])} people were moved who had just come, after {placed:.2f} s at most.",
        f"- Teams differed by more than one player {len(row['unbalanced'])} times after somebody had died",
        f"  since the last who came or went, and {JOINING:g} s after those.",
        f"- The program reported {row['faults']} faults.", "",
        f"While the program was dead {row['missed']['join']} came and {row['missed']['leave']} left.",
        "After a kill of the server all clients are begun anew, so it counts from when they were back too.",
        "",
        "| killed with SIGKILL | times | settled after the kill, at most | after all were there |",
        "|---|---:|---:|---:|",
    ]  # fmt: skip
    for what in ("kill equipoise", "kill server"):
        each = [one for one in row["settled"] if one["what"] == what]
        kill, back = (max((one[key] for one in each), default=0.0) for key in ("seconds", "after_all_came"))
        since = f"{back:.1f} s" if what == "kill server" else ""
        lines.append(f"| {what.removeprefix('kill ')} | {len(each)} | {kill:.1f} s | {since} |")
    return "\n".join([*lines, ""])


def main() -> int:
    """Do what the command line says."""
    return run_many(__doc__, RAW / "teeworlds.json", PAGES / "TEEWORLDS.md", measure, report, minutes=MINUTES)
