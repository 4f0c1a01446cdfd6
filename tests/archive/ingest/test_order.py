"""Games without dates are replayed in the order of their log, however it is cut."""

from __future__ import annotations

import gzip
import itertools
import os
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.games.samples import CTF, TDM, real

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.ingest.ingest import Ingest
from equipoise.archive.ingest.log_files import date_of, find_logs, in_chains, piece_of
from equipoise.core.dates import SourceDates
from equipoise.core.match import Match
from equipoise.core.registry import GAMES, resolve
from equipoise.games.laws import parsed

#: Some hour, after the dates in names, and the hours between pieces of a log.
NOON, HOUR = 1.77e9, 3600.0


def without_dates(log: bytes) -> bytes:
    """Return a log of the Quake 3 family without dates."""
    return re.sub(rb"\\g_timestamp\\[^\\\r\n]*", b"", log)


def console(log: bytes) -> bytes:
    """Return the same as a console prints it: without times."""
    return re.sub(rb"(?m)^ *\d+:\d\d ", b"", log)


LOGS = {
    "quake3": without_dates(real(TDM)),
    "quake3 console": console(without_dates(real(CTF))),
    "nexuiz": real("nexuiz_tdm_console_eventlog"),
}


def games_of(name: str) -> list[Match]:
    """Return the matches of a log, in the order in which they stand."""
    game = resolve("game", GAMES, name.partition(" ")[0])
    return [one for one in parsed(game, LOGS[name]) if isinstance(one, Match)]


def ingest(archive: Archive, *paths: Path, assumed: float | None = None) -> Ingest:
    """Read files, as the command does."""
    ingest = Ingest(archive, assumed)
    for chain in in_chains(find_logs(tuple(map(str, paths)))):
        ingest.read(chain)
    ingest.keep()
    return ingest


def write(path: Path, content: bytes, hours: float = 0.0) -> Path:
    """Write a file as of some time."""
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    os.utime(path, (NOON + HOUR * hours,) * 2)
    return path


def order_of(archive: Archive) -> list[str]:
    """Return the ids of the matches in replay order."""
    return [match.id for match in archive.matches()]


def new(tmp_path: Path, counter: itertools.count[int] = itertools.count()) -> Archive:  # noqa: B008  # one for all
    """Return a new archive."""
    return open_archive(f"sqlite:///{tmp_path / f'{next(counter)}.db'}")


@pytest.mark.slow
@pytest.mark.parametrize("log", LOGS)
def test_games_keep_the_order_of_their_log(tmp_path: Path, log: str) -> None:
    """A whole log; nothing is of 1970, and the games say that their dates are assumed."""
    with new(tmp_path) as archive:
        done = ingest(archive, write(tmp_path / "games.log", LOGS[log]))
        assert order_of(archive) == [match.id for match in games_of(log)]
        assert all(not match.dated and (match.ended or 0.0) >= NOON for match in archive.matches())
        assert list(done.tally.dated_by.values()) == ["the time of the file"]


#: Names of the pieces of a log, the oldest first.
NAMES = (
    ("games.log.2.gz", "games.log.1", "games.log"),
    ("games.log-20260129", "games.log-20260130.gz", "games.log"),
    ("games.2.log", "games.1.log", "games.log"),
    ("games-2026-01-29.log", "games-2026-01-30.log", "games-2026-01-31.log"),
    ("first", "second", "third"),
)


def parts_of(content: bytes, places: Sequence[int]) -> list[bytes]:
    """Return the parts of a log between some places."""
    return [content[a:b] for a, b in itertools.pairwise([0, *sorted(places), len(content)])]


@pytest.mark.slow
@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("names", NAMES[:4])
def test_a_log_that_was_cut_anywhere_is_the_whole(tmp_path: Path, log: str, names: Sequence[str]) -> None:
    """Pieces that are read together give the games that lie across their ends too, whatever their times."""
    rng = np.random.default_rng(len(names[0]) + len(log))
    with new(tmp_path) as whole:
        ingest(whole, write(tmp_path / "games.log", LOGS[log]))
        digest, order = whole.digest(), order_of(whole)
    for attempt in range(2):
        folder = tmp_path / f"{attempt}"
        folder.mkdir()
        cuts = rng.integers(0, len(LOGS[log]), 2).tolist()
        paths = [
            write(folder / name, part, 2000.0 + (hours if attempt else 0.0))
            for hours, (name, part) in enumerate(zip(names, parts_of(LOGS[log], cuts), strict=True))
        ]
        with new(tmp_path) as archive:
            ingest(archive, *[paths[n] for n in rng.permutation(3)])
            assert archive.digest() == digest, (attempt, cuts)
            assert order_of(archive) == order


