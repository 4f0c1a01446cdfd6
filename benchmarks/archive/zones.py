"""Local times of logs, in every zone: ``python -m benchmarks zones`` writes ``ZONES.md``.

A server is simulated that plays a game every 25 minutes, of which the true time is known, and writes what the
clock where it stands shows: for ten hours around each change of that clock, and while it is a year wrong.
Each log is read at once, and followed while it grows by one who begins anew after every third game.
"""

from __future__ import annotations

import runpy
import tempfile
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks import reporting
from benchmarks.reporting import PAGES, RAW, ROOT

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.ingest.ingest import Ingest, Watch
from equipoise.archive.ingest.log_files import find_logs, in_chains
from equipoise.core.dates import zone_named
from equipoise.core.match import Match
from equipoise.games.laws import parsed
from equipoise.games.log_reader import guess_game

#: What writes games as their servers do.
SAMPLES = runpy.run_path(str(ROOT / "tests" / "games" / "samples.py"))

#: Seconds from one game to the next, and how long each takes.
APART, LONG = 1500.0, 600.0

#: Whole hours, and the half and quarter ones that clocks stand at somewhere, from west to east.
OFFSETS = (
    *(f"{hours:+03d}" for hours in range(-10, 15)), "-09:30", "-03:30", "-02:30", "+03:30", "+04:30",
    "+05:30", "+05:45", "+06:30", "+08:45", "+09:30", "+10:30", "+12:45", "+13:45",
)  # fmt: skip

#: Where clocks are changed, in both halves of the world, by an hour and by half of one.
CHANGED = (
    "America/New_York", "America/St_Johns", "America/Santiago", "Europe/London", "Europe/Berlin",
    "Africa/Cairo", "Australia/Lord_Howe", "Australia/Adelaide", "Pacific/Auckland", "Pacific/Chatham",
)  # fmt: skip

ZONES = (*OFFSETS, *CHANGED)

#: What a clock shows at a moment, both in seconds.
Clock = Callable[[float], float]


def clock_of(zone: str) -> Clock:
    """Return the clock of a server in a zone."""
    rules = zone_named(zone).rules
    return lambda at: datetime.fromtimestamp(at, rules).replace(tzinfo=UTC).timestamp()


def shown(clock: Clock, at: float, form: str) -> str:
    """Return a moment as a clock writes it."""
    return datetime.fromtimestamp(round(clock(at)), UTC).strftime(form)


def stamped(text: str, clock: Clock, began: float) -> str:
    """Return a log of the Half-Life family that begins at a moment and takes :data:`LONG` seconds."""
    lines = [line.split(": ", 1)[1] for line in text.splitlines()]
    every = LONG / (len(lines) - 1)
    return "".join(
        f"L {shown(clock, began + every * n, '%m/%d/%Y - %H:%M:%S')}: {line}\n"
        for n, line in enumerate(lines)
    )


def halflife(n: int, began: float, clock: Clock) -> str:
    """Return a game of Counter-Strike."""
    rounds = ["WIN CT 1 0", f'say "game {n}"']
    return stamped(SAMPLES["counter_strike"](*rounds), clock, began)


def fortress(n: int, began: float, clock: Clock) -> str:
    """Return a game of Team Fortress 2."""
    text = SAMPLES["team_fortress"](
        "START", "KILL 0 2", "KILL 2 0", "KILL 1 3", "KILL 3 1", "WIN Red 1 0", "OVER 1 0"
    )
    loading = f'L 01/01/2021 - 00:00:00: Loading map "cp_{n}"\n'
    return stamped(f"{loading}{text}L 01/01/2021 - 00:00:00: Log file closed\n", clock, began)


def quake(n: int, began: float, clock: Clock) -> str:
    """Return a game of Open Arena, which writes when it began."""
    stamp = shown(clock, began, "%Y-%m-%d %H:%M:%S")
    start = rf"InitGame: \gamename\baseoa\g_gametype\3\mapname\oa_{n}\g_timestamp\{stamp}"
    people = [
        line
        for slot in range(4)
        for line in (
            rf"ClientUserinfoChanged: {slot} n\P{slot}\t\{1 + slot % 2}\id\{GUID}{slot}",
            f"ClientBegin: {slot}",
        )
    ]
    lines = [start, *people]
    text = "".join(f"  0:00 {line}\n" for line in lines)
    return text + " 10:00 Exit: Timelimit hit.\n 10:00 red:3  blue:1\n 10:00 ShutdownGame:\n"


