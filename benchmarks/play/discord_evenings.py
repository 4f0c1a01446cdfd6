"""Evenings on Discord with everything that goes wrong: ``python -m benchmarks discord_evenings`` plays 50.

Eight to twenty-four people press buttons and type commands on a Discord on loopback
(:mod:`benchmarks.play.discord_server`), in channels of two servers,
each with a lobby that fills by itself and
one where teams are called for.  The bot is the shipped one, with the library unchanged, in a process of its
own that is killed (SIGKILL) at random moments and begun again; the gateway cuts, asks to reconnect, forgets
sessions, sends interactions twice and out of order; requests fail and are told to wait; messages are deleted
by hand.  Impostors bear the names of players, and names of mentions and markdown, and press every button that
there is, with ids of other channels too.

Whoever gets no answer presses again, as people do.  At the end of an evening

* every press that was answered stands in the archive once, none twice, and none that was never sent;
* every match stands once, and is what the messages say;
* nobody was pinged who did not play in the game of that message;
* nothing that an impostor pressed changed the game of a player;
* the same events typed over IRC, and tapped in browsers (:mod:`benchmarks.play.discord_doors`), give the same
  teams, ledgers, matches and ratings, to the last bit.

What is pressed while the process is gone, from the kill until Discord hears from the next one, cannot be
answered by anybody, nor what it had heard and not answered when it was killed; what is pressed while Discord
has dropped the connection waits for it.  Both are counted by themselves.

``--evenings N --first M --at-once K`` plays so many, from the M-th one on; their results replace those of
the same evenings, and are added to those of others, so that it can be done in pieces.  It writes
``discord_evenings.json`` and ``DISCORD.md``; ``--report`` writes the page anew, ``--check`` tells if it is
stale.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import math
import os
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.play.discord_doors import same_elsewhere
from benchmarks.play.discord_server import Discord, Interaction
from benchmarks.reporting import PAGES, RAW, add_modes, keep

from equipoise.archive.archive import open_archive
from equipoise.errors import InputError
from equipoise.play.evening import Evening
from equipoise.play.evening_records import taken
from equipoise.service.kept_evening import KeptEvening

EVENINGS, KILLS = 50, 200

#: Evenings that are played at a time, and how many seconds a process lives before it is killed.
AT_ONCE, LIVES = 3, (3.0, 15.0)

#: Seconds within which messages have to show what is kept, once nothing happens any more.
SETTLES = 60.0

#: What goes wrong, or does not, every two seconds.
TROUBLES = ("cut", "reconnect", "4000", "invalid", "delete", "delete", *[""] * 10)

#: Where the bot's bytecode is kept from one beginning to the next, as it is where it is installed.
CODE = str(Path(tempfile.gettempdir()) / "equipoise-discord-evenings")

#: Where results are kept.
RESULTS = RAW / "discord_evenings.json"

#: Names that are more than names.
HOSTILE = (
    "@everyone",
    "<@1000>",
    "**P1001**",
    "`P1002`",
    "discord:1003",
    "[x](https://evil.example)",
    "P1004",
)

Row = dict[str, Any]


class PlayedEvening:
    """One evening: a Discord, its people, and a bot that is killed now and then."""

    def __init__(self, seed: int, folder: Path, kills: int) -> None:
        self.seed = seed
        self.rng, self.kills, self.over, self.seconds = random.Random(seed), kills, False, 0.0
        self.store = f"sqlite:///{folder}/a.db"
        self.people = [str(1000 + n) for n in range(self.rng.randint(8, 24))]
        self.impostors = [str(9000 + n) for n in range(4)]
        self.discord = Discord(seed, heartbeat=5.0)
        self.done = Counter[str]()
        self.late: list[str] = []
        self.answers: dict[str, list[float]] = {"there": [], "lost": []}
        self.pressed: dict[str, Interaction] = {}
        self.by_impostors: set[str] = set()
        self.process: Any = None
        self.folder = folder
        self.gone: list[float] = []

    async def start(self) -> None:
        """Begin the bot, by its command."""
        environment = {
            **os.environ,
            "EQUIPOISE_DISCORD_TOKEN": self.discord.token,
            "PYTHONPYCACHEPREFIX": CODE,
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        lobbies = ["--lobby", "duo=2v2:dock,keep,mill:veto", "--lobby", "night=allvall"]
        channels = chain(*(["--channel", each] for each in self.channels))
        self.process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "equipoise", "pickup", "--discord", "--api", self.discord.url,
            "--store", self.store, *channels, *lobbies, "--ready-time", "600", env=environment,
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip

    async def kill(self) -> None:
        """End the bot at once."""
        self.process.kill()
        await self.process.wait()
        self.discord.forget_sessions()
        self.done["kills"] += 1

    async def _back(self) -> None:
        """Begin the bot again, and note how long it was gone."""
        began = time.monotonic()
        await self.start()
        await self.discord.until(lambda: self.discord.heard)
        self.gone.append(time.monotonic() - began)

    async def play(self) -> None:
        """Play the evening."""
        async with self.discord:
            guilds = [self.discord.guild(), self.discord.guild()]
            self.channels = [self.discord.channel(guild, "pug") for guild in guilds]
            half = len(self.people) // 2
            self.home = {who: self.channels[n >= half] for n, who in enumerate(self.people)}
            faults = self.discord.faults
            faults.twice, faults.swapped, faults.failing, faults.limited = 0.1, 0.1, 0.02, 0.05
            faults.latency, faults.globally = 0.02, 0.01
            await self.start()
            await self.discord.until(lambda: len(self.discord.buttons(self.channels[0])) > 2, 120.0)
            began = time.monotonic()
            tasks = [self._somebody(who) for who in self.people]
            tasks += [self._impostor(who) for who in self.impostors]
            await asyncio.gather(*tasks, self._trouble())
            self.seconds = time.monotonic() - began
            self.discord.faults.twice = self.discord.faults.swapped = 0.0
            await self._settled()
            self.process.kill()
            await self.process.wait()
            assert not self.discord.unguarded, "a text was sent whose mentions ping"

    def judged(self) -> Row:
        """Return what came of the evening, or what is lost, doubled, or differs elsewhere."""
        try:
            return self._judged()
        except (AssertionError, InputError, KeyError) as error:
            kept = Path(tempfile.gettempdir()) / f"discord-evening-{self.seed}.db"
            shutil.copy(self.folder / "a.db", kept)
            print(f"evening {self.seed} is kept in {kept}: {error!r:.2000}", flush=True)
            return {"failed": f"{error!r:.200}", "kills": self.done["kills"]}

    async def _settled(self) -> None:
        """Wait until the messages say what is kept: another press is answered, and edits have gone out."""
        assert self.process.returncode is None, "the bot ended by itself"
        for channel in self.channels:
            for _ in range(20):
                asked = await self.discord.type(channel, "1", "X", "status")
                await asked.done.wait()
                if not asked.failed:
                    break
        quiet, last, until = 0, -1, time.monotonic() + SETTLES
        while time.monotonic() < until:  # nothing was edited for some seconds, and all is shown
            await asyncio.sleep(0.5)
            edits = len(self.discord.log)
            quiet, last = (quiet + 1 if edits == last else 0), edits
            if quiet >= 5:
                with contextlib.suppress(AssertionError), open_archive(self.store, create=False) as archive:
                    self._shown(KeptEvening(archive, []).evening)
                    return

    # What happens

    async def _trouble(self) -> None:
        """Let things go wrong: kills, lost connections, messages deleted by hand; then it is over."""
        for kill in range(self.kills + 1):
            until = time.monotonic() + self.rng.uniform(*LIVES)
            while time.monotonic() < until:
                await asyncio.sleep(min(2.0, max(until - time.monotonic(), 0.01)))
                how = self.rng.choice(TROUBLES)
                if how == "delete":
                    await self._delete()
                elif how:
                    self.done[f"gateway {how}"] += 1
                    await self.discord.lose(how)
            if kill < self.kills:
                await self.kill()
                await self._back()
        self.over = True

    async def _delete(self) -> None:
        channel = self.rng.choice(self.channels)
        messages = list(self.discord.messages[channel])
        if messages:
            self.done["deleted"] += 1
            await self.discord.delete(channel, self.rng.choice(messages))

    async def _somebody(self, who: str) -> None:
        """Press what makes sense in one's own channel, again where nobody answers."""
        channel, name = self.home[who], f"P{who}"
        while not self.over:
            await asyncio.sleep(self.rng.uniform(0.1, 1.2))
            if self.rng.random() < 0.05:
                name = f"P{who}-{self.rng.randrange(9)}"
            if self.rng.random() < 0.12:
                word = self.rng.choice(("in", "status", "why", "report", "leaderboard", "out"))
                options = {"report": {"result": "won"}, "in": {"lobby": self.rng.choice(("duo", "night"))}}
                await self._answered(
                    await self.discord.type(channel, who, name, word, **options.get(word, {}))
                )
                continue
            buttons = [each for each in self.discord.buttons(channel) if each[2]]
            likely = [
                each for each in buttons if each[1] not in ("Out", "I can't", "Undo", "Other teams", "Score")
            ]
            chosen = likely if self.rng.random() < 0.95 else buttons
            if chosen:
                message, _, custom_id = self.rng.choice(chosen)
                await self._answered(await self.discord.press(channel, who, name, custom_id, message))

    async def _impostor(self, who: str) -> None:
        """Press every button there is, of any channel in any channel, under the names of others."""
        while not self.over:
            await asyncio.sleep(self.rng.uniform(0.3, 1.5))
            every = [each for channel in self.channels for each in self.discord.buttons(channel) if each[2]]
            open_to_all = ("I'm in", "Maybe", "Make teams", "Out", "Play for them")
            game = [each for each in every if each[1] not in open_to_all]
            if not game:
                continue
            message, _, custom_id = self.rng.choice(game)
            channel, name = self.rng.choice(self.channels), self.rng.choice((*HOSTILE, "P1000", "P1005"))
            pressed = await self.discord.press(channel, who, name, custom_id, message)
            self.by_impostors.add(pressed.id)
            await self._answered(pressed)

    async def _answered(self, pressed: Interaction) -> None:
        self.pressed[pressed.id] = pressed
        await pressed.done.wait()
        self.done["pressed"] += 1
        self.done[f"pressed {pressed.during}"] += 1
        in_time = pressed.answered is not None
        self.done[f"answered {pressed.during}"] += in_time
        self.done["deferred"] += pressed.deferred
        self.done["unfinished"] += pressed.deferred and not pressed.finished and pressed.during != "gone"
        if pressed.during == "there" and not in_time:
            self.late.append(str(pressed.payload["data"]))
        if pressed.during != "gone":
            self.answers[pressed.during].append(min(round(pressed.seconds, 2), NEVER))

    # What came of it

    def _judged(self) -> Row:
        """Hold what is kept against what was pressed and shown; raise AssertionError where it differs."""
        with open_archive(self.store, create=False) as archive:
            records = archive.night_events()
            marks = [each["press"] for each in records if each.get("press")]
            assert len(marks) == len(set(marks)), "an interaction was taken twice"
            of = {mark.partition(":")[0] for mark in marks}  # out of all is a step for each
            assert of <= set(self.pressed), "something was taken that nobody pressed"
            kept = KeptEvening(archive, [])
            evening = kept.evening
            matches = list(archive.matches())
            counted = {game.id for game in evening.over.values() if game.counted}
            ids = [match.id for match in matches]
            assert sorted(ids) == sorted(counted), "matches are not the games that count"
            players = {
                game.id: set(game.players) for game in (*evening.over.values(), *evening.games.values())
            }
            self._pings(records)
            wrong = [mark for mark in marks if mark in self.by_impostors]
            assert not wrong, "what an impostor pressed was taken"
            self._shown(evening)
            elsewhere = same_elsewhere(archive, evening)
            lost = [each for each in self.pressed.values() if self._promised(each) and each.id not in marks]
            assert not lost, f"answered and not kept: {lost[0].payload['data']}"
            games = len(players)
        return {
            "people": len(self.people), "matches": len(ids), "games": games, "taken": len(marks),
            "elsewhere": elsewhere, "events": len(records), "requests": sum(self.discord.requests.values()),
            "limited": self.discord.requests["429"], "limited by all": self.discord.requests["429 global"],
            "answers": self.answers, "gone": [round(each, 2) for each in self.gone],
            "late": self.late, "seconds": round(self.seconds, 1), **self.done,
        }  # fmt: skip

    @staticmethod
    def _promised(pressed: Interaction) -> bool:
        """Tell whether an answer said that something was done: a button without words, of those that step."""
        return (
            pressed.answered is not None and pressed.kind == 3 and not pressed.texts and pressed.modal is None
            and (pressed.finished or not pressed.deferred)
        )  # fmt: skip

    def _pings(self, records: list[Row]) -> None:
        """Judge that only those were pinged who play in the game of the message."""
        refs = {
            each["message"]: each["ref"]
            for each in records
            if each["kind"] == "discord" and each.get("message")
        }
        players: dict[str, set[str]] = {}
        evening = Evening((), ())
        for event, at, _ in taken(records):
            evening.handle(event, at)
            for game in evening.games.values():  # where teams are called for a message is of a round
                round_ = f"{game.lobby.name}#{len(evening.rooms[game.lobby.name].ended) + 1}"
                ref = round_ if game.lobby.called else game.id
                players.setdefault(ref, set()).update(game.players)
        everybody = {f"discord:{who}" for who in self.people}
        for _, message, user in self.discord.pings:
            assert user != "everyone"
            assert f"discord:{user}" in everybody, "somebody was pinged who does not play"
            ref = refs.get(message, "")  # none where the process was killed before it was noted
            assert not ref or f"discord:{user}" in players[ref], "somebody was pinged who is in another game"

    def _shown(self, evening: Any) -> None:
        """Judge that no game that counts is shown as won by another, or twice."""
        shown: Counter[str] = Counter()
        for channel in self.channels:
            for message in self.discord.messages[channel].values():
                footer = message["embeds"][0].get("footer", {}).get("text", "")
                title = message["embeds"][0]["title"].partition(": ")[2]
                game = evening.over.get(footer)
                shown[footer] += footer in evening.over or footer in evening.games
                if game is not None and game.counted:
                    best = [n for n, rank in enumerate(game.ranks) if rank == min(game.ranks)]
                    said = ("Red won", "Blue won")[best[0]] if len(best) == 1 else "a draw"
                    assert title == said, f"{footer}: {title!r} is shown, {said!r} is kept"
        doubled = [each for each, times in shown.items() if times > 1]
        assert not doubled, f"two messages of one game: {doubled[0]}"


