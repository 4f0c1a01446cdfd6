"""A live log is followed over rotation within one run and over restarts, and nothing of it is lost."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from equipoise.archive.archive import open_archive
from equipoise.ingest.following import Following, Place
from equipoise.ingest.logs import UnreadableLogError
from equipoise.ingest.watching import Watch

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
        self.rotated += 1
        beside = self.path.with_name(f"games.log.{self.rotated}")
        self.path.rename(beside)
        if compressed:
            Path(f"{beside}.gz").write_bytes(gzip.compress(beside.read_bytes()))
            beside.unlink()
        self.path.write_bytes(b"")

    def truncate(self) -> None:
        """Copy the log, and empty it."""
        self.rotated += 1
        shutil.copy(self.path, self.path.with_name(f"games.log.{self.rotated}"))
        self.path.write_bytes(b"")


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
            place = following.place(len(now))
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


def test_what_is_lost_is_told(tmp_path: Path) -> None:
    """A log that was truncated without a copy is gone, and the follower says so."""
    path = tmp_path / "games.log"
    path.write_bytes(b"first\nsecond\n")
    following = Following(str(path))
    assert b"".join(following.poll()) == b"first\nsecond\n"
    path.write_bytes(b"third\n")
    assert b"".join(following.poll()) == b"third\n"
    assert "it was replaced" in following.news[0]
    assert following.place(13 + 6) == Place(6, following.place(13 + 6).tail, 6, 1)  # type: ignore[union-attr]
    following.close()


def test_a_log_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    """A directory, for instance."""
    with pytest.raises(UnreadableLogError, match="cannot be read: Is a directory"):
        list(Following(str(tmp_path)).poll())


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
