"""Local times of logs: every zone, both changes of daylight saving, and clocks that are set back.

A server is simulated that plays a game every 25 minutes, of which the true time is known, and writes what the
clock where it stands shows.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from tests.games.samples import SAMPLES, counter_strike, team_fortress, ut2004

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.ingest.ingest import Ingest, Watch, named_game
from equipoise.archive.ingest.log_files import Source, find_logs, in_chains
from equipoise.core.dates import SKEW, zone_named
from equipoise.core.match import Match
from equipoise.errors import InputError
from equipoise.files.machine_zone import machine_zone

#: Seconds from one game to the next, and how long each takes.
APART, LONG = 1500.0, 600.0

#: Whole, half and quarter hours from west to east, with daylight saving in both halves of the world.
ZONES = (
    "Pacific/Honolulu", "America/New_York", "America/St_Johns", "UTC", "Europe/Berlin", "Asia/Kolkata",
    "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Kiritimati", "UTC-10", "+05:45",
    "+14",
)  # fmt: skip

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
    return stamped(counter_strike(*rounds), clock, began)


def fortress(n: int, began: float, clock: Clock) -> str:
    """Return a game of Team Fortress 2."""
    text = team_fortress("START", "KILL 0 2", "KILL 2 0", "KILL 1 3", "KILL 3 1", "WIN Red 1 0", "OVER 1 0")
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
    text = ut2004(*lines, "5 SG", f"{9 + n} K 0 D 1 Rifle", "600 T 0 1.00 flag_cap", "600 EG timelimit 0 1")
    date = datetime.fromtimestamp(round(clock(began)), UTC)
    return text.replace("2004-5-1 20:04:07", f"{date.year}-{date.month}-{date.day} {date:%H:%M:%S}")


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
    from equipoise.games.laws import parsed
    from equipoise.games.log_reader import guess_game

    game = guess_game(text.encode()).game
    return [one.id for one in parsed(game, text.encode()) if isinstance(one, Match)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", GAMES)
@pytest.mark.parametrize("zone", ZONES)
def test_every_game_has_its_true_time(zone: str, kind: str, tmp_path: Path) -> None:
    """None is lost, they stay in the order of the log, and reading is as following.

    A game is dated by when it began or ended.  Games that stand closer together than a clock goes back have
    their true time as well: the order of the log tells which of two hours it was.
    """
    times, clock = times_in(zone), clock_of(zone)
    texts = [GAMES[kind](n, began, clock) for n, began in enumerate(times)]
    log = tmp_path / "games.log"
    log.write_text("".join(texts), encoding="utf-8")
    with open_archive(f"sqlite:///{tmp_path}/read.db") as archive:
        done = ingested(archive, log, zone)
        read = games_of(archive)
        assert {**done.tally.ahead, **done.tally.set_back} == {}
        assert archive.zones() == {str(log): zone}
    with open_archive(f"sqlite:///{tmp_path}/followed.db") as archive:
        followed(archive, log, texts, zone)
        assert games_of(archive) == read
    assert [one for one, _ in read] == in_file("".join(texts))
    apart = 0.0 if kind == "quake" else LONG
    # Half-Life's clock stands still while the server's goes back.
    least, most = (-3600.0 if kind in ("halflife", "fortress", "nexuiz") else 0.0), 1.0
    near = LONG / 4 if kind == "fortress" else 1.0  # it ends before its log does
    off = [ended - began - apart for (_, ended), began in zip(read, times, strict=True)]
    assert all(least <= each <= most for each in off), off
    assert sum(abs(each) > near for each in off) <= len(changes(zone))


@pytest.mark.parametrize("kind", GAMES)
def test_a_clock_that_is_set_back_keeps_the_order(kind: str, tmp_path: Path) -> None:
    """By a year, twice, and right again later; read as followed."""
    start, year = datetime(2025, 6, 1, tzinfo=UTC).timestamp(), 365 * 86_400.0
    times = [start + APART * n for n in range(30)]
    wrong = {**dict.fromkeys(range(10, 20), -year), **dict.fromkeys(range(15, 20), -2 * year)}
    texts = [GAMES[kind](n, at, partial(float.__add__, wrong.get(n, 0.0))) for n, at in enumerate(times)]
    log = tmp_path / "games.log"
    log.write_text("".join(texts), encoding="utf-8")
    with open_archive(f"sqlite:///{tmp_path}/read.db") as archive:
        done = ingested(archive, log, "UTC")
        read = games_of(archive)
        assert sum(done.tally.set_back.values()) >= 2
    with open_archive(f"sqlite:///{tmp_path}/followed.db") as archive:
        followed(archive, log, texts, "UTC")
        assert games_of(archive) == read
    assert [one for one, _ in read] == in_file("".join(texts))
    assert len(read) == len(times)
    assert all(abs(ended - began) <= 3600.0 * 8 for (_, ended), began in zip(read, times, strict=True))


def test_what_is_ahead_counts_as_read_now_and_zones_mend_it(tmp_path: Path) -> None:
    """A server east of here, read as if it stood here: nothing is lost, and its zone puts it right."""
    now = time.time()
    times = [now - 7200.0 + APART * n for n in range(4)]
    texts = [halflife(n, began, clock_of("+10")) for n, began in enumerate(times)]
    log = tmp_path / "games.log"
    log.write_text("".join(texts), encoding="utf-8")
    with open_archive(f"sqlite:///{tmp_path}/games.db") as archive:
        done = ingested(archive, log, "UTC")
        assert [many for _, many in done.tally.ahead.values()] == [4]
        wrong = list(archive.matches())
        assert [one.id for one in wrong] == in_file("".join(texts))
        assert all(one.read is not None and now <= one.read <= time.time() for one in wrong)
        assert all(now <= (one.ended or 0.0) <= time.time() + 1.0 for one in wrong)
        archive.update_ratings()
        done = ingested(archive, log, "+10")
        assert (done.tally.duplicates, done.tally.moved) == (4, 4)
        assert archive.needs_rebuild
        archive.update_ratings()
        right = list(archive.matches())
        assert all(one.read is None and one.dated for one in right)
        ends = [(one.ended or 0.0) - LONG for one in right]
        assert ends == pytest.approx(times, abs=1.0)
        state = repr(archive.standing().state)
        archive.rebuild()
        assert repr(archive.standing().state) == state


def read_all(game: str, content: bytes) -> list[Match]:
    """Return the games of a log as its reader gives them."""
    reader = named_game(game).reader("log", 1)
    return [one for one in (*reader.read(content), *reader.end_of_file()) if isinstance(one, Match)]


#: Logs whose lines tell no date.
UNDATED = [
    (name, content)
    for name, samples in SAMPLES.items()
    for content in samples
    if (found := read_all(name, content)) and not found[0].dated
]


@pytest.mark.parametrize(("game", "content"), UNDATED, ids=[name for name, _ in UNDATED])
def test_dates_in_names_are_of_a_zone_whoever_reads(game: str, content: bytes, tmp_path: Path) -> None:
    """Its zone is told and kept; another one gives the games other dates, later ones too, and stays."""
    log = tmp_path / "match-2025-07-01-201500.log"
    log.write_bytes(content)
    wall = datetime(2025, 7, 1, 20, 15, tzinfo=UTC).timestamp()
    with open_archive(f"sqlite:///{tmp_path}/games.db") as archive:
        for zone, east in (("+10", 10.0), ("UTC-3", -3.0), ("Europe/Berlin", 2.0), ("Europe/Berlin", 2.0)):
            ingest = Ingest(archive, zone=zone_named(zone))
            ingest.read([Source(str(log), named=True)], game)
            ingest.keep()
            assert set(ingest.tally.zones.values()) == {zone}
            assert archive.zones() == {str(log.with_name("match.log")): zone}
            ends = [one.ended or 0.0 for one in archive.matches()]
            assert ends
            assert all(0.0 <= ended - (wall - 3600.0 * east) < 60.0 for ended in ends)
        again = Ingest(archive)
        again.read([Source(str(log), named=True)], game)
        again.keep()
        assert again.tally.moved == 0
        assert [one.ended or 0.0 for one in archive.matches()] == ends


def test_a_date_in_a_name_that_is_ahead_counts_as_read_now(tmp_path: Path) -> None:
    """As one in a line does: it is said and recorded, and the right zone mends it."""
    game, content = UNDATED[0]
    now = time.time()
    began = datetime.fromtimestamp(now - 600.0, zone_named("+10").rules)
    log = tmp_path / f"match-{began:%Y-%m-%d-%H%M%S}.log"
    log.write_bytes(content)
    with open_archive(f"sqlite:///{tmp_path}/games.db") as archive:
        ingest = Ingest(archive, zone=zone_named("UTC"))
        ingest.read([Source(str(log), named=True)], game)
        ingest.keep()
        assert list(ingest.tally.ahead) == [str(log)]
        assert all(one.read is not None for one in archive.matches())
        assert all(now <= (one.ended or 0.0) <= time.time() + 1.0 for one in archive.matches())
        ingest = Ingest(archive, zone=zone_named("+10"))
        ingest.read([Source(str(log), named=True)], game)
        ingest.keep()
        assert all(one.read is None for one in archive.matches())
        assert all(-601.0 <= (one.ended or 0.0) - now <= -540.0 for one in archive.matches())


def test_the_machine_matters_until_a_zone_is_kept(tmp_path: Path) -> None:
    """The variable TZ of the first process holds for the log and what lies beside it, whoever reads later."""
    log = tmp_path / "L0101001.log"
    times = [datetime(2025, 7, 1, tzinfo=UTC).timestamp() + APART * n for n in range(6)]
    texts = [halflife(n, began, clock_of("Asia/Kathmandu")) for n, began in enumerate(times)]
    store = f"sqlite:///{tmp_path}/games.db"

    def read(zone: str, *paths: Path, follow: bool = False) -> None:
        reported = ["--follow", "--once"] if follow else []
        command = [sys.executable, "-m", "equipoise", "ingest", *map(str, paths), "--store", store, *reported]
        done = subprocess.run(
            command, env={**os.environ, "TZ": zone}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr

    log.write_text("".join(texts[:2]), encoding="utf-8")
    read("Asia/Kathmandu", log)
    log.write_text("".join(texts[:4]), encoding="utf-8")
    read("America/New_York", log)
    beside = tmp_path / "L0101002.log"
    beside.write_text("".join(texts[4:]), encoding="utf-8")
    read("EST5EDT,M3.2.0,M11.1.0", beside, follow=True)
    with open_archive(store) as archive:
        assert archive.zones() == dict.fromkeys((str(log), str(beside)), "Asia/Kathmandu")
        assert [ended - LONG for _, ended in games_of(archive)] == pytest.approx(times, abs=1.0)


@pytest.mark.parametrize(
    ("variable", "name", "east"),
    [
        ("Asia/Tokyo", "Asia/Tokyo", 9.0),
        (":Asia/Kathmandu", "Asia/Kathmandu", 5.75),
        ("<+0545>-5:45", "posix:<+0545>-5:45", 5.75),
        ("UTC+10", "posix:UTC+10", -10.0),
        ("nonsense", "UTC", 0.0),
        ("", "UTC", 0.0),
    ],
)
def test_the_zone_of_a_machine(
    variable: str, name: str, east: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the variable has it, and as the archive keeps it."""
    monkeypatch.setenv("TZ", variable)
    zone = machine_zone()
    assert zone.name == name
    assert zone.moment(1e9) == zone_named(name).moment(1e9) == 1e9 - 3600.0 * east


def test_a_zone_that_is_none_is_answered_with_the_nearest() -> None:
    """And nothing is read."""
    with pytest.raises(InputError, match=r"got 'Europe/Berln'; did you mean Europe/Berlin\?"):
        zone_named("Europe/Berln")
    for wrong in ("", "posix:", "../passwd", "+25:00", "Europe"):
        with pytest.raises(InputError, match="must be a zone"):
            zone_named(wrong)
    assert ZoneInfo("Europe/Berlin") is zone_named("Europe/Berlin").rules
    assert SKEW > 0.0