async def some(numbers: list[int], kills: list[int]) -> list[Row]:
    """Play some evenings side by side."""
    with contextlib.ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in numbers]
        evenings = [PlayedEvening(*each) for each in zip(numbers, folders, kills, strict=True)]
        await asyncio.gather(*(each.play() for each in evenings))
        return [each.judged() for each in evenings]


def measure(evenings: int, first: int, at_once: int) -> Row:
    """Play so many evenings; return what came of each, by its number, with what was measured before."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for start in range(first, first + evenings, at_once):
        numbers = list(range(start, min(start + at_once, first + evenings)))
        kills = [KILLS * (n + 1) // EVENINGS - KILLS * n // EVENINGS for n in numbers]
        for number, row in zip(numbers, asyncio.run(some(numbers, kills)), strict=True):
            results[str(number)] = {**row, "load": round(os.getloadavg()[0], 1), "at once": len(numbers)}
        # What is done stays if the next one fails.
        RESULTS.write_text(json.dumps(results), encoding="utf-8")
        print(f"{start + len(numbers) - first} of {evenings}, load {os.getloadavg()[0]:.1f}", flush=True)
    return dict(sorted(results.items(), key=lambda each: int(each[0])))


PAGE = """\
# Evenings on Discord

`python -m benchmarks discord_evenings` played this and wrote it; do not edit.

