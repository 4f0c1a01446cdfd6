"""Kill the pick-up bot in nights of impostors: ``python -m benchmarks impostors`` does it 100 times.

Twelve people play on a server without accounts, as text that a bot reads: they add, are ready, vote,
report and confirm without an end, change nicks while the bot is there and while it is not, leave and come
back, in a lobby where games begin by themselves and, every second evening, in one where teams are called for.
Four others take every nick that is free, the organiser's too, and say the same.  The bot is a process that is
killed by SIGKILL at any moment, within a line too, with nothing left but its archive, and another one begins.
An organiser says who somebody is where the bot asks, and proves by the code from its start who they are once
they have left.

A confirmation, report or vote is wrong where it counts for a player that another connection began as;
somebody is lost who is there, plays, and is neither known nor can be made known.

It writes ``impostors.json`` and ``IMPOSTORS.md``; ``--kills N`` ends it N times, ``--report`` writes the page
anew, ``--check`` tells if it is stale.
"""

from __future__ import annotations

import os
import pickle
import random
import re
import select
import signal
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.reporting import PAGES, RAW, run_many

from equipoise.archive.archive import Archive, open_archive
from equipoise.play.evening_events import EveningLobby, night_lobby
from equipoise.service.chat.irc import Address, Speaker
from equipoise.service.pickup_lobbies import Pickups

#: Kills, lines between two of them at most, and what everyone says over and over.
KILLS, LINES = 100, 20
#: Kills of an evening: the next one has an archive of its own.
EVENING = 10
#: Seconds within which a kill comes after some line, and what is said of a bot that ends by itself.
MOMENT, BROKEN = 0.05, "the bot ended by itself"

#: What is counted.
COUNTED = (
    "games", "renames", "away", "taken", "usurped", "obeyed", "said", "acts", "wrong", "lost", "within",
)  # fmt: skip
WORDS = ("!add", "!ready", "!yes", "!report 2 1", "!confirm")
CALLED = ("!in", "!yes", "!report 2 1", "!report won")
LOBBIES = (EveningLobby("two", 2, 2), replace(night_lobby("night"), vote=60.0))
SAID = {
    "CHECKING": ("!ready",), "VOTING": ("!yes",), "PLAYING": ("!report 2 1", "!confirm"),
    "DISPUTED": ("!report 2 1",),
}  # fmt: skip
NAMES = ("ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ida", "jon", "kim", "leo")
IMPOSTORS = ("zed", "yan", "xia", "wim")

PAGE = """# Impostors and kills

The process of the pick-up bot was killed (SIGKILL) {kills} times, {within} of them before it had answered
the line that it was reading, in nights in which people change nicks and leave,
in lobbies where games begin by themselves and where teams are called for,
{impostors} others take every nick that is free, and the server has no accounts
(`python -m benchmarks impostors`).

| | |
|---|---|
| games that count | {games} |
| changes of nick, of them while the bot was not there | {renames}, {away} |
| nicks of players taken by others | {taken} |
| times that an impostor had the nick of the organiser | {usurped} |
| orders of theirs that counted | {obeyed} |
| what the organiser was asked for and said | {said} |
| confirmations, reports and votes counted | {acts} |
| of them for somebody else | {wrong} |
| people lost | {lost} |
"""


