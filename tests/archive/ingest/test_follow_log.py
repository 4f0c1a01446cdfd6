"""A live log is followed over rotation within one run and over restarts, and nothing of it is lost.

Whole schedules, with games and kills: ``benchmarks/archive/rotation.py``; here are single cases.
"""

from __future__ import annotations

import gzip
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.archive.archive import open_archive
from equipoise.archive.ingest.follow_log import BREAK, Following, LogPosition
from equipoise.archive.ingest.ingest import Watch
from equipoise.archive.ingest.log_files import UnreadableLogError

#: What can happen to a log between two looks.
EVENTS = ("write", "look", "rename", "truncate", "compress", "restart")


class Log:
    """A log that is written to and rotated, and all that was ever written."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "games.log"
        self.path.write_bytes(b"")
        self.written = b""
        self.rotated = 0

    def write(self) -> None:
        """Write a line and a half."""
        piece = f"line {len(self.written)}\nhalf".encode()
        self.written += piece
        with self.path.open("ab") as out:
            out.write(piece)

    def rename(self, *, compressed: bool = False) -> None:
        """Move the log out of the way, as if after some time, and begin a new one."""
        beside = self._beside()
        self.path.rename(beside)
        if compressed:
            Path(f"{beside}.gz").write_bytes(gzip.compress(beside.read_bytes()))
            beside.unlink()
        self.path.write_bytes(b"")

    def _beside(self) -> Path:
        """Make room for the newest piece, which has the number 1, and return its path."""
        for number in range(self.rotated, 0, -1):
            for ending in ("", ".gz"):
                older = self.path.with_name(f"games.log.{number}{ending}")
                if older.exists():
                    older.rename(self.path.with_name(f"games.log.{number + 1}{ending}"))
        self.rotated += 1
        return self.path.with_name("games.log.1")

    def truncate(self) -> None:
        """Copy the log, and empty it."""
        shutil.copy(self.path, self._beside())
        self.path.write_bytes(b"")


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=st.lists(st.sampled_from(EVENTS), max_size=14))
def test_every_byte_is_given_once_whatever_happens(
    tmp_path_factory: pytest.TempPathFactory, events: list[str]
) -> None:
    """As long as a look falls between two rotations; a follower that is restarted goes on where it was."""
    log = Log(tmp_path_factory.mktemp("logs"))
    log.write()
    following = Following(str(log.path))
    earlier, now, looked = b"", b"".join(following.poll()), True
    for event in [*events, "look"]:
        if event == "write":
            log.write()
        elif event in ("look", "restart"):
            now += b"".join(following.poll())
            looked = True
            place = following.place(len(now), now.count(b"\n"))
            if event == "restart" and place is not None:
                following.close()
                following = Following(str(log.path), place)
                earlier, now = earlier + now, b""
        elif looked:
            log.truncate() if event == "truncate" else log.rename(compressed=event == "compress")
            log.write()
            looked = False
    following.close()
    assert earlier + now == log.written


def test_what_is_lost_is_reported(tmp_path: Path) -> None:
    """A log that was truncated without a copy is gone, and the follower says so."""
    path = tmp_path / "games.log"
    path.write_bytes(b"first\nsecond\n")
    following = Following(str(path))
    assert b"".join(following.poll()) == b"first\nsecond\n"
    path.write_bytes(b"third\n")
    assert b"".join(following.poll()) == b"third\n"
    assert "it was replaced" in following.news[0]
    place = following.place(6, 1)
    assert place is not None
    assert place == LogPosition(6, place.tail, 6, 1)
    following.close()


def beside(tmp_path: Path, **files: bytes) -> str:
    """Write pieces of a log, the oldest first, and return the path of the log."""
    for hours, (name, content) in enumerate(files.items()):
        path = tmp_path / ("games.log" + name.removeprefix("log").replace("_", "."))
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
        os.utime(path, (1e9 + 3600.0 * hours,) * 2)
    return str(tmp_path / "games.log")


def given_by(following: Following) -> bytes:
    """Return what is new, up to now."""
    return b"".join(following.poll())


def test_what_lies_beside_the_log_is_read_first(tmp_path: Path) -> None:
    """The oldest piece first, compressed or not; a piece that is being compressed is read once."""
    path = beside(
        tmp_path, log_3_gz=b"one\n", log_2=b"two\n", log_1=b"three\n", log_1_gz=b"thr", log=b"four\n"
    )
    following = Following(path)
    assert given_by(following) == b"one\ntwo\nthree\nfour\n"
    following.close()


def test_a_follower_that_saw_an_empty_log_reads_what_is_rotated_next(tmp_path: Path) -> None:
    """It is stopped with a place in the piece before; the one that was empty is read when it is found."""
    path = Path(beside(tmp_path, log=b"one\n"))
    following = Following(str(path))
    assert given_by(following) == b"one\n"
    path.rename(f"{path}.1")
    path.write_bytes(b"")
    assert given_by(following) == b""
    place = following.place(4, 1)
    following.close()
    path.write_bytes(b"two\n")
    Path(f"{path}.1").rename(f"{path}.2")
    path.rename(f"{path}.1")
    path.write_bytes(b"three\n")
    assert place is not None
    following = Following(str(path), place)
    assert given_by(following) == b"two\nthree\n"
    following.close()


def test_two_copies_between_two_looks_are_both_read(tmp_path: Path) -> None:
    """Also where the log was empty at the first look."""
    path = Path(beside(tmp_path, log=b""))
    following = Following(str(path))
    assert given_by(following) == b""
    for number, content in ((2, b"one\n"), (1, b"two\n")):
        Path(f"{path}.{number}").write_bytes(content)
    path.write_bytes(b"three\n")
    assert given_by(following) == b"one\ntwo\nthree\n"
    following.close()


def test_a_copy_is_not_read_before_the_log_is_emptied(tmp_path: Path) -> None:
    """As long as both hold the same."""
    path = Path(beside(tmp_path, log=b"one\n" * 50))
    shutil.copy(path, f"{path}.1")
    following = Following(str(path))
    assert given_by(following) == b"one\n" * 50
    path.write_bytes(b"two\n")
    assert given_by(following) == b"two\n"
    following.close()


def test_after_a_gap_in_the_pieces_a_new_reader_begins(tmp_path: Path) -> None:
    """A game that began before it does not go on after it."""
    path = beside(tmp_path, log_3=b"one\n", log_1=b"two\n", log=b"three\n")
    following = Following(path)
    assert list(following.poll()) == [b"one\n", BREAK, b"two\n", b"three\n"]
    following.close()


def test_a_damaged_piece_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    """What is in it up to there counts."""
    path = beside(tmp_path, log_2=b"one\n", log_1=b"", log=b"two\n")
    Path(f"{path}.1").write_bytes(b"\x1f\x8b broken")
    following = Following(path)
    assert list(following.poll()) == [b"one\n", BREAK, b"two\n"]
    assert "games.log.1: cannot be read" in following.news[0]
    following.close()


def test_a_log_that_cannot_be_read_is_reported(tmp_path: Path) -> None:
    """A directory, for instance."""
    with pytest.raises(UnreadableLogError, match="cannot be read: Is a directory"):
        list(Following(str(tmp_path)).poll())


@pytest.mark.slow
def test_a_log_that_does_not_exist_yet_is_waited_for(tmp_path: Path) -> None:
    """A server may be started after its follower."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}") as archive:
        with Watch(archive, str(tmp_path / "results.jsonl")) as watch:
            assert watch.step()[0].matches == 0
            line = '{"ended": 5, "teams": [["ann"], ["bob"]], "scores": [2, 1]}\n'
            (tmp_path / "results.jsonl").write_text(line)
            tally, updated = watch.step()
            assert (tally.matches, updated is not None and updated.matches) == (1, 1)
            assert "plain" in watch.news()[0]
        assert archive.standing().current
