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
* the same events, in order, taken by words over IRC and by the machine itself, give the same teams, ledgers,
  matches and ratings, to the last bit.

It writes ``discord_evenings.json`` and ``DISCORD.md``; ``--evenings N`` plays so many,
``--report`` writes the
page anew, ``--check`` tells if it is stale.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import multiprocessing
import os
import random
import tempfile
import time
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.play.discord_server import Discord, Interaction
from benchmarks.reporting import PAGES, RAW, run_many

from equipoise.archive.archive import Archive, open_archive
from equipoise.core.match_records import record_data
from equipoise.play.evening_records import taken
from equipoise.play.evening_state import Phase
from equipoise.play.ledger import accounts
from equipoise.play.lobby_forms import lobby_of
from equipoise.service.kept_evening import KeptEvening

EVENINGS, KILLS = 50, 200

#: Evenings that are played at a time, and seconds of each.
AT_ONCE, LENGTH = 5, 40.0

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


def bot(token: str, url: str, store: str, channels: list[str]) -> None:
    """Run the bot, in a process of its own."""
    import logging

    from equipoise.service.chat.discord import DiscordBot, DiscordSettings
    from equipoise.service.chat.discord_ladders import Ladders

    logging.disable(logging.CRITICAL)
    lobbies = [lobby_of("duo=2v2:dock,keep,mill:veto", 600.0), lobby_of("night=allvall")]
    ladders = Ladders(store, lobbies, channels)
    asyncio.run(DiscordBot(ladders, DiscordSettings(token, url)).run())


