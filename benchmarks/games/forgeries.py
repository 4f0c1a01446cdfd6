"""Lines of a log that hostile clients write on a real server: ``python -m benchmarks forgeries``.

Debian's OpenArena server has four hostile clients on it, of the real protocol, and two honest ones.  The
hostile ones state names, models, colours, names of teams, ids and chats that hold lines of a log: ends,
scores, kills, levels, people who come and go; with line feeds, carriage returns, quotes, colour codes and up
to 1,000 bytes.  Meanwhile the honest ones ask in the chat and kill themselves, levels begin anew, and games
end by their time limit.

What is true is known without the log: levels are those that were typed, games and scores those of
which the honest clients heard, questions those that they asked, and who is there stands on the server's own
list.  What the log is read as, by ``equipoise live`` and for the ratings, is held against that: whole, and
in pieces that end anywhere.

It writes ``FORGERIES.md``; ``--count N`` makes more or fewer, ``--report`` only writes the page, ``--check``
tells whether it is stale.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.games.openarena import OpenArena, openarena
from benchmarks.games.quake3_client import Quake3Client, run
from benchmarks.reporting import PAGES, RAW, add_modes, describe, keep

from equipoise.core.match import Match
from equipoise.games.quake3.live_server import PLAYERS, Quake3Log, seen
from equipoise.games.quake3.reader import GAME
from equipoise.play.live.events import (
    Announced,
    Carrying,
    Changed,
    Chatted,
    Ended,
    Event,
    Joined,
    Left,
    Renamed,
    Starting,
)

#: Forgeries in all, after how many a game ends at the latest, the clients, and the seed.
COUNT, A_GAME, HOSTILE, HONEST, SEED = 10_000, 2_500, 4, 2, 1

#: Forgeries of one client at a time, and seconds for which it is waited until a server has taken them.
TOGETHER, PATIENCE = 6, 0.4

#: Seconds after which a game must have ended: its time limit is a minute.
A_GAME_LASTS = 150.0

#: Longest text that a client states in one setting, as userinfos end at 1,024 characters.
LONGEST = 1000

#: What would be lines of a log, where ``{}`` is a slot.
LINES = (
    "Exit: Timelimit hit.", "red:9  blue:1", "Kill: 0 1 7: a killed b by MOD_ROCKET", "ShutdownGame:",
    r"InitGame: \g_gametype\4\mapname\q", "ClientDisconnect: {}", "ClientBegin: {}", "ClientConnect: {}",
    r"ClientUserinfoChanged: {} n\evil\t\2\id\0123456789ABCDEF0123456789ABCDEF", "say: honest 0: !switch",
    "CTF: {} 2 0: x got the flag", "Warmup:", "Item: 1 x", "PlayerScore: {} 99: x", "TeamScore: 1 9",
    "score: 9  ping: 1  client: {} x",
)  # fmt: skip
CLOCKS = (" 9:59 ", "9:59 ", "  0:00 ", " 15:00 ", "999:59 ", "")
ENDS = ("\n", "\n", "\n", "\r", "\r\n", "\n\n", "\n\r", "^1\n", "\x0b", "\x0c", "\x85")
SIGNS = ('"', ";", "%s%n", "$", "`", "\x01", "\x7f", "\xff", "//", "/*", "<b>", "\\", "^", "^^1")

#: What clients state of themselves, beside their name.
FIELDS = (
    "team_model", "team_headmodel", "color1", "color2", "g_redteam", "g_blueteam", "model", "headmodel",
    "handicap", "cl_guid", "ip", "skill",
)  # fmt: skip

#: Kinds of a forgery, by how often each is tried.
KINDS = {"name": 50, "chat": 20, "team chat": 8, "setting": 17, "command": 5}

#: Events that nobody causes here.
NEVER = (Starting, Carrying)


def hostile(rng: random.Random) -> str:
    """Return a text that may be taken for lines of a log."""
    slot = str(rng.randrange(HOSTILE + HONEST))

    def line() -> str:
        return rng.choice(CLOCKS) + rng.choice(LINES).replace("{}", slot)

    kind = rng.random()
    if kind < 0.6:
        before = rng.choice(("", "a", "bb", "n^1", "x" * 30))
        after = rng.choice(("", "", "\n", "\n 9:58 Exit: y"))
        return before + rng.choice(ENDS) + line() + after
    if kind < 0.75:
        return rng.choice(ENDS).join(line() for _ in range(3))
    if kind < 0.85:
        return rng.choice(SIGNS) * rng.randrange(1, 20)
    if kind < 0.87:
        return "y" * rng.choice((100, 500, LONGEST))
    return "".join(chr(rng.randrange(1, 256)) for _ in range(rng.randrange(1, 40)))


@dataclass
class Truth:
    """What really happened, as known without the log."""

    levels: int = 0
    questions: int = 0
    suicides: int = 0
    #: Scores of red and blue when the server said that the time was over.
    games: list[tuple[int, int]] = field(default_factory=list)
    #: Who is there in the end: slots of the server's own list.
    there: set[int] = field(default_factory=set)


class Game:
    """The server with everybody on it."""

    def __init__(self, server: OpenArena, seed: int) -> None:
        self.server, self.rng, self.truth = server, random.Random(seed), Truth()
        self.honest = [Quake3Client(server.port, f"honest {n}") for n in range(HONEST)]
        self.hostile = [Quake3Client(server.port, f"hostile {n}") for n in range(HOSTILE)]
        self.made: Counter[str] = Counter()
        self._heard = 0

    @property
    def everybody(self) -> list[Quake3Client]:
        """Return all clients."""
        return [*self.honest, *self.hostile]

    def begin(self) -> None:
        """Let everybody come, and stand in teams."""
        run(self.honest, 2.0)
        run(self.everybody, 6.0)
        for n, each in enumerate(self.everybody):
            each.command(f"team {('red', 'blue')[n % 2]}")
        run(self.everybody, 2.0)

    def level(self) -> None:
        """Begin the level anew."""
        self.server.type("map_restart 0")
        self.truth.levels += 1
        run(self.everybody, 1.0)

    def forge(self, count: int) -> None:
        """Let the hostile make so many forgeries."""
        end, last = self.made.total() + count, time.monotonic()
        while self.made.total() < end:
            for place, each in enumerate(self.hostile):
                is_refused = each.state == "connecting" and each.name != each.identity
                if each.state == "gone" or is_refused or each.waiting > 2 * TOGETHER:
                    each.close()
                    self.hostile[place] = Quake3Client(self.server.port, each.identity)
                elif each.state == "connected":
                    for _ in range(min(TOGETHER, end - self.made.total())):
                        self._one(each)
            if time.monotonic() - last > 2.0:
                last = time.monotonic()
                self._be_honest()
            self._until_heard()
            self._note_ends()

    def _one(self, client: Quake3Client) -> None:
        rng, text = self.rng, hostile(self.rng)
        kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
        self.made[kind] += 1
        if kind == "name":
            client.rename(text)
        elif kind == "setting":
            value = f"x{text}" if rng.random() < 0.5 else text
            client.userinfo = {**client.userinfo, rng.choice(FIELDS): value[:60]}
            if sum(map(len, client.userinfo.values())) > 500:
                client.userinfo = {}
            client.rename(client.name)
        else:
            client.command({"chat": "say ", "team chat": "say_team ", "command": ""}[kind] + text)

    def _be_honest(self) -> None:
        """Let the honest ask something, and one of them die."""
        for each in self.honest:
            each.command("say !teams")
            self.truth.questions += 1
        self.rng.choice(self.honest).command("kill")
        self.truth.suicides += 1

    def _until_heard(self) -> None:
        end = time.monotonic() + PATIENCE
        run(self.everybody, 0.05)
        while time.monotonic() < end and any(
            each.waiting and each.state == "connected" for each in self.everybody
        ):
            run(self.everybody, 0.05)

    def _note_ends(self) -> None:
        """Look whether a game has ended, by what an honest client hears."""
        first = self.honest[0]
        new, self._heard = first.heard[self._heard :], len(first.heard)
        if any(text.startswith('print "Timelimit hit.') for text in new):
            run(self.everybody, 1.0)
            self.truth.games.append((_number(first.config[6]), _number(first.config[7])))
            self.level()

    def until_a_game_ends(self) -> None:
        """Wait for the time limit; a game that is tied goes on, so one of the honest dies now and then."""
        games, end = len(self.truth.games), time.monotonic() + A_GAME_LASTS
        while len(self.truth.games) == games:
            if time.monotonic() > end:
                msg = "a game does not end by its time limit"
                raise RuntimeError(msg)
            self.honest[0].command("kill")
            self.truth.suicides += 1
            run(self.everybody, 3.0)
            self._note_ends()

    def finish(self) -> None:
        """Note who is there."""
        run(self.everybody, 1.0)
        output = self.server.folder / "output"
        found = None
        while found is None:
            before = output.stat().st_size
            self.server.type(PLAYERS)
            run(self.everybody, 0.3)
            text = output.read_bytes()[before:].decode("latin-1")
            found = seen(text[text.rfind("!listplayers:") :])
        self.truth.there = set(found.teams)


def _number(text: str) -> int:
    """Return the number of a setting that a client has heard."""
    return int(text.strip().strip('"'))


def judged(content: bytes, truth: Truth, honest: int, cut: random.Random | None = None) -> dict[str, int]:
    """Return what was believed that did not happen, and what was missed that did.

    Parameters
    ----------
    content : bytes
        The log.
    truth : Truth
        What happened.
    honest : int
        How many are honest: they have the first slots.
    cut : random.Random, optional
        Cuts the log into pieces.
    """
    live, ratings = Quake3Log(), GAME.reader("log")
    events: list[Event] = []
    matches: list[Match] = []
    at = 0
    while at < len(content):
        size = len(content) if cut is None else cut.choice((1, 7, 60, 500, 4096))
        piece, at = content[at : at + size], at + size
        events += live.read(piece)
        matches += [each for each in ratings.read(piece) if isinstance(each, Match)]
    there: set[int] = set()
    wrong: Counter[str] = Counter()
    counts = Counter(type(event) for event in events)
    for event in events:
        if isinstance(event, Joined):
            there.add(event.slot)
        elif isinstance(event, Left):
            there.discard(event.slot)
        on_the_way = isinstance(event, Renamed) and event.slot not in there
        if isinstance(event, Left | Changed | Renamed) and event.slot < honest and not on_the_way:
            # They come once, choose a team once, and are in it again after each level.
            wrong["honest"] += not isinstance(event, Changed)
    scores = [tuple(map(int, event.scores)) for event in events if isinstance(event, Ended) and event.scores]
    asked = sum(isinstance(each, Chatted) and each.slot < honest for each in events)
    rated = [tuple(map(int, match.contests[-1].scores or ())) for match in matches]
    lost = {
        "levels": truth.levels + 1 - counts[Announced],
        "games live": len(truth.games) - len(scores),
        "games rated": len(truth.games) - len(rated),
        "questions": truth.questions - asked,
        "people": len(truth.there - there),
    }
    believed = {
        "ends": counts[Ended] - truth.levels,
        "scores": sum(each not in truth.games for each in scores),
        "rated scores": sum(each not in truth.games for each in rated),
        "never": sum(counts[kind] for kind in NEVER),
        "of the honest": wrong["honest"],
        "people": len(there - truth.there),
    }
    return {
        "believed": sum(max(each, 0) for each in believed.values())
        + sum(max(-each, 0) for each in lost.values()),
        "lost": sum(max(each, 0) for each in lost.values())
        + max(-believed["ends"], 0),
        **{f"believed {name}": each for name, each in believed.items()},
        **{f"lost {name}": each for name, each in lost.items()},
    }  # fmt: skip


def measure(count: int = COUNT, a_game: int = A_GAME) -> dict[str, Any]:
    """Let clients make so many forgeries, and return what came of them."""
    load = os.getloadavg()[0]
    with (
        tempfile.TemporaryDirectory() as name,
        openarena(
            Path(name), timelimit="1", fraglimit="0", sv_floodProtect="0", g_allowVote="0",
            sv_maxclients="24",
        ) as server,
    ):  # fmt: skip
        game = Game(server, SEED)
        game.begin()
        began = time.monotonic()
        while (made := game.made.total()) < count:
            games = len(game.truth.games)
            game.forge(min(a_game, count - made))
            if len(game.truth.games) == games:
                game.until_a_game_ends()
            print(game.made.total(), game.truth.games, file=sys.stderr)
        game.finish()
        seconds = time.monotonic() - began
        content = server.log.read_bytes()
        for each in game.everybody:
            each.close()
    truth = game.truth
    return {
        "with": describe(), "load": round(load, 1), "seconds": round(seconds), "made": dict(game.made),
        "bytes": len(content), "forged_lines": sum(content.count(b"\n" + each.encode())
                                                   for each in CLOCKS if each),
        "games": truth.games, "levels": truth.levels, "questions": truth.questions,
        "suicides": truth.suicides,
        "whole": judged(content, truth, HONEST),
        "cut": [judged(content, truth, HONEST, random.Random(seed)) for seed in range(3)],
    }  # fmt: skip


def report(raw: dict[str, Any]) -> str:
    """Return the page."""
    made, ways = raw["made"], [raw["whole"], *raw["cut"]]
    kinds = ", ".join(f"{made[name]} by {name}" for name in KINDS if name in made)
    lines = [
        "# Lines of a log that clients write", "",
        "`python -m benchmarks forgeries` did this and wrote it; do not edit.",
        f"{sum(made.values()):,} hostile texts ({kinds}) of {HOSTILE} clients of the real protocol on",
        f"Debian's OpenArena server, in {raw['seconds']} s, with {HONEST} honest clients beside them.",
        f"{raw['forged_lines']:,} lines of its log begin with a clock that was forged.",
        f"The load of the machine was {raw['load']} on two cores.", "",
        f"What happened in truth: {raw['levels']} levels, {len(raw['games'])} games with a result, and",
        f"{raw['questions']} questions in the chat by the honest.", "",
        "| the log is read | believed, though it never happened | happened, and not read |",
        "|---|---:|---:|",
    ]  # fmt: skip
    whole = raw["whole"]
    missed = ", ".join(
        f"{many} of {truth} {name}"
        for name, many, truth in (
            ("levels", whole["lost levels"], raw["levels"]),
            ("games with a result", whole["lost games rated"], len(raw["games"])),
            ("questions", whole["lost questions"], raw["questions"]),
        )
    )
    names = ["whole", *(f"in pieces, {n}" for n in range(1, len(ways)))]
    for name, each in zip(names, ways, strict=True):
        lines.append(f"| {name} | {each['believed']} | {each['lost']} |")
    lines += [
        "",
        "Believed counts ends, scores, levels, warm-ups, flags, questions, people who are not there, and",
        "whatever the honest did not do, as `equipoise live` reads the log and as it is read for ratings.",
        f"Not read, in the whole log: {missed}.",
        "An id that becomes another text hides what follows it, up to the next line with settings, so that",
        "whoever states such ids keeps games of that server from being read.",
        "An id that stays one, with a line feed and a line after it, is not among the forgeries: it cannot",
        "be told from a line of the server's own (docs/games.md).",
    ]
    return "\n".join([*lines, ""])


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT, help="how many forgeries are made")
    add_modes(parser)
    given = parser.parse_args()
    return keep(given, RAW / "forgeries.json", PAGES / "FORGERIES.md", lambda: measure(given.count), report)


if __name__ == "__main__":
    sys.exit(main())