@pytest.mark.slow
@pytest.mark.parametrize("log", LOGS)
@pytest.mark.parametrize("names", NAMES)
def test_pieces_may_be_read_one_by_one_in_any_order(tmp_path: Path, log: str, names: Sequence[str]) -> None:
    """Cut between games, each with a command of its own; the order is that of the log."""
    starts = [each.start() for each in re.finditer(rb"(?m)^(?: *\d+:\d\d )?InitGame|^:gamestart:", LOGS[log])]
    parts = parts_of(LOGS[log], [starts[1], starts[-1]])
    paths = [
        write(tmp_path / name, part, hours)
        for hours, (name, part) in enumerate(zip(names, parts, strict=True))
    ]
    expected = [match.id for match in games_of(log)]
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        with new(tmp_path) as archive:
            for n in order:
                ingest(archive, paths[n])
            assert order_of(archive) == expected


@pytest.mark.slow
def test_sources_of_one_date_go_by_their_first_game(tmp_path: Path) -> None:
    """The order of reading makes no difference, and a copy that is later changes nothing."""
    one, other = (write(tmp_path / f"{n}.log", LOGS[log]) for n, log in enumerate(("quake3", "nexuiz")))
    copy = write(tmp_path / "copy.log", LOGS["quake3"], 5.0)
    with new(tmp_path) as first, new(tmp_path) as second:
        for path in (one, other, copy):
            ingest(first, path)
        for path in (copy, other, one):
            ingest(second, path)
        assert order_of(first) == order_of(second)
        assert first.digest() == second.digest()
        first.update_ratings()
        second.update_ratings()
        assert first.standing().state == second.standing().state


@pytest.mark.slow
def test_later_games_of_a_log_are_an_addition(tmp_path: Path) -> None:
    """Nothing is rebuilt when a log without dates has grown."""
    log = LOGS["quake3"]
    starts = [each.start() for each in re.finditer(rb"(?m)^ *\d+:\d\d InitGame", log)]
    with new(tmp_path) as archive:
        for hours, end in enumerate([*starts[20:60:20], len(log)]):
            path = write(tmp_path / "games.log", log[:end], hours / 1e6)
            ingest = Ingest(archive)
            for chain in in_chains(find_logs((str(path),))):
                ingest.read(chain)
            ingest.keep()
            updated = archive.update_ratings()
            assert updated.matches
            assert not updated.rebuilt
        assert order_of(archive) == [match.id for match in games_of("quake3")]


def test_a_date_may_be_given(tmp_path: Path) -> None:
    """It stands in the place of the time of the file, and nothing need be said."""
    with new(tmp_path) as archive:
        done = ingest(archive, write(tmp_path / "games.log", LOGS["nexuiz"]), assumed=NOON / 2)
        assert all(abs((match.ended or 0.0) - NOON / 2) < 1.0 for match in archive.matches())
        assert not done.tally.dated_by


def test_dates_in_the_log_come_first() -> None:
    """A game without a date after one with a date is later than that."""
    dated, *others = games_of("nexuiz")[:3]
    dating = SourceDates(NOON)
    from dataclasses import replace

    assert dating.dated(replace(dated, dated=True, ended=5.0), NOON).match.ended == 5.0
    times = [dating.dated(other, NOON).match.ended or 0.0 for other in others]
    assert 5.0 < times[0] < times[1] < 6.0


@pytest.mark.parametrize(
    ("name", "number", "date"),
    [
        ("games.log", 0, None),
        ("games.log.3.gz", 3, None),
        ("games.3.log", 3, None),
        ("games.log-19700102", 0, 86400.0),
        ("games.log-20010101.xz", 0, 978307200.0),
        ("games_2001-01-01_00-01.log", 0, 978307260.0),
        ("games.log-1600000000", 0, 1600000000.0),
        ("nexuiz00000003.log", 0, None),
        ("a-20019999", 0, None),
    ],
)
def test_names_tell_numbers_and_dates(name: str, number: int, date: float | None) -> None:
    """As logrotate and people write them."""
    assert piece_of(name)[1:3] == (number, date)


def test_the_number_of_a_rotation_tells_more_than_times(tmp_path: Path) -> None:
    """Where files were copied without their times, the higher number is the older."""
    for n, name in enumerate(("games.log", "games.log.1", "games.log.2")):
        write(tmp_path / name, b"", n)
    dates = [date_of(tmp_path / name)[0] for name in ("games.log.2", "games.log.1", "games.log")]
    assert dates == sorted(dates)
    assert len(set(dates)) == 3
    assert dates[-1] == NOON
