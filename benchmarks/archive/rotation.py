"""Follow logs through random schedules of writing, rotation, stops and kills: nothing is lost.

``python -m benchmarks rotation`` plays 500 schedules, each with its own archive, and holds the digest to
that of the whole log; a schedule appends, looks, rotates in every way there is, compresses, stops, restarts
and kills.
"""

from __future__ import annotations

import contextlib
import gzip
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks import reporting
from benchmarks.reporting import PAGES, RAW

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.ingest.ingest import Ingest, Watch
from equipoise.archive.ingest.log_files import find_logs, in_chains

#: Games in a log, events in a schedule, and schedules by default.
GAMES, EVENTS, TIMES = 30, 40, 500


#: What the page says.
PAGE = """# Rotation

`python -m benchmarks rotation` did this and wrote it; do not edit.

{schedules} schedules with {rotations} rotations: every one ended at the digest of the whole log.

A schedule appends, looks, rotates (renaming, a copy and truncating, dated names), compresses, stops, \
restarts and kills; the tests play 25 others.
"""


class KilledError(Exception):
    """What stands for a kill: nothing after it is done."""


def write_log(rng: np.random.Generator, games: int = GAMES) -> bytes:
    """Return a log of the Quake 3 family without dates: games that begin alike, of one to a hundred kills."""
    lines: list[str] = []
    clock = 0
    for _ in range(games):
        lines.append(
            f"{clock // 60:3d}:{clock % 60:02d} InitGame: \\gamename\\baseoa\\g_gametype\\3\\mapname\\m"
        )
        for slot in range(4):
            name = f"n\\p{slot}\\t\\{1 + slot % 2}\\id\\{slot:032d}"
            lines.append(f"{clock // 60:3d}:{clock % 60:02d} ClientUserinfoChanged: {slot} {name}")
            lines.append(f"{clock // 60:3d}:{clock % 60:02d} ClientBegin: {slot}")
        for _ in range(int(rng.choice([1, 5, 100]))):
            clock += int(rng.integers(1, 20))
            killer, victim = rng.permutation(4)[:2].tolist()
            lines.append(
                f"{clock // 60:3d}:{clock % 60:02d} Kill: {killer} {victim} 10: a killed b by MOD_RAILGUN"
            )
        lines.append(f"{clock // 60:3d}:{clock % 60:02d} Exit: Fraglimit hit.")
        lines.append(f"{clock // 60:3d}:{clock % 60:02d} red:{rng.integers(20)}  blue:{rng.integers(20)}")
        lines.append(f"{clock // 60:3d}:{clock % 60:02d} ShutdownGame:")
        if rng.random() < 0.2:
            clock = 0
    return "".join(f"{line}\n" for line in lines).encode()


def _time(clock: int) -> str:
    return f"{clock // 60:3d}:{clock % 60:02d}"


