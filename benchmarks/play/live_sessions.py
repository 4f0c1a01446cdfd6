"""Sessions on real OpenArena servers with people and bots, balanced while they run.

``python -m benchmarks live_sessions`` plays them: Debian's server, up to eight clients of the real protocol,
and ``equipoise live`` as people start it, with a proxy before the console that drops, delays and reorders
packets in every other session.  At random people come (alone and in bursts), leave, vanish, take other names,
change teams and ask; levels change (``map``, ``vstr nextmap``, ``map_restart``, a vote, a warm-up); and the
program or the server is killed (SIGKILL) and begun again.

What is judged stands in the server's log alone, with the times at which it was read: how many are connected
at every moment, and who came because of whom.

It writes ``LIVE_SESSIONS.md``; ``--sessions N`` and ``--seconds N`` play more or longer, ``--report`` only
writes the page, ``--check`` tells whether it is stale.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.games.openarena import LOOPBACK, OpenArena
from benchmarks.games.quake3_client import Quake3Client
from benchmarks.ports import free_port
from benchmarks.reporting import PAGES, RAW, add_modes, describe, keep

from equipoise.archive.archive import open_archive

#: How many sessions, of how many seconds, and how many people at most.
SESSIONS, SECONDS, PEOPLE = 12, 45, 8

#: How many play, and for how many each map is made.
TARGET, MAPS = 8, {"oa_dm5": (4, 8), "oa_dm4": (2, 6)}

#: The share of packets that a bad net drops, and the most seconds that one travels.
DROPPED, DELAYED = 0.5, 0.2

#: What happens, and how often; and the most seconds between two of them.
EVENTS = {
    "join": 6, "burst": 2, "leave": 5, "vanish": 1, "rename": 2, "team": 3, "chat": 2, "map": 2, "nextmap": 1,
    "map_restart": 2, "vote": 1, "warm-up": 1, "kill equipoise": 1, "kill server": 1,
}  # fmt: skip
PAUSE = 6.0

#: What begins a level.
LEVELS = {
    "map": "map {}", "nextmap": "vstr nextmap", "map_restart": "map_restart 0",
    "warm-up": "set g_warmup 4; set g_doWarmup 1; map_restart 0; wait 20; set g_doWarmup 0",
}  # fmt: skip

#: Seconds within which others come that make a burst, within which a level disturbs, and for which what is
#: settled must stay so.
BURST, LEVEL, STAYS = 3.0, 4.0, 2.0

#: Bars, in seconds: placed alone, with drops, after the last of a burst; above the target after a join; and
#: settled after a kill.
ALONE, ALONE_DROPPED, LAST, ABOVE, SETTLED = 2.0, 4.0, 3.0, 2.0, 20.0

#: Seconds in which a bot that came does not go again without a reason.
FLAP = 10.0

#: Seconds of a look, and after which what does not settle is given up.
LOOK, PATIENCE = 0.02, 60.0

_LINE = re.compile(r" *\d+:\d\d ([A-Za-z]+): ?(.*)")
_INFO = re.compile(r"(\d+) n\\(.*?)\\t\\(\d)\\")


class BadNet:
    """A proxy before a console: it drops packets, and lets each travel for a while of its own.

    Parameters
    ----------
    server : int
        The server's port.
    rng : random.Random
        Says which.
    dropped, delayed : float
        The share that is dropped, and the most seconds.
    """

    def __init__(self, server: int, rng: random.Random, dropped: float, delayed: float) -> None:
        self._front, self._back = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
        self._front.bind((LOOPBACK, 0))
        self._back.connect((LOOPBACK, server))
        for each in (self._front, self._back):
            each.setblocking(False)
        self.port: int = self._front.getsockname()[1]
        self._rng, self._dropped, self._delayed = rng, dropped, delayed
        self._asker: tuple[str, int] | None = None
        self._way: list[tuple[float, bool, bytes]] = []

    def step(self, now: float) -> None:
        """Carry what is due."""
        for out, link in ((True, self._front), (False, self._back)):
            while True:
                try:
                    packet, address = link.recvfrom(65536)
                except OSError:
                    break
                if out:
                    self._asker = address
                if self._rng.random() >= self._dropped:
                    self._way.append((now + self._rng.random() * self._delayed, out, packet))
        due = sorted(each for each in self._way if each[0] <= now)
        self._way = [each for each in self._way if each[0] > now]
        for _, out, packet in due:
            with contextlib.suppress(OSError):
                if out:
                    self._back.send(packet)
                elif self._asker is not None:
                    self._front.sendto(packet, self._asker)

    def close(self) -> None:
        """Close it."""
        self._front.close()
        self._back.close()


@dataclass
class There:
    """Somebody who is connected."""

    bot: bool
    name: str
    team: int
    came: float
    begun: float | None = None
    placed: bool = False


@dataclass
class Judge:
    """Reads the server's log as it grows, and keeps what is to be judged."""

    log: Path
    read: int = 0
    map: str = ""
    there: dict[int, There] = field(default_factory=dict)
    #: When somebody came last, when anything happened that bots answer to, and when a level began.
    joined: float = float("-inf")
    changed: float = float("-inf")
    level: float = float("-inf")
    #: Since when it is disturbed by a kill; None where it is not.
    killed: float | None = None
    calm_since: float = 0.0
    above_since: float | None = None
    above_why: str = ""
    #: Bots that came though there were enough: seconds since somebody came, and whether after a kill.
    beyond: list[tuple[float, bool]] = field(default_factory=list)
    #: For how long there were too many, and why.
    above: list[tuple[str, float]] = field(default_factory=list)
    #: How long it took until people stood in a team, and how they came.
    placed: list[tuple[str, float]] = field(default_factory=list)
    joins: list[float] = field(default_factory=list)
    arrivals: list[tuple[str, float, float]] = field(default_factory=list)
    bots: int = 0
    flaps: int = 0

    def people(self) -> list[There]:
        """Return who is there, bots left out."""
        return [each for each in self.there.values() if not each.bot]

    def limit(self) -> int:
        """Return how many are to be there: what the map is made for, and two equal teams of all people."""
        low, high = MAPS.get(self.map, (0, TARGET))
        return max(min(max(TARGET, low), high), 2 * -(-len(self.people()) // 2))

    def settled(self) -> bool:
        """Tell whether everybody is in a team, and both are as large as they are to be."""
        teams = [each.team for each in self.there.values()]
        return teams.count(1) == teams.count(2) == self.limit() / 2 == len(teams) / 2

    def step(self, now: float) -> None:
        """Read what is new."""
        if self.log.exists():
            with self.log.open("rb") as file:
                file.seek(self.read)
                new = file.read()
            whole = new[: new.rfind(b"\n") + 1]
            self.read += len(whole)
            for line in whole.decode("latin-1").splitlines():
                found = _LINE.match(line)
                if found:
                    self._line(found[1], found[2], now)
        if not self.settled():
            self.calm_since = now
        self._look_above(now)

    def begin_anew(self, now: float) -> None:
        """Note that the server is another one."""
        self.there.clear()
        self.changed = self.level = now

    def _look_above(self, now: float) -> None:
        is_above = len(self.there) > self.limit()
        if is_above and self.above_since is None:
            self.above_since = now
            since = now - self.joined
            self.above_why = "a join" if since < 0.5 else "a level" if now - self.level < LEVEL else "another"
        if is_above and self.killed is not None:
            self.above_why = "a kill"
        if not is_above and self.above_since is not None:
            self.above.append((self.above_why, now - self.above_since))
            self.above_since = None

    def _line(self, kind: str, rest: str, now: float) -> None:
        if kind == "InitGame":
            found = re.search(r"\\mapname\\([^\\]*)", rest)
            self.map = found[1] if found else ""
            self.changed = self.level = now
        elif kind == "ClientUserinfoChanged" and (info := _INFO.match(rest)):
            self._info(int(info[1]), info[2], int(info[3]), "\\skill\\" in rest, now)
        elif kind == "ClientBegin" and rest.isdigit() and int(rest) in self.there:
            who = self.there[int(rest)]
            if who.begun is None:
                who.begun = now
                self._stands(who, now)
        elif kind == "ClientDisconnect" and rest.isdigit():
            gone = self.there.pop(int(rest), None)
            if gone is not None and gone.bot:
                calm = self.killed is None and self.changed < gone.came - LEVEL
                self.flaps += calm and now - gone.came < FLAP
            elif gone is not None:
                self.changed = now

    def _info(self, slot: int, name: str, team: int, bot: bool, now: float) -> None:
        who = self.there.get(slot)
        if who is None:
            who = self.there[slot] = There(bot, name, team, now)
            if not bot:
                self.joined = self.changed = now
                self.joins.append(now)
            else:
                self.bots += 1
                if len(self.there) > self.limit():
                    self.beyond.append((round(now - self.joined, 2), self.killed is not None))
        if not bot and team != who.team:
            self.changed = now
        who.team, who.name = team, name
        self._stands(who, now)

    def _stands(self, who: There, now: float) -> None:
        """Note when somebody who has come stands in a team."""
        if who.bot or who.placed or who.begun is None or who.team not in (1, 2):
            return
        who.placed = True
        why = "alone"
        if self.killed is not None or self.level > who.begun - LEVEL:
            why = "a kill" if self.killed is not None else "a level"
        self.arrivals.append((why, who.begun, now))

    def finish(self) -> None:
        """Say how long everybody waited: alone, or since the last of a burst."""
        for why, came, placed in self.arrivals:
            others = [at for at in self.joins if abs(at - came) < BURST]
            if why == "alone" and len(others) > 1:
                self.placed.append(("a burst", max(placed - max(others), 0.0)))
            else:
                self.placed.append((why, placed - came))


class Session:
    """A server, its people, the program and what is between them."""

    def __init__(self, folder: Path, seed: int, *, bad: bool) -> None:
        self.rng, self.folder = random.Random(seed), folder
        self.server = OpenArena(
            folder / "openarena", free_port(),
            settings={"fraglimit": "0", "timelimit": "0", "sv_floodProtect": "0", "sv_timeout": "8",
                      "g_voteCooldown": "0", "nextmap": "map oa_dm4"},
        )  # fmt: skip
        self.judge = Judge(self.server.log)
        dropped, delayed = (DROPPED, DELAYED) if bad else (0.0, 0.0)
        self.net = BadNet(self.server.port, random.Random(seed), dropped, delayed)
        self.people: list[Quake3Client] = []
        self.live: subprocess.Popen[bytes] | None = None
        self.done: Counter[str] = Counter()
        self.settled: list[tuple[str, float]] = []
        self.kicked: list[str] = []
        self._number = 0

    def begin(self) -> None:
        """Begin everything."""
        with open_archive(f"sqlite:///{self.folder / 'games.db'}", create=True):
            pass
        (self.folder / "password").write_text(f"{self.server.password}\n", encoding="ascii")
        maps = ", ".join(f"{name} = [{low}, {high}]" for name, (low, high) in MAPS.items())
        (self.folder / "live.toml").write_text(
            f'[[server]]\nname = "dm"\nlog = "{self.server.log}"\nrcon = "{LOOPBACK}:{self.net.port}"\n'
            f'rcon_password_file = "{self.folder / "password"}"\ntarget = {TARGET}\nmaps = {{ {maps} }}\n',
            encoding="utf-8",
        )
        self.server.start()
        self.start_live()
        for _ in range(self.rng.randrange(2, 5)):
            self.join()
        self.settle("the beginning", time.monotonic())

    def start_live(self) -> None:
        """Begin the program."""
        with (self.folder / "live.out").open("ab") as output:
            self.live = subprocess.Popen(
                [sys.executable, "-m", "equipoise", "live", "--config", str(self.folder / "live.toml"),
                 "--store", f"sqlite:///{self.folder / 'games.db'}"],
                stdout=output, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONUNBUFFERED": "1"},
            )  # fmt: skip

    def close(self) -> None:
        """End everything."""
        for each in self.people:
            each.close()
        if self.live is not None:
            self.live.kill()
            self.live.wait()
        self.server.kill()
        self.net.close()

    def wait(self, seconds: float, until: Callable[[], bool] = lambda: False) -> bool:
        """Let time pass; return whether what was waited for is so."""
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            for each in self.people:
                each.step(now)
            self.net.step(now)
            self.judge.step(now)
            if until():
                return True
            time.sleep(LOOK)
        return until()

    def join(self) -> None:
        """Let somebody come."""
        self._number += 1
        self.people.append(Quake3Client(self.server.port, f"person {self._number}"))

    def settle(self, what: str, since: float) -> None:
        """Wait until all is settled after a kill, and stays so."""
        judge = self.judge
        judge.killed = since

        def calm() -> bool:
            here = len(judge.people()) == len(self.people)
            return here and judge.settled() and time.monotonic() - judge.calm_since >= STAYS

        calmed = self.wait(PATIENCE, calm)
        self.settled.append((what, max(judge.calm_since - since, 0.0) if calmed else PATIENCE))
        judge.killed = None

    def happen(self) -> None:  # noqa: C901 -- a list of what may happen
        """Let something happen."""
        rng, people = self.rng, self.people
        what = rng.choices(list(EVENTS), list(EVENTS.values()))[0]
        if (what in ("join", "burst") and len(people) >= PEOPLE) or (
            what in ("leave", "vanish") and len(people) <= 2
        ):
            what = "chat"
        self.done[what] += 1
        who = rng.choice(people)
        if what == "join":
            self.join()
        elif what == "burst":
            for _ in range(rng.randint(2, PEOPLE)):
                if len(people) < PEOPLE:
                    self.join()
                    self.wait(rng.random())
        elif what in ("leave", "vanish"):
            (who.leave if what == "leave" else who.vanish)()
            people.remove(who)
            who.close()
        elif what == "rename":
            who.rename(f"{who.identity} the {rng.randrange(9)}")
        elif what == "team":
            who.command(f"team {rng.choice(['red', 'blue'])}")
        elif what == "chat":
            who.command(f"say {rng.choice(['!teams', '!why', '!rank'])}")
        elif what == "vote":
            who.command("callvote map_restart")
            self.wait(0.5)
            for each in people:
                each.command("vote yes")
        elif what.startswith("kill"):
            self._kill(what)
        else:
            self.server.type(LEVELS[what].format(rng.choice(list(MAPS))))

    def _kill(self, what: str) -> None:
        began = time.monotonic()
        self.judge.killed = began
        if what == "kill equipoise":
            assert self.live is not None
            self.live.kill()
            self.live.wait()
            if len(self.people) < PEOPLE and self.rng.random() < 0.5:
                self.join()
            self.wait(self.rng.random() * 2.0)
            self.start_live()
        else:
            self.server.kill()
            self.judge.step(began)
            self.judge.begin_anew(began)
            self.server.start()
            for n, each in enumerate(self.people):
                each.close()
                self.people[n] = Quake3Client(self.server.port, each.identity)
        self.settle(what, began)

    def play(self, seconds: float) -> None:
        """Let things happen for so long."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.happen()
            self.wait(self.rng.random() * PAUSE)
            for each in self.people[:]:
                if each.state == "gone":
                    self.kicked.append(str(each.heard[-1:]))
                    self.people.remove(each)
                    each.close()
        self.settle("the end", time.monotonic())
        self.judge.finish()


def play(seed: int, seconds: float) -> dict[str, Any]:
    """Play one session; return what is judged."""
    bad = bool(seed % 2)
    with tempfile.TemporaryDirectory() as name:
        session = Session(Path(name), seed, bad=bad)
        try:
            session.begin()
            session.play(seconds)
        finally:
            session.close()
        said = (Path(name) / "live.out").read_text(encoding="utf-8")
    judge = session.judge
    if "Traceback" in said or "error" in said:
        print(said, file=sys.stderr)
    rounded = {
        name: [(why, round(many, 2)) for why, many in each]
        for name, each in (("above", judge.above), ("placed", judge.placed), ("settled", session.settled))
    }
    return {
        "seed": seed, "bad": bad, "happened": dict(session.done), "people": len(judge.joins),
        "bots": judge.bots, "beyond": judge.beyond, "flaps": judge.flaps, "kicked": session.kicked,
        "orders": said.count("move ") + said.count("add a bot") + said.count("remove bot"),
        "faults": said.count("Traceback") + said.count("error:"), **rounded,
    }  # fmt: skip


def measure(sessions: int = SESSIONS, seconds: float = SECONDS, first: int = 0) -> dict[str, Any]:
    """Play sessions, one after the other."""
    rows, load = [], os.getloadavg()[0]
    for seed in range(first, first + sessions):
        rows.append(play(seed, seconds))
        print(rows[-1], file=sys.stderr)
    loads = f"{load:.1f} to {os.getloadavg()[0]:.1f}"
    return {"with": describe(), "seconds": seconds, "load": loads, "sessions": rows}


def _times(rows: Sequence[dict[str, Any]], name: str, why: str) -> list[float]:
    return sorted(seconds for row in rows for kind, seconds in row[name] if kind.startswith(why))


def _line(what: str, found: list[float], bar: float | None) -> str:
    if not found:
        return f"| {what} | 0 | | | | |"
    p99 = found[min(int(0.99 * len(found)), len(found) - 1)]
    within = "" if bar is None else f"{sum(each > bar for each in found)} above {bar:g} s"
    middle = found[len(found) // 2]
    return f"| {what} | {len(found)} | {middle:.2f} s | {p99:.2f} s | {found[-1]:.2f} s | {within} |"


def report(raw: dict[str, Any]) -> str:
    """Return the page."""
    rows = raw["sessions"]
    happened: Counter[str] = Counter()
    for row in rows:
        happened.update(row["happened"])
    beyond = [each for row in rows for each in row["beyond"]]
    ours = [since for since, _ in beyond if since > ABOVE]
    kicked = sum(len(row["kicked"]) for row in rows)
    named = ", ".join(f"{many} {what}" for what, many in happened.most_common())
    lines = [
        "# Sessions on real OpenArena servers", "",
        "`python -m benchmarks live_sessions` played them and wrote this; do not edit.",
        f"{len(rows)} sessions of {raw['seconds']:g} s and what their kills took, with up to {PEOPLE}",
        f"clients of the real protocol, a target of {TARGET}, a map for up to 8 and one for up to 6.",
        f"In every other session {DROPPED:.0%} of the console's packets were dropped, each way, and each",
        f"took up to {DELAYED:g} s. The load of the machine was {raw['load']} on two cores.", "",
        f"What happened at random: {named}.",
        f"{sum(row['people'] for row in rows)} people came, {sum(row['bots'] for row in rows)} bots, by",
        f"{sum(row['orders'] for row in rows)} orders.", "",
        f"- Bots that came though there were enough: {len(beyond)}; {len(ours)} more than {ABOVE:g} s",
        "  after somebody had come. (Who comes while a bot is on its way makes one too many.)",
        f"- Bots that came and went within {FLAP:g} s without a reason: {sum(row['flaps'] for row in rows)}.",
        f"- People kicked: {kicked}. Faults of the program: {sum(row['faults'] for row in rows)}.", "",
        "| what | times | middle | p99 | most | beyond the bar |",
        "|---|---:|---:|---:|---:|---|",
    ]  # fmt: skip
    good, bad = ([row for row in rows if row["bad"] is bad] for bad in (False, True))
    for net, some, alone in (("", good, ALONE), (", dropped", bad, ALONE_DROPPED)):
        kill = "settled after a kill of the"
        lines += [
            _line(f"in a team after one came alone{net}", _times(some, "placed", "alone"), alone),
            _line(f"in a team after a burst{net}", _times(some, "placed", "a burst"), LAST),
            _line(f"in a team, at a change of level{net}", _times(some, "placed", "a level"), None),
            _line(f"above the target after a join{net}", _times(some, "above", "a join"), ABOVE),
            _line(f"above what a smaller map takes{net}", _times(some, "above", "a level"), None),
            _line(f"above the target otherwise{net}", _times(some, "above", "another"), 0.0),
            _line(f"above the target after a kill{net}", _times(some, "above", "a kill"), SETTLED),
            _line(f"{kill} program{net}", _times(some, "settled", "kill e"), SETTLED),
            _line(f"{kill} server{net}", _times(some, "settled", "kill s"), SETTLED),
        ]
    lines += [
        "",
        "What is beyond a bar waits for the console: such a server takes ten packets at once and then one a",
        "second, and where half are dropped each way one packet of two arrives and one exchange of four",
        "succeeds. Kicks and moves need a packet; the list after a level, and each bot, need exchanges.",
    ]
    return "\n".join([*lines, ""])


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=SESSIONS, help="how many sessions are played")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long each is, but for its kills")
    parser.add_argument("--first", type=int, default=0, help="what the randomness of the first begins with")
    add_modes(parser)
    given = parser.parse_args()
    return keep(
        given, RAW / "live_sessions.json", PAGES / "LIVE_SESSIONS.md",
        lambda: measure(given.sessions, given.seconds, given.first), report,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