def unreal(n: int, began: float, clock: Clock) -> str:
    """Return a game of Unreal Tournament 2004, which writes when it began."""
    ids = [f"0123456789abcdef0123456789abcde{digit}" for digit in "12"]
    lines = [line for slot in (0, 1) for line in (
        f"1 C {slot} {ids[slot]} p{slot} pw", f"1 G NameChange {slot} P{slot}",
        f"1 G TeamChange {slot} {slot}",
    )]  # fmt: skip
    text = SAMPLES["ut2004"](
        *lines, "5 SG", f"{9 + n} K 0 D 1 Rifle", "600 T 0 1.00 flag_cap", "600 EG timelimit 0 1"
    )
    date = datetime.fromtimestamp(round(clock(began)), UTC)
    return str(text).replace("2004-5-1 20:04:07", f"{date.year}-{date.month}-{date.day} {date:%H:%M:%S}")


def nexuiz(n: int, began: float, clock: Clock) -> str:
    """Return a game of Nexuiz, with a date before each event."""
    events = [
        f":gamestart:tdm_{n}:3.0.5", ":gameinfo:mutators:LIST", ":gameinfo:end", ":join:1:1:bot:[BOT]Eve",
        ":team:1:5", ":join:2:2:10.0.0.1:Ann", ":team:2:14", ":scores:x:99", ":labels:player:score!!,kills",
        ":labels:teamscores:score!!", ":teamscores:see-labels:1:5", ":teamscores:see-labels:2:14", ":end",
    ]  # fmt: skip
    every = LONG / (len(events) - 1)
    return "".join(
        f":time:{shown(clock, began + every * at, '%Y-%m-%d %H:%M:%S')}\n{event}\n"
        for at, event in enumerate(events)
    )


#: How those of Open Arena begin.
GUID = "0123456789ABCDEF0123456789ABCDE"

GAMES = {"halflife": halflife, "fortress": fortress, "quake": quake, "unreal": unreal, "nexuiz": nexuiz}


def changes(zone: str) -> list[float]:
    """Return when the clocks of a zone were changed in 2025, or the new year where they were not."""
    clock, start = clock_of(zone), datetime(2025, 1, 1, tzinfo=UTC).timestamp()
    hours = [start + 1800.0 * n for n in range(2 * 8760)]
    found = [two for one, two in pairwise(hours) if clock(two) - clock(one) != 1800.0]
    return found or [start]


def times_in(zone: str) -> list[float]:
    """Return when games began: for ten hours around each change of the clocks."""
    return [change + APART * n for change in changes(zone) for n in range(-12, 13)]


def ingested(archive: Archive, log: Path, zone: str | None) -> Ingest:
    """Read a log once."""
    ingest = Ingest(archive, zone=None if zone is None else zone_named(zone))
    for chain in in_chains(find_logs((str(log),))):
        ingest.read(chain)
    ingest.keep()
    return ingest


def followed(archive: Archive, log: Path, texts: list[str], zone: str | None) -> None:
    """Follow a log while it grows, beginning anew after every third game."""
    log.write_text("", encoding="utf-8")
    for first in range(0, len(texts), 3):
        with Watch(archive, str(log), zone=None if zone is None else zone_named(zone)) as watch:
            for text in texts[first : first + 3]:
                with log.open("a", encoding="utf-8") as file:
                    file.write(text)
                tally, _ = watch.step()
                assert tally.skipped_lines + tally.unfinished == 0, tally


def games_of(archive: Archive) -> list[tuple[str, float]]:
    """Return the games in replay order: their ids and when they ended."""
    return [(match.id, match.ended or 0.0) for match in archive.matches()]


def in_file(text: str) -> list[str]:
    """Return the ids of a log in the order of the log."""
    game = guess_game(text.encode()).game
    return [one.id for one in parsed(game, text.encode()) if isinstance(one, Match)]


#: Games played with a clock that is a year wrong for a while, and two.
WRONG, YEAR = 30, 365 * 86_400.0