{evenings} evenings of 8 to 24 people ({people} in all) in two channels of two servers each, against a \
Discord on loopback that the library speaks to unchanged; {length:.0f} s each on average, {at_once} at a \
time on two cores, at a load of {load:.1f} ({least:.1f} to {most:.1f}).
The bot, which is `equipoise pickup --discord`, was killed (SIGKILL) {kills} times and begun again.

| | |
|---|---|
| buttons pressed and commands typed | {pressed:,} |
| taken as events, each once | {taken:,} |
| games, of them with a result that counts | {games:,}, {matches:,} |
| connections cut, asked to reconnect, closed, sessions forgotten | {cut}, {reconnect}, {closed}, {invalid} |
| messages deleted by hand | {deleted} |
| requests; of them told to wait by a route, and by all | {requests:,}; {limited:,}, {by_all:,} |

How soon presses were answered, by what there was when they were pressed:

| | pressed | answered in 3 s | median | 99 in 100 | worst |
|---|---|---|---|---|---|
| the process there, with a connection | {there:,} | {answered_there:,} | {median_there} | {p99_there} | \
{worst_there} |
| the process there, its connection dropped by Discord before the answer | {lost:,} | {answered_lost:,} | \
{median_lost} | {p99_lost} | {worst_lost} |
| both together | {alive:,} | {answered_alive:,} | {median_alive} | {p99_alive} | {worst_alive} |
| no process, or one that was killed before it answered | {gone:,} | {answered_gone:,} | | | |

