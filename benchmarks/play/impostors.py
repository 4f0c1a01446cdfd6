"""Kill the pick-up bot in nights of impostors: ``python -m benchmarks impostors`` does it 100 times.

Twelve people play on a server without accounts, as text that a bot reads: they add, are ready, vote,
report and confirm without an end, change nicks while the bot is there and while it is not, leave and come
back.  Four others take every nick that is free and say the same.  The bot ends at any line, as after a
kill, with nothing left but its archive, and begins again.  An organiser says who somebody is where the
bot asks.

A confirmation, report or vote is wrong where it counts for a player that another connection began as;
somebody is lost who is there, plays, and is neither known nor can be made known.

It writes ``impostors.json`` and ``IMPOSTORS.md``; ``--kills N`` ends it N times, ``--report`` writes the page
anew, ``--check`` tells if it is stale.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections import Counter
from typing import Any

from benchmarks.reporting import PAGES, RAW, run_many

from equipoise.archive.archive import Archive, open_archive
from equipoise.play.evening_events import EveningLobby
from equipoise.service.chat.irc import Address, Speaker
from equipoise.service.pickup_lobbies import Pickups

#: Kills, lines between two of them at most, and what everyone says over and over.
KILLS, LINES = 100, 60
WORDS = ("!add", "!ready", "!yes", "!report 2 1", "!confirm")
SAID = {
    "CHECKING": ("!ready",), "VOTING": ("!yes",), "PLAYING": ("!report 2 1", "!confirm"),
    "DISPUTED": ("!report 2 1",),
}  # fmt: skip
NAMES = ("ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ida", "jon", "kim", "leo")
IMPOSTORS = ("zed", "yan", "xia", "wim")

PAGE = """# Impostors and kills

The pick-up bot ended {kills} times at any line of nights in which people change nicks and leave,
{impostors} others take every nick that is free, and the server has no accounts
(`python -m benchmarks impostors`).

| | |
|---|---|
| games that count | {games} |
| changes of nick, of them while the bot was not there | {renames}, {away} |
| nicks of players taken by others | {taken} |
| what an organiser was asked for and said | {said} |
| confirmations, reports and votes counted | {acts} |
| of them for somebody else | {wrong} |
| people lost | {lost} |
"""


class Night:
    """A server without accounts, who is on it, and a bot that may end at any moment."""

    def __init__(self, archive: Archive, seed: int) -> None:
        self.archive, self.rng = archive, random.Random(seed)
        self.nicks = dict(enumerate((*NAMES, *IMPOSTORS, "boss")))
        self.signed = {n: 1000 + n for n in self.nicks}
        self.now, self.counts = 2e9, Counter[str]()
        #: From the ids of players to the connection each began as, in the games that are.
        self.began: dict[str, int] = {}
        self.start()

    # The bot

    def start(self) -> None:
        """Let the bot come into the channel."""
        self.pickups = Pickups(self.archive, [EveningLobby("two", 2, 2)], admins=["boss"])
        self.bot = Speaker(self.pickups, Address("", 0, "#pug", "bot"))
        session = self.bot._session  # noqa: SLF001
        session.start(0.0)
        names = " ".join(self.nicks.values())
        self.hear(f":s 001 bot :hi\r\n:s 376 bot :x\r\n:bot!b@h JOIN #pug\r\n:s 353 bot = #pug :{names}")

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

    def say(self, who: int, text: str) -> None:
        """Let somebody say something, and judge what the bot took it for."""
        events = self.pickups.events
        self.hear(f":{self.nicks[who]}!u@h PRIVMSG #pug :{text}")
        if self.pickups.events == events:
            return
        for each in self.archive.night_events()[events:]:
            self._judge(who, each)

    def _judge(self, who: int, plain: dict[str, Any]) -> None:
        event = plain.get("event", {})
        player = event.get("who", "")
        if plain["kind"] != "evening" or not player or event["type"] == "leave":
            return
        if event["type"] == "add":
            self.began.setdefault(player, who)
        self.counts["acts"] += event["type"] != "add"
        self.counts["wrong"] += self.began.get(player) != who

    def rename(self, who: int, nick: str, *, heard: bool) -> None:
        """Let somebody take a nick that is free."""
        if nick in self.nicks.values():
            return
        before, self.nicks[who] = self.nicks[who], nick
        self.counts["renames"] += 1
        self.counts["away"] += not heard
        self.counts["taken"] += any(self.began.get(one, who) != who for one in (nick, f"{nick}'"))
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

    def step(self) -> None:
        """Let something happen."""
        self._forget()
        if self.rng.random() < 0.15:
            self.change(heard=True)
        who = self.rng.randrange(len(NAMES) + len(IMPOSTORS))
        game = next((self.pickups.evening.game_of(one) for one, n in self.began.items() if n == who), None)
        words = WORDS[1:] if game is None else SAID.get(game.phase.name, ("!yes",))
        if who >= len(NAMES):
            words = WORDS[1:]  # they want to be others, not to play
        elif game is None and self.rng.random() < 0.7:
            words = WORDS[:1]
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
            if self.bot._id_of(nick) == player:  # noqa: SLF001
                continue
            self.counts["said"] += 1
            self.say(len(self.nicks) - 1, f"!is {nick} {player}")
            self.counts["lost"] += self.bot._id_of(nick) != player  # noqa: SLF001


def measure(kills: int, seed: int = 0) -> dict[str, int]:
    """End the bot so often."""
    with tempfile.TemporaryDirectory() as folder, open_archive(f"sqlite:///{folder}/a.db") as archive:
        night = Night(archive, seed)
        for _ in range(kills):
            for _ in range(night.rng.randrange(LINES)):
                night.step()
            for _ in range(night.rng.randrange(3)):
                night.change(heard=False)
            night.start()
            night.settle()
        counts = dict.fromkeys(("renames", "away", "taken", "said", "acts", "wrong", "lost"), 0)
        return {
            "kills": kills,
            "games": archive.count(),
            "impostors": len(IMPOSTORS),
            **counts,
            **night.counts,
        }


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(
        __doc__, RAW / "impostors.json", PAGES / "IMPOSTORS.md", measure, PAGE.format_map, kills=KILLS
    )