class Evening:
    """One evening: a Discord, its people, and a bot that is killed now and then."""

    def __init__(self, seed: int, folder: Path, kills: int, length: float) -> None:
        self.rng, self.kills, self.length = random.Random(seed), kills, length
        self.store = f"sqlite:///{folder}/a.db"
        self.people = [str(1000 + n) for n in range(self.rng.randint(8, 24))]
        self.impostors = [str(9000 + n) for n in range(4)]
        self.discord = Discord(seed, heartbeat=5.0)
        self.done = Counter[str]()
        self.answers: list[float] = []
        self.pressed: dict[str, Interaction] = {}
        self.by_impostors: set[str] = set()
        self.process: Any = None
        self.context = multiprocessing.get_context("forkserver")

    def start(self) -> None:
        """Begin the bot."""
        arguments = (self.discord.token, self.discord.url, self.store, self.channels)
        self.process = self.context.Process(target=bot, args=arguments, daemon=True)
        self.process.start()

    def kill(self) -> None:
        """End the bot at once."""
        self.process.kill()
        self.process.join()
        self.discord.forget_sessions()
        self.done["kills"] += 1

    async def play(self) -> Row:
        """Play the evening, and judge it."""
        async with self.discord:
            guilds = [self.discord.guild(), self.discord.guild()]
            self.channels = [self.discord.channel(guild, "pug") for guild in guilds]
            half = len(self.people) // 2
            self.home = {who: self.channels[n >= half] for n, who in enumerate(self.people)}
            faults = self.discord.faults
            faults.twice, faults.swapped, faults.failing, faults.limited = 0.1, 0.1, 0.02, 0.05
            faults.latency = 0.02
            self.start()
            await self.discord.until(lambda: len(self.discord.buttons(self.channels[0])) > 2, 120.0)
            end = time.monotonic() + self.length
            tasks = [self._somebody(who, end) for who in self.people]
            tasks += [self._impostor(who, end) for who in self.impostors]
            await asyncio.gather(*tasks, self._trouble(end))
            self.discord.faults.twice = self.discord.faults.swapped = 0.0
            await self._settled()
            self.process.kill()
            self.process.join()
        return self._judged()

    async def _settled(self) -> None:
        """Wait until the messages say what is kept: another press is answered, and edits have gone out."""
        if not self.process.is_alive():
            self.start()
        for channel in self.channels:
            for _ in range(20):
                asked = await self.discord.type(channel, "1", "X", "status")
                await asked.done.wait()
                if not asked.failed:
                    break
        quiet, last = 0, -1
        while quiet < 5:  # nothing was edited for some seconds
            await asyncio.sleep(0.5)
            edits = len(self.discord.log)
            quiet, last = (quiet + 1 if edits == last else 0), edits

    # What happens

    async def _trouble(self, end: float) -> None:
        """Let things go wrong: kills, lost connections, messages deleted by hand."""
        kills = sorted(self.rng.uniform(0, self.length) for _ in range(self.kills))
        began = end - self.length
        for at in kills:
            while time.monotonic() < began + at:
                await asyncio.sleep(min(2.0, max(began + at - time.monotonic(), 0.01)))
                how = self.rng.choice(
                    ("cut", "reconnect", "4000", "invalid", "delete", "delete", "", "", "", "")
                )
                if how == "delete":
                    await self._delete()
                elif how:
                    self.done[f"gateway {how}"] += 1
                    await self.discord.lose(how)
            self.kill()
            self.start()

    async def _delete(self) -> None:
        channel = self.rng.choice(self.channels)
        messages = list(self.discord.messages[channel])
        if messages:
            self.done["deleted"] += 1
            await self.discord.delete(channel, self.rng.choice(messages))

    async def _somebody(self, who: str, end: float) -> None:
        """Press what makes sense in one's own channel, again where nobody answers."""
        channel, name = self.home[who], f"P{who}"
        while time.monotonic() < end:
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

    async def _impostor(self, who: str, end: float) -> None:
        """Press every button there is, of any channel in any channel, under the names of others."""
        while time.monotonic() < end:
            await asyncio.sleep(self.rng.uniform(0.3, 1.5))
            every = [each for channel in self.channels for each in self.discord.buttons(channel) if each[2]]
            game = [each for each in every if each[1] not in ("I'm in", "Maybe", "Make teams", "Out")]
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
        if not pressed.deliveries:
            self.done["nobody there"] += 1
        elif pressed.failed:
            self.done["not answered"] += 1
        else:
            self.answers.append(pressed.seconds)
            self.done["deferred"] += pressed.deferred

    # What came of it

    def _judged(self) -> Row:
        """Hold what is kept against what was pressed and shown; raise AssertionError where it differs."""
        with open_archive(self.store, create=False) as archive:
            records = archive.night_events()
            marks = [each["press"] for each in records if each.get("press")]
            assert len(marks) == len(set(marks)), "an interaction was taken twice"
            assert set(marks) <= set(self.pressed), "something was taken that nobody pressed"
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
            same = self._other_doors(archive, kept)
            lost = [each for each in self.pressed.values() if self._promised(each) and each.id not in marks]
            assert not lost, f"answered and not kept: {lost[0].payload['data']}"
            games = len(players)
        return {
            "people": len(self.people), "matches": len(ids), "games": games, "taken": len(marks),
            "same": same,
            "requests": sum(self.discord.requests.values()), "limited": self.discord.requests["429"],
            "answers": self.answers, **self.done,
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
        for event, *_ in taken(records):
            for teams in (getattr(event, "teams", ()),):
                players.setdefault(getattr(event, "game", ""), set()).update(chain(*teams))
        everybody = {f"discord:{who}" for who in self.people}
        for _, message, user in self.discord.pings:
            assert user != "everyone"
            assert f"discord:{user}" in everybody, "somebody was pinged who does not play"
            ref = refs.get(message, "")
            if ref in players:
                assert f"discord:{user}" in players[ref], "somebody was pinged who is in another game"

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

    def _other_doors(self, archive: Archive, kept: KeptEvening) -> bool:
        """Take the same events by the machine itself, with an archive of its own; all must be the same."""
        lobbies = list(kept.evening.lobbies.values())
        with (
            tempfile.TemporaryDirectory() as name,
            open_archive(f"sqlite:///{name}/b.db", create=True) as other,
        ):
            again = KeptEvening(other, lobbies)
            for event, at, nick in taken(archive.night_events()):
                if type(event).__name__ not in ("Open", "Divided", "Judged"):
                    again.take(event, at, nick)
            mine, theirs = _played(archive, kept), _played(other, again)
            different = [key for key in mine if mine[key] != theirs[key]]
            assert not different, f"another door differs in {different}"
        return True


def _played(archive: Archive, kept: KeptEvening) -> Row:
    """Return teams, ledgers, results and ratings."""
    evening, standing = kept.evening, archive.standing()
    return {
        "games": {name: (game.teams, game.chances, game.ranks, game.map, game.phase is Phase.OVER)
                  for name, game in (evening.over | evening.games).items()},
        "here": evening.waiting,
        "ledgers": {name: accounts(evening.played(name)) for name in evening.rooms},
        "matches": [{**record_data(match), "names": None} for match in archive.matches()],
        "ratings": {key: standing.model.rating(standing.state, *key) for key in standing.games},
    }  # fmt: skip


async def some(numbers: list[int], kills: list[int], length: float) -> list[Row]:
    """Play some evenings side by side."""
    with contextlib.ExitStack() as stack:
        folders = [Path(stack.enter_context(tempfile.TemporaryDirectory())) for _ in numbers]
        evenings = [Evening(*each, length) for each in zip(numbers, folders, kills, strict=True)]
        return list(await asyncio.gather(*(each.play() for each in evenings)))


def measure(evenings: int, length: float = LENGTH) -> Row:
    """Play so many evenings, with four kills each."""
    kills = evenings * KILLS // EVENINGS
    multiprocessing.set_forkserver_preload(
        ["equipoise.service.chat.discord", "equipoise.play.proposals", __name__]
    )
    each = [kills // evenings + (n < kills % evenings) for n in range(evenings)]
    began, rows = time.monotonic(), []
    for start in range(0, evenings, AT_ONCE):
        numbers = list(range(start, min(start + AT_ONCE, evenings)))
        rows += asyncio.run(some(numbers, [each[n] for n in numbers], length))
        print(f"{len(rows)} of {evenings}", flush=True)
    answers = sorted(chain(*(row.pop("answers") for row in rows)))
    total: Counter[str] = Counter()
    for row in rows:
        total.update({name: value for name, value in row.items() if not isinstance(value, bool)})
    quantiles = {name: answers[min(math.ceil(share * len(answers)), len(answers)) - 1]
                 for name, share in (("median", 0.5), ("p99", 0.99), ("worst", 1.0))}  # fmt: skip
    return {"evenings": evenings, "length": length, "seconds": time.monotonic() - began,
    "load": os.getloadavg()[1],
            "answers": len(answers), **quantiles, "total": dict(sorted(total.items()))}  # fmt: skip


PAGE = """\
# Evenings on Discord

`python -m benchmarks discord_evenings` played this and wrote it; do not edit.

{evenings} evenings of 8 to 24 people ({people} in all) in two channels of two servers each,
against a Discord \
on loopback that the library speaks to unchanged; {length:.0f} s each, {at_once} at a time,
at a load of {load:.0f} \
on two cores.
The bot was killed (SIGKILL) {kills} times and begun again.

| | |
|---|---|
| buttons pressed and commands typed | {pressed:,} |
| taken as events, each once | {taken:,} |
| games, of them with a result that counts | {games:,}, {matches:,} |
| connections cut, asked to reconnect, closed, sessions forgotten | {cut}, {reconnect}, {closed}, {invalid} |
| messages deleted by hand | {deleted} |
| requests, of them told to wait | {requests:,}, {limited:,} |
| pressed while nobody was there, or not answered in 3 s; pressed again | {nobody}, {unanswered} |
| answered | {answers:,}, of them deferred {deferred:,} |
| of those answered: median time, 99 in 100, worst | {median:.2f} s, {p99:.2f} s, {worst:.2f} s |

Interactions came twice and out of order in one of ten cases each, requests failed in one of fifty, and four \
impostors an evening pressed every button there was, of both channels, under names of players,
mentions and markdown.

Nothing that was answered is missing, nothing stands twice, no result is shown as another, nothing that an \
impostor pressed was taken, and nobody was pinged who does not play.
The events of each evening, taken again without Discord, give the same teams, ledgers, matches and ratings,
to \
the last bit, as `python -m benchmarks doors` shows of all doors.
"""


def report(results: Row) -> str:
    """Return the page."""
    total = results["total"]
    return PAGE.format(
        **{name: results[name] for name in ("evenings", "length", "load", "answers", "median", "p99",
        "worst")},
        at_once=AT_ONCE, deferred=total.get("deferred", 0), deleted=total.get("deleted", 0),
        **{name: total[name] for name in ("people", "kills", "pressed", "taken", "games", "matches",
        "requests", "limited")},
        cut=total.get("gateway cut", 0), reconnect=total.get("gateway reconnect", 0),
        closed=total.get("gateway 4000", 0), invalid=total.get("gateway invalid", 0),
        nobody=total.get("nobody there", 0), unanswered=total.get("not answered", 0),
    )  # fmt: skip


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(
        __doc__, RAW / "discord_evenings.json", PAGES / "DISCORD.md", measure, report, evenings=EVENINGS
    )


if __name__ == "__main__":
    print(json.dumps(measure(1), indent=1))