class Night:
    """A server without accounts, who is on it, and a bot that may end at any moment."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.lobby = LOBBIES[seed % len(LOBBIES)]
        #: Who is saying something that is not answered yet, how many events are judged, and where to tell.
        self.saying: int | None = None
        self.judged, self.pipe = 0, -1
        self.nicks = dict(enumerate((*NAMES, *IMPOSTORS, "boss")))
        self.signed = {n: 1000 + n for n in self.nicks}
        self.now, self.counts = 2e9, Counter[str]()
        #: From the ids of players to the connection each began as, in the games that are.
        self.began: dict[str, int] = {}

    # The bot

    def start(self, archive: Archive) -> None:
        """Let the bot come into the channel."""
        self.archive = archive
        self.pickups = Pickups(self.archive, [self.lobby], admins=["boss"])
        self.bot = Speaker(self.pickups, Address("", 0, "#pug", "bot"))
        session = self.bot._session  # noqa: SLF001
        session.start(0.0)
        names = " ".join(self.nicks.values())
        self.hear(f":s 001 bot :hi\r\n:s 376 bot :x\r\n:bot!b@h JOIN #pug\r\n:s 353 bot = #pug :{names}")
        self.order()
        self.reinstate()

    def hear(self, text: str) -> None:
        """Let the bot read lines, and answer what it asks."""
        self.now += 3.0
        session = self.bot._session  # noqa: SLF001
        for happened in session.feed(f"{text}\r\n".encode(), self.now):
            self.bot._happened(happened)  # noqa: SLF001
        for nick in re.findall(rb"WHOIS :?(\S+)", session.out(self.now)):
            there = [n for n, each in self.nicks.items() if each == nick.decode()]
            found = f":s 317 bot {nick.decode()} 1 {self.signed[there[0]]} :x\r\n" if there else ""
            self.hear(f"{found}:s 318 bot {nick.decode()} :x")

    # The people

    def tell(self) -> None:
        """Tell whoever may kill this process how things stand with the people: they live on."""
        if self.pipe >= 0:
            state = {
                name: each for name, each in vars(self).items() if name not in ("archive", "pickups", "bot")
            }
            content = pickle.dumps(state)
            os.write(self.pipe, len(content).to_bytes(4, "big") + content)

    def say(self, who: int, text: str) -> None:
        """Let somebody say something, and judge what the bot took it for."""
        self.saying = who
        self.tell()
        self.hear(f":{self.nicks[who]}!u@h PRIVMSG #pug :{text}")
        if self.pickups.events != self.judged:
            self.judge(self.archive)
        self.saying = None
        self.tell()

    def judge(self, archive: Archive) -> None:
        """Judge what was kept of what somebody said last."""
        events = archive.night_events()
        for each in events[self.judged :]:
            if self.saying is not None:
                self._judge(self.saying, each)
        self.judged = len(events)

    def _judge(self, who: int, plain: dict[str, Any]) -> None:
        event = plain.get("event", {})
        player = event.get("who", "")
        if plain["kind"] != "evening" or not player or event["type"] in ("leave", "call"):
            return
        comes = event["type"] in ("add", "attend")
        if comes:
            self.began.setdefault(player, who)
        self.counts["acts"] += not comes
        self.counts["wrong"] += self.began.get(player, who) != who

    def rename(self, who: int, nick: str, *, heard: bool) -> None:
        """Let somebody take a nick that is free."""
        if nick in self.nicks.values():
            return
        before, self.nicks[who] = self.nicks[who], nick
        self.counts["renames"] += 1
        self.counts["away"] += not heard
        self.counts["taken"] += any(self.began.get(one, who) != who for one in (nick, f"{nick}'"))
        self.tell()
        if heard:
            self.hear(f":{before}!u@h NICK {nick}")

    def change(self, *, heard: bool) -> None:
        """Let somebody change their nick, or leave and come back; impostors take what is free."""
        who = self.rng.randrange(len(NAMES))
        nick = self.rng.choice((f"{NAMES[who]}_{self.rng.randrange(9)}", NAMES[who]))
        if self.rng.random() < 0.3:  # the connection ends and is made again
            self.signed[who] = int(self.now) - 10**9
            if heard:
                self.hear(f":{self.nicks[who]}!u@h QUIT :x")
                self.hear(f":{self.nicks[who]}!u@h JOIN #pug")
        else:
            self.rename(who, nick, heard=heard)
        free = [name for name in NAMES if name not in self.nicks.values()]
        if free:
            impostor = len(NAMES) + self.rng.randrange(len(IMPOSTORS))
            self.rename(impostor, self.rng.choice(free), heard=heard)

    def usurp(self, *, heard: bool) -> None:
        """Let the organiser leave and come back, and an impostor take the nick meanwhile."""
        boss, impostor = len(self.nicks) - 1, len(NAMES) + self.rng.randrange(len(IMPOSTORS))
        mine, theirs = self.nicks[boss], self.nicks[impostor]
        self.signed[boss] = int(self.now) - 10**9
        self.nicks[boss], self.nicks[impostor] = theirs, mine
        self.tell()
        if heard:
            for line in (f"{mine}!u@h QUIT :x", f"{theirs}!u@h NICK {mine}", f"{theirs}!u@h JOIN #pug"):
                self.hear(f":{line}")
            self.order()
            self.reinstate()

    def order(self) -> None:
        """Let an impostor who has the nick of the organiser give an order; count it where it is obeyed."""
        impostor = next((n for n, nick in self.nicks.items() if nick == "boss"), len(self.nicks) - 1)
        if impostor == len(self.nicks) - 1:
            return
        self.counts["usurped"] += 1
        for player in [*self.began, "boss"]:
            if self.began.get(player) != impostor:
                self.say(impostor, f"!is boss {player}")
                self.counts["obeyed"] += self.meant("boss") == player

    def reinstate(self) -> None:
        """Let the organiser prove who they are, where the bot does not know."""
        nick = self.nicks[len(self.nicks) - 1]
        if self.bot._id_of(nick) != "boss":  # noqa: SLF001
            self.hear(f":{nick}!u@h PRIVMSG bot :!organiser {self.pickups.code('boss')}")

    def step(self) -> None:
        """Let something happen."""
        self._forget()
        if self.rng.random() < 0.02:
            self.usurp(heard=True)
        if self.rng.random() < 0.15:
            self.change(heard=True)
        who = self.rng.randrange(len(NAMES) + len(IMPOSTORS))
        there = [one for one, n in self.began.items() if n == who]
        game = next(map(self.pickups.evening.game_of, there), None)
        if self.lobby.called:
            if self.rng.random() < 0.1:
                self.say(len(self.nicks) - 1, "!divide")
            words = CALLED[1:] if there or who >= len(NAMES) else CALLED[:1]
        elif who >= len(NAMES):
            words = WORDS[1:]  # they want to be others, not to play
        elif game is None and self.rng.random() < 0.7:
            words = WORDS[:1]
        else:
            words = WORDS[1:] if game is None else SAID.get(game.phase.name, ("!yes",))
        self.say(who, self.rng.choice(words))

    def _forget(self) -> None:
        """Keep who began as whom for those who wait or play."""
        waiting = {one for queue in self.pickups.evening.waiting.values() for one in queue}
        playing = {one for game in self.pickups.evening.games.values() for one in game.players}
        self.began = {one: who for one, who in self.began.items() if one in waiting | playing}

    def settle(self) -> None:
        """Let the organiser say who is who, where those who play are not known; count who is lost."""
        self._forget()
        for player, who in self.began.items():
            nick = self.nicks[who]
            if self.meant(nick) == player:
                continue
            self.counts["said"] += 1
            self.say(len(self.nicks) - 1, f"!is {nick} {player}")
            self.counts["lost"] += self.meant(nick) != player

    def meant(self, nick: str) -> str | None:
        """Return whom the bot takes somebody for who acts."""
        who = self.bot._id_of(nick)  # noqa: SLF001
        own = self.pickups._own_of("")  # noqa: SLF001
        speaking = self.pickups._speaking(who or "", nick, self.now, self.bot._id_of, own)  # noqa: SLF001
        return speaking.person("") if self.lobby.called and who else who


def live(night: Night, url: str, pipe: int) -> None:
    """Be the bot, and let people say things, until this process is killed."""
    night.pipe = pipe
    with open_archive(url) as archive:
        night.start(archive)
        night.settle()
        while True:
            night.step()


def killed(night: Night, url: str, rng: random.Random) -> Night:
    """Let the bot run in a process, kill it at some moment, and return how things stand with the people."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            live(night, url, writing)
        except BaseException:  # noqa: BLE001 -- nothing of the parent is to run here
            traceback.print_exc()
        os._exit(1)
    os.close(writing)
    with open(reading, "rb", buffering=0) as pipe:
        for _ in range(rng.randrange(4 * LINES)):
            take(pipe, night)
        until = time.monotonic() + rng.random() * MOMENT
        while (
            time.monotonic() < until and select.select([pipe], [], [], max(until - time.monotonic(), 0.0))[0]
        ):
            take(pipe, night)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            raise RuntimeError(BROKEN)
        while take(pipe, night):
            pass
    night.counts["within"] += night.saying is not None
    with open_archive(url) as archive:
        night.judge(archive)
    night.saying, night.pipe = None, -1
    return night


