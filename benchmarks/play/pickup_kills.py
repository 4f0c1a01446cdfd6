"""Kill the pick-up bot and nights: ``python -m benchmarks pickup_kills`` does it 100 times each.

*The bot.*  Clients on a real IRC server (ngircd) play games without an end; they do not look at what is
said, but add, are ready, vote and report over and over, so that nothing depends on a line that a kill has
swallowed.  The bot is killed (SIGKILL) at random moments and begun again.  Then nothing that the lobbies
announce of a game may have been said twice, no result may stand twice in the archive, and what is said to
count must be what the archive has.

*Nights.*  Steps of ``equipoise night`` are killed at random moments and taken again with the same words where
they were not taken.  Ratings must end as those of the same steps without a kill.

It writes ``pickup_kills.json`` and ``PICKUP_KILLS.md``; ``--times N`` does it N times, ``--report`` writes
the page anew, ``--check`` tells if it is stale.
"""

from __future__ import annotations

import os
import random
import re
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.play.irc import Person, bot, ngircd
from benchmarks.ports import free_port
from benchmarks.reporting import PAGES, RAW, run_many

from equipoise.archive.archive import open_archive
from equipoise.cli import group
from equipoise.errors import InputError
from equipoise.play import evening_events as ev
from equipoise.play.evening_events import EveningLobby
from equipoise.play.evening_records import taken
from equipoise.service.pickup_lobbies import Pickups

#: Kills of each kind, the longest time from the bot's arrival to a kill, and the time after the last, in s.
TIMES, LONGEST, LAST = 100, 4.0, 20.0

NICKS = ("ann", "bob", "cid", "dan")
LOBBY = EveningLobby("two", 2, 2)

#: What everyone says over and over.
WORDS = ("!add", "!ready", "!yes", "!report 2 1")

#: Seconds between two lines of one person: what the bot listens to.
BETWEEN = 2.1

Row = dict[str, Any]


def killed_bot(times: int, seed: int = 0, ending: float = LAST) -> Row:
    """Kill the bot so often; raise AssertionError where something is doubled or lost."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        folder.chmod(0o755)
        store = folder / "a.db"
        with ngircd(folder / "ngircd", port):
            people = [Person(port, nick) for nick in NICKS]
            spoken = 0
            for n in range(times + 1):
                with bot(port, store, "--lobby", "two=2v2", "--ready-time", "600") as process:
                    last = n == times
                    end = time.monotonic() + (ending if last else rng.random() * LONGEST)
                    while time.monotonic() < end:
                        said = WORDS[spoken // len(people) % len(WORDS)]
                        people[spoken % len(people)].say(said)
                        spoken += 1
                        time.sleep(min(BETWEEN / len(people), max(end - time.monotonic(), 0.0)))
                    process.send_signal(signal.SIGTERM if last else signal.SIGKILL)
                    process.wait()
            people[0].raw("PING end")
            people[0].expect("PONG")
            heard = [line.partition(" :")[2] for line in people[0].heard if "PRIVMSG #pug :[two]" in line]
            while Person.everyone:
                Person.everyone.pop().close()
        return {"kills": times, **_judged(store, heard)}


def _judged(store: Path, heard: list[str]) -> Row:
    """Hold what was said against what is kept."""
    counted = [match[1] for line in heard if (match := re.search(r"it counts \((\S+)\)", line))]
    with open_archive(f"sqlite:///{store}", create=False) as archive:
        kept = [match.id for match in archive.matches()]
        lobbies = Pickups(archive, [LOBBY]).evening
        began = len(lobbies.over) + len(lobbies.games)
    assert len(kept) == len(set(kept)), "a result stands twice in the archive"
    assert max(Counter(counted).values(), default=1) == 1, "a result was announced twice"
    assert set(counted) <= set(kept), "a result was announced that is not kept"
    assert set(kept) == {name for name, game in lobbies.over.items() if game.counted}, "not what lobbies say"
    said = {what: sum(what in line for line in heard) for what in ("type !ready", "play: ")}
    assert max(said.values()) <= began, f"something was announced twice: {said} of {began} games"
    return {"games": len(kept), "announced": len(counted), "lines": len(heard)}


# Nights


def _in_child(store: str, words: list[str]) -> int:
    """Start a step in a child, which has imported all it needs, and return the child's id."""
    child = os.fork()
    if child:
        return child
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    try:
        group.main(["night", "--store", store, *words], standalone_mode=False)
    finally:
        os._exit(0)


def _steps(number: int) -> list[list[str]]:
    """Return the steps of a night, which give the same whenever they are taken."""
    at = ["--at", str(1_700_000_000 + 3600 * number)]
    return [["Amber 1500", "Birch 1400", "Cedar + Dahlia", "Elm", "Fir"], ["won", "red", *at],
            ["again", "--same"], ["score", "3", "1", "--at", str(1_700_001_000 + 3600 * number)]]  # fmt: skip


def _events(store: str) -> int:
    """Return how many steps were taken; an archive whose making was killed has none."""
    try:
        with open_archive(store, create=False) as archive:
            events = [event for event, *_ in taken(archive.night_events())]
            return sum(not isinstance(event, (ev.Open, *ev.ANSWERS)) for event in events)
    except InputError:
        return 0


def _players(store: str) -> Any:
    with open_archive(store, create=False) as archive:
        archive.update_ratings()
        return archive.standing().state


def killed_nights(times: int, seed: int = 0) -> Row:
    """Kill so many steps; raise AssertionError where they do not end as they would have without a kill."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        plain, killed = (f"sqlite:///{folder}/{name}.db" for name in ("plain", "killed"))
        began = time.monotonic()
        words = [step for number in range(-(-times // 4)) for step in _steps(number)][:times]
        for step in words:
            os.waitpid(_in_child(plain, step), 0)
        whole = (time.monotonic() - began) / len(words)
        taken = 0
        for before, step in enumerate(words):
            child = _in_child(killed, step)
            time.sleep(rng.random() * whole)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            there = _events(killed) > before
            taken += there
            if not there:
                os.waitpid(_in_child(killed, step), 0)
            assert _events(killed) == before + 1, f"{step} was not taken once"
        assert _players(plain) == _players(killed), "ratings are not those without a kill"
        with open_archive(killed, create=False) as archive:
            matches = archive.count()
    return {"kills": len(words), "taken": taken, "matches": matches}


def report(results: Row) -> str:
    """Return the page."""
    chat, nights = results["bot"], results["nights"]
    return f"""\
# Kills of the pick-up bot and of nights

`python -m benchmarks pickup_kills` did this and wrote it; do not edit.

- The bot was killed (SIGKILL) {chat["kills"]} times at random moments on a real IRC server, while \
{len(NICKS)} clients played two against two without looking at what was said.
- {chat["games"]} games ended; each stands in the archive once, {chat["announced"]} of the results were \
announced, the others swallowed by a kill, none twice, and no ready check and no teams to play were either \
({chat["lines"]} lines).
- {nights["kills"]} steps of `equipoise night` were killed at random moments; {nights["taken"]} had been \
taken, the others were taken by the same words again.
- {nights["matches"]} matches are kept, each once, and the ratings are bit for bit those of the same steps \
without a kill.
"""


def measure(times: int) -> Row:
    """Kill both so many times."""
    return {"nights": killed_nights(times), "bot": killed_bot(times)}


def main() -> int:
    """Read the arguments and do what they say."""
    return run_many(
        __doc__, RAW / "pickup_kills.json", PAGES / "PICKUP_KILLS.md", measure, report, times=TIMES
    )
