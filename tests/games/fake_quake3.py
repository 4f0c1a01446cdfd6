"""A server of the Quake 3 family in time that is made up: slots, bots, levels, frames, a log and a console.

It does what a real one does about orders: what is put aside is carried out frame by frame, ``wait`` lets
frames pass, and a frame lasts as long as it lasts.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

from tests.games.fake_console import FakeConsole

#: Letters of the list, and numbers in the log, of the teams.
LETTERS, NUMBERS = {0: "R", 1: "B", None: "S"}, {0: 1, 1: 2, None: 3}

#: Seconds of a frame, and frames that no real batch of orders outlasts.
FRAME = 0.05


@dataclass
class Client:
    """Somebody in a slot."""

    name: str
    bot: bool
    team: int | None = None
    #: Until when they load the level.
    loads_until: float = 0.0
    begun: bool = False


@dataclass
class FakeQuake3:
    """A server; see the module.

    Parameters
    ----------
    log : Path
        Where it writes its log.
    rng : random.Random
        Says how long packets travel, and which are lost.
    loss, delay : float
        The share of packets that are lost, and the most seconds that one travels.
    frame : float
        Seconds of a frame.
    """

    log: Path
    rng: random.Random
    loss: float = 0.0
    delay: float = 0.0
    frame: float = FRAME
    clients: dict[int, Client] = field(default_factory=dict)
    #: How many were there after each bot that came, with the time, and when somebody came.
    filled: list[tuple[float, int]] = field(default_factory=list)
    came: list[float] = field(default_factory=list)
    kicked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._next = self._now = self._level = 0.0
        self._in: list[tuple[float, bytes]] = []
        self._out: list[tuple[float, bytes]] = []
        self.begin()

    def begin(self) -> None:
        """Begin as a new process: nobody is there, and nothing is known."""
        self._console = _Console("secret", self._carry_out)
        self._text: list[str] = []
        self._wait = 0
        self.clients.clear()
        self.level()

    # The net

    def send(self, packet: bytes) -> None:
        """Take a packet that somebody sends."""
        self._travel(self._in, packet)

    def arrived(self) -> list[bytes]:
        """Return the packets that have come back."""
        found = [packet for at, packet in self._out if at <= self._now]
        self._out = [each for each in self._out if each[0] > self._now]
        return found

    def _travel(self, way: list[tuple[float, bytes]], packet: bytes) -> None:
        if self.rng.random() >= self.loss:
            way.append((self._now + self.rng.random() * self.delay, packet))

    # Time

    def step(self, now: float) -> None:
        """Let time pass."""
        self._now = now
        if now < self._next:
            return
        self._next = now + self.frame
        due = sorted(each for each in self._in if each[0] <= now)
        self._in = [each for each in self._in if each[0] > now]
        for _, packet in due:
            for answer in self._console.receive(packet, now):
                self._travel(self._out, answer)
            self._insert()
        if self._wait:
            self._wait -= 1
        while self._text and not self._wait:
            command = self._text.pop(0)
            found = re.fullmatch(r"wait (\d+)", command)
            if found:
                self._wait = int(found[1])
            else:
                self._console.run(command)
                self._insert()
        for slot, client in self.clients.items():
            if not client.begun and now >= client.loads_until:
                client.begun = True
                self._write(self._info(slot), f"ClientBegin: {slot}")

    def _insert(self) -> None:
        """Let what a variable was replaced by be carried out next."""
        self._text = [*self._console.inserted, *self._text]
        self._console.inserted = []

    def hang(self, seconds: float) -> None:
        """Let a frame last long."""
        self._next = self._now + seconds

    # What happens

    def level(self) -> None:
        """Begin a level with those who are there; bots are there at once, people once they have loaded."""
        self._level = self._now
        self._write("-" * 60, r"InitGame: \g_gametype\3\mapname\oa_dm5\gamename\baseoa\timelimit\0")
        for slot, client in self.clients.items():
            self._write(self._info(slot))
            client.begun = client.bot
            client.loads_until = self._now + self.rng.random() * 3.0
            if client.bot:
                self._write(f"ClientBegin: {slot}")

    def restart(self) -> None:
        """Begin the level anew without loading it: everybody is there at once."""
        self._write("ShutdownGame:", "-" * 60, r"InitGame: \g_gametype\3\mapname\oa_dm5\gamename\baseoa")
        for slot, client in self.clients.items():
            self._write(self._info(slot), *([f"ClientBegin: {slot}"] if client.begun else []))

    def join(self, name: str) -> None:
        """Let somebody connect, who then loads the level."""
        slot = next(n for n in range(64) if n not in self.clients)
        self.clients[slot] = Client(name, False, None, self._now + self.rng.random() * 3.0)
        self.came.append(self._now)
        self._write(f"ClientConnect: {slot}", self._info(slot))

    def leave(self, name: str) -> None:
        """Let somebody go."""
        self._drop(next(slot for slot, each in self.clients.items() if each.name == name and not each.bot))

    def people(self) -> list[str]:
        """Return who is there, bots left out."""
        return [each.name for each in self.clients.values() if not each.bot]

    def _drop(self, slot: int) -> None:
        del self.clients[slot]
        self._write(f"ClientDisconnect: {slot}")

    def _write(self, *lines: str) -> None:
        seconds = int(self._now - self._level)
        text = "".join(f"{seconds // 60:3}:{seconds % 60:02} {line}\n" for line in lines)
        with self.log.open("a", encoding="ascii") as log:
            log.write(text)

    def _info(self, slot: int) -> str:
        client = self.clients[slot]
        who = r"\skill\ 3.00\id" + "\\" if client.bot else rf"\id\{sum(client.name.encode()):032X}"
        return rf"ClientUserinfoChanged: {slot} n\{client.name}\t\{NUMBERS[client.team]}\model\x\hc\100{who}"

    def _carry_out(self, line: str) -> str:
        word, *rest = line.split() or [""]
        if word == "!listplayers":
            rows = "".join(
                f"{slot:2} {LETTERS[each.team] if each.begun else 'C'} 0   {each.name}\n"
                for slot, each in sorted(self.clients.items())
            )
            return f"!listplayers: {len(self.clients)} players connected:\n{rows}"
        if word == "dumpuser":
            who = self.clients.get(int(rest[0]))
            known = "" if who is None else f"name                {who.name}\n"
            extra = "skill               3.00\n" if who and who.bot else ""
            guid = f"cl_guid             {sum(who.name.encode()):032X}\n" if who and not who.bot else ""
            return f"userinfo\n--------\n{known}{extra}{guid}"
        if word == "addbot":
            slot = next(n for n in range(64) if n not in self.clients)
            team = {"red": 0, "blue": 1}[rest[2]]
            self.clients[slot] = Client(rest[0], True, team, begun=True)
            self.filled.append((self._now, len(self.clients)))
            self._write(f"ClientConnect: {slot}", self._info(slot), f"ClientBegin: {slot}")
        elif word == "clientkick" and int(rest[0]) in self.clients:
            gone = self.clients[int(rest[0])]
            self.kicked += [] if gone.bot else [gone.name]
            self._drop(int(rest[0]))
        elif word == "kick":
            slots = [n for n, each in sorted(self.clients.items()) if each.name.lower() == rest[0].lower()]
            return self._carry_out(f"clientkick {slots[0]}") if slots else ""
        elif word == "forceteam" and int(rest[0]) in self.clients:
            self.clients[int(rest[0])].team = {"red": 0, "blue": 1}[rest[1]]
            self._write(self._info(int(rest[0])))
        return ""


class _Console(FakeConsole):
    """A console whose orders are carried out later."""

    inserted: list[str] = []  # noqa: RUF012 -- replaced, never changed

    def run(self, command: str) -> None:
        """Carry out one of them."""
        self._run(command, reply=False)

    def _run_all(self, commands: str) -> None:
        self.inserted = [*(part.strip() for part in commands.split(";")), *self.inserted]