{deferred:,} of the answers said that another one follows; {unfinished:,} of these waited for it in vain, \
as their process was killed meanwhile.
The library makes a connection again at once where the last one held for half a minute; here none does, and \
it waits one to two seconds first.
From a kill until Discord heard from the next process it took {gone_median:.1f} s ({gone_p99:.1f} s in 99 of \
100, {gone_worst:.1f} s at worst); nobody can answer meanwhile, and whoever pressed is shown that by Discord \
and presses again.

Interactions came twice and out of order in one of ten cases each, requests failed in one of fifty, and four \
impostors an evening pressed every button there was, of both channels, under names of players, mentions and \
markdown.

Nothing that was answered is missing, nothing stands twice, no result is shown as another, nothing that an \
impostor pressed was taken, and nobody was pinged who does not play.
The {elsewhere:,} events of these evenings, typed over IRC, and tapped in browsers and typed over IRC with \
one archive, give the same teams, chances, ledgers, matches and ratings, to the last bit.
"""

#: Where an answer that never came stands among the times.
NEVER = 99.0


def at(share: float, times: list[float]) -> str:
    """Return a quantile of times in words."""
    if not times:
        return ""
    found = sorted(times)[min(math.ceil(share * len(times)), len(times)) - 1]
    return "never" if found >= NEVER else f"{found:.2f} s"


def report(results: Row) -> str:
    """Return the page."""
    failed = {number: row["failed"] for number, row in results.items() if "failed" in row}
    rows = [row for row in results.values() if "failed" not in row]
    total: Counter[str] = Counter()
    for row in rows:
        total.update({name: value for name, value in row.items() if isinstance(value, int)})
    gone = sorted(chain(*(row["gone"] for row in rows)))
    times = {kind: list(chain(*(row["answers"][kind] for row in rows))) for kind in ("there", "lost")}
    times["alive"] = times["there"] + times["lost"]
    shares = {"median": 0.5, "p99": 0.99, "worst": 1.0}
    quantiles = {f"{name}_{kind}": at(share, times[kind]) for kind in times for name, share in shares.items()}
    answered = {kind: sum(each < NEVER for each in times[kind]) for kind in times}
    loads = [row["load"] for row in rows]
    together = sorted({row["at once"] for row in rows})
    wrong = "".join(f"Evening {number} went wrong: {why}\n" for number, why in failed.items())
    text = PAGE.format(
        evenings=len(rows), length=sum(row["seconds"] for row in rows) / len(rows),
        at_once=" to ".join(map(str, dict.fromkeys((together[0], together[-1])))),
        load=sum(loads) / len(loads), least=min(loads), most=max(loads),
        **{name: total[name] for name in ("people", "kills", "pressed", "taken", "games", "matches",
                                          "requests", "limited", "deferred", "unfinished", "deleted",
                                          "elsewhere")},
        by_all=total["limited by all"], cut=total["gateway cut"], reconnect=total["gateway reconnect"],
        closed=total["gateway 4000"], invalid=total["gateway invalid"],
        **{kind: len(each) for kind, each in times.items()}, gone=total["pressed gone"],
        **{f"answered_{kind}": each for kind, each in answered.items()},
        answered_gone=total["answered gone"], **quantiles,
        gone_median=gone[len(gone) // 2], gone_worst=gone[-1],
        gone_p99=gone[min(math.ceil(0.99 * len(gone)), len(gone)) - 1],
    )  # fmt: skip
    return text + wrong


def main() -> int:
    """Read the arguments and do what they say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evenings", type=int, default=EVENINGS)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=AT_ONCE)
    add_modes(parser)
    given = parser.parse_args()
    return keep(
        given, RESULTS, PAGES / "DISCORD.md",
        lambda: measure(given.evenings, given.first, given.at_once), report,
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
