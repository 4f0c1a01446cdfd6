"""Local times of logs: every zone, both changes of daylight saving, and clocks that are set back.

The server is that of :mod:`benchmarks.archive.zones`, which goes through all offsets there are.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from benchmarks.archive.zones import (
    APART,
    GAMES,
    LONG,
    OFFSETS,
    YEAR,
    changes,
    clock_of,
    followed,
    games_of,
    halflife,
    in_file,
    ingested,
    judged,
    set_back,
    times_in,
)
from tests.games.samples import SAMPLES

from equipoise.archive.archive import open_archive
from equipoise.archive.ingest.ingest import Ingest, named_game
from equipoise.archive.ingest.log_files import Source
from equipoise.core.dates import SKEW, zone_named
from equipoise.core.match import Match
from equipoise.errors import InputError
from equipoise.files.machine_zone import machine_zone

#: Whole, half and quarter hours from west to east, with daylight saving in both halves of the world.
ZONES = (
    "Pacific/Honolulu", "America/New_York", "America/St_Johns", "UTC", "Europe/Berlin", "Asia/Kolkata",
    "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Chatham", "Pacific/Kiritimati", "UTC-10", "+05:45",
    "+14",
)  # fmt: skip


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
    times, clocks = set_back(clock_of("UTC"))
    assert clocks[12](YEAR) == 0.0
    texts = [GAMES[kind](n, at, clock) for n, (at, clock) in enumerate(zip(times, clocks, strict=True))]
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


@pytest.mark.parametrize("zone", [OFFSETS[0], "+12:45"])
def test_the_benchmark_of_zones_finds_nothing_wrong(zone: str) -> None:
    """With few games; the wrong zone would be found."""
    times, clock = times_in(zone)[:4], clock_of(zone)
    right = judged("quake", zone, times, [clock] * 4, 1.0)
    assert {name for name, count in right.items() if count} == {"games"}
    assert judged("quake", "UTC", times, [clock] * 4, 1.0)["early_or_late"] == 4


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