def set_back(clock: Clock) -> tuple[list[float], list[Clock]]:
    """Return when games began, and the clock of each: a year wrong, then two, and right again."""
    start = datetime(2025, 6, 1, tzinfo=UTC).timestamp()
    wrong = {**dict.fromkeys(range(10, 20), -YEAR), **dict.fromkeys(range(15, 20), -2 * YEAR)}

    def shows(off: float, at: float) -> float:
        return clock(at) + off

    clocks: list[Clock] = [partial(shows, wrong.get(n, 0.0)) for n in range(WRONG)]
    return [start + APART * n for n in range(WRONG)], clocks


def judged(kind: str, zone: str, times: list[float], clocks: list[Clock], near: float) -> Counter[str]:
    """Return what became of a log of games: how many were lost, in another order, or at another time.

    Parameters
    ----------
    kind, zone : str
        The game, and the zone that is named.
    times, clocks : list
        When each began, and what the clock showed then.
    near : float
        Seconds by which a date may be off.
    """
    texts = [GAMES[kind](n, began, clock) for n, (began, clock) in enumerate(zip(times, clocks, strict=True))]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "games.log")
        log.write_text("".join(texts), encoding="utf-8")
        with open_archive(f"sqlite:///{folder}/read.db") as archive:
            ingested(archive, log, zone)
            read, digest = games_of(archive), archive.digest()
        with open_archive(f"sqlite:///{folder}/followed.db") as archive:
            followed(archive, log, texts, zone)
            same = games_of(archive) == read and archive.digest() == digest
    wanted, found = in_file("".join(texts)), [one for one, _ in read]
    apart = 0.0 if kind == "quake" else LONG
    off = [abs(ended - began - apart) for (_, ended), began in zip(read, times, strict=False)]
    return Counter(
        games=len(times), lost=len(times) - len(found), disordered=int(found != wanted),
        different=int(not same), early_or_late=sum(each > near for each in off),
    )  # fmt: skip


def measured(zones: range) -> dict[str, Any]:
    """Return what became of the games of some zones, by their numbers."""
    rows = {}
    for zone in (ZONES[n] for n in zones):
        total: Counter[str] = Counter()
        for kind in GAMES:
            times, clock = times_in(zone), clock_of(zone)
            # While clocks are put back, Half-Life's stands still.
            near = LONG / 4 + (3600.0 if zone in CHANGED else 0.0)
            total.update(judged(kind, zone, times, [clock] * len(times), near))
            total.update(judged(kind, zone, *set_back(clock), 8 * 3600.0))
        rows[zone] = {**total, "changes": len(changes(zone)) if zone in CHANGED else 0}
    return {"zones": rows}


def page(parts: list[dict[str, Any]]) -> str:
    """Return the page of raw results."""
    zones = {zone: row for part in parts for zone, row in part["zones"].items()}
    rows = "\n".join(
        "| {zone} | {changes} | {games:,} | {lost} | {disordered} | {different} | {early_or_late} |".format(
            zone=zone, **row
        )
        for zone, row in zones.items()
    )
    total = sum(row["games"] for row in zones.values())
    lost = sum(row["lost"] for row in zones.values())
    return PAGE.format(
        zones=len(zones), kinds=len(GAMES), total=total, lost=lost, rows=rows, near=LONG / 4,
    )  # fmt: skip


PAGE = """\
# Zones

`python -m benchmarks zones` measured and wrote this; do not edit.

Servers in {zones} zones, each with logs of {kinds} kinds (Counter-Strike, Team Fortress 2, Open Arena, \
Unreal Tournament 2004, Nexuiz): a game every 25 minutes, for ten hours around each change of the clock \
(around the new year where it is never changed), and in another log while the clock is set back by a year, \
by two, and put right.
Every log was read at once with `--zone`, and followed while it grew, by a process that began anew after \
every third game.
Of {total:,} games {lost} were lost.
"Order" counts logs whose games are replayed in another order than they stand in, "followed" those that \
gave another archive when they were followed than when they were read, and "date" games whose date is off: \
by more than {near:.0f} s, where clocks are changed by an hour more, and by more than eight hours of what \
was played with a clock that is years wrong.

| zone | changes | games | lost | order | followed | date |
|---|---|---|---|---|---|---|
{rows}
"""


def main() -> int:
    """Read the arguments and do what they say."""
    return reporting.run_parts(
        __doc__, RAW / "zones.json", PAGES / "ZONES.md", measured, page, size=4, zones=len(ZONES)
    )