class Schedule:
    """One log that is written, rotated and followed."""

    def __init__(self, folder: Path, rng: np.random.Generator, log: bytes) -> None:
        self.rng, self.log = rng, log
        self.path = folder / "games.log"
        self.url = f"sqlite:///{folder / 'games.db'}"
        self.written = 0
        self.rotations = 0
        self.dated = bool(rng.random() < 0.3)
        self.archive: Archive | None = None
        self.watch: Watch | None = None
        self.history: list[str] = []

    def play(self, events: int = EVENTS) -> str:
        """Carry out a schedule; return the digest at its end."""
        acts: list[Callable[[], None]] = [
            self.append, self.append, self.look, self.look, self.stop, self.kill, self.rename, self.truncate,
            self.compress,
        ]  # fmt: skip
        for _ in range(events):
            act = acts[int(self.rng.integers(len(acts)))]
            self.history.append(act.__name__)
            act()
        self._write(self.log[self.written :])
        self.look()
        self.look()
        assert self.archive is not None  # for the type checker
        digest = self.archive.digest()
        self.stop()
        return digest

    def append(self) -> None:
        """Write more of the log: up to a few games, cut anywhere."""
        size = int(self.rng.choice([1, 300, 3000, 10000]))
        self._write(self.log[self.written : self.written + int(self.rng.integers(0, size + 1))])

    def _write(self, piece: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(piece)
        self.written += len(piece)

    def look(self) -> None:
        """Let the follower look, which is started where none runs."""
        if self.watch is None:
            self.archive = open_archive(self.url, waiting=lambda _: None)
            self.watch = Watch(self.archive, str(self.path))
        self.watch.step()

    def stop(self) -> None:
        """End the follower."""
        if self.watch is not None and self.archive is not None:
            self.watch.__exit__(None, None, None)
            self.archive.close()
        self.watch = self.archive = None

    def kill(self) -> None:
        """Let the follower look, and end before it keeps its place, or before it keeps matches."""
        self.look()
        name = str(self.rng.choice(["record", "keep_place", "update_ratings"]))

        def killed(*_: Any, **__: Any) -> None:
            raise KilledError

        setattr(self.archive, name, killed)
        self.append()
        with contextlib.suppress(KilledError):
            self.look()
        self.stop()

    def _beside(self) -> Path:
        """Make room for the newest piece beside the log, and return its path."""
        self.rotations += 1
        if self.dated:
            return self.path.with_name(
                f"games.log-2026{self.rotations // 28 + 1:02d}{self.rotations % 28 + 1:02d}"
            )
        for number in range(self.rotations, 0, -1):
            for ending in ("", ".gz"):
                older = self.path.with_name(f"games.log.{number}{ending}")
                if older.exists():
                    older.rename(self.path.with_name(f"games.log.{number + 1}{ending}"))
        return self.path.with_name("games.log.1")

    def rename(self) -> None:
        """Rotate by renaming; the new log may not be there at once."""
        if self.path.exists():
            self.path.rename(self._beside())
            if self.rng.random() < 0.7:
                self.path.touch()

    def truncate(self) -> None:
        """Rotate by a copy, and empty the log."""
        if self.path.exists():
            shutil.copyfile(self.path, self._beside())
            if self.rng.random() < 0.3:
                self.look()
            os_truncate(self.path)

    def compress(self) -> None:
        """Compress a piece beside the log."""
        names = [each for each in self.path.parent.glob("games.log?*") if each.suffix != ".gz"]
        if names:
            piece = names[int(self.rng.integers(len(names)))]
            Path(f"{piece}.gz").write_bytes(gzip.compress(piece.read_bytes()))
            shutil.copystat(piece, f"{piece}.gz")
            piece.unlink()


def os_truncate(path: Path) -> None:
    """Empty a file in place."""
    with path.open("r+b") as file:
        file.truncate(0)


def whole_digest(folder: Path, log: bytes) -> str:
    """Return the digest of a log that is read at once."""
    (folder / "whole.log").write_bytes(log)
    with open_archive(f"sqlite:///{folder / 'whole.db'}", waiting=lambda _: None) as archive:
        ingest = Ingest(archive)
        for chain in in_chains(find_logs((str(folder / "whole.log"),))):
            ingest.read(chain)
        ingest.keep()
        return archive.digest()


def schedules(times: int, folder: Path, seed: int = 0) -> int:
    """Play schedules; return how many rotations there were.

    Raises AssertionError, with the seed and the schedule, where one does not end at the digest of its log.
    """
    rotations = 0
    for n in range(seed, seed + times):
        rng = np.random.default_rng(n)
        log = write_log(rng)
        place = folder / f"{n}"
        place.mkdir()
        schedule = Schedule(place, rng, log)
        if schedule.play() != whole_digest(place, log):
            msg = f"schedule {n} lost something: {', '.join(schedule.history)}"
            raise AssertionError(msg)
        rotations += schedule.rotations
        shutil.rmtree(place)
    return rotations


def measure(times: int) -> dict[str, int]:
    """Play schedules, and count rotations."""
    with tempfile.TemporaryDirectory() as name:
        return {"schedules": times, "rotations": schedules(times, Path(name))}


def main() -> int:
    """Read the arguments and do what they say."""
    return reporting.run_many(
        __doc__, RAW / "rotation.json", PAGES / "ROTATION.md", measure, PAGE.format_map, times=TIMES
    )