def take(pipe: Any, night: Night) -> bool:
    """Take the next that a process tells of the people; nothing where it has ended."""
    size = whole(pipe, 4)
    content = whole(pipe, int.from_bytes(size, "big")) if len(size) == 4 else b""
    if len(size) < 4 or len(content) < int.from_bytes(size, "big"):
        return False
    for name, each in pickle.loads(content).items():  # noqa: S301 -- from our own process
        setattr(night, name, each)
    return True


def whole(pipe: Any, size: int) -> bytes:
    """Return so many bytes, fewer where there are no more."""
    found = b""
    while len(found) < size and (more := pipe.read(size - len(found))):
        found += more
    return found


def measure(kills: int, seed: int = 0) -> dict[str, int]:
    """Kill the bot so often."""
    rng = random.Random(seed)
    total = Counter[str](dict.fromkeys(COUNTED, 0))
    for number, done in enumerate(range(0, kills, EVENING)):
        total += evening(min(EVENING, kills - done), 1000 * seed + number, rng)
    return {"kills": kills, "impostors": len(IMPOSTORS), **{each: total[each] for each in COUNTED}}


def evening(kills: int, seed: int, rng: random.Random) -> Counter[str]:
    """Kill the bot so often in an evening with an archive of its own; return what was counted."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder, 'a.db')}"
        open_archive(url).close()
        night = Night(seed)
        for _ in range(kills):
            night = killed(night, url, rng)
            for _ in range(rng.randrange(3)):
                night.change(heard=False)
            if rng.random() < 0.3:
                night.usurp(heard=False)
        with open_archive(url) as archive:
            night.start(archive)
            night.settle()
            night.counts["games"] = archive.count()
    return night.counts


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(
        __doc__, RAW / "impostors.json", PAGES / "IMPOSTORS.md", measure, PAGE.format_map, kills=KILLS
    )
