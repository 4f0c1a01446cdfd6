"""What comes late waits, and holds up nobody: the archive is that of a rebuild once it is learnt from."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from benchmarks.archive.late_matches import match

from equipoise.archive import derived_rows, learning
from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.tables import archive_row, identity, turn_of
from equipoise.core.match import Match, Ruleset
from equipoise.errors import InputError

START = 1.7e9


def known(archive: Archive) -> str:
    """Return all that is known."""
    standing = archive.standing()
    return repr((standing.state, standing.known))


def is_rebuilt(archive: Archive) -> bool:
    """Tell whether what is known is what a rebuild gives."""
    before = known(archive)
    archive.rebuild()
    return before == known(archive)


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let checkpoints stand close, so that few matches have many."""
    monkeypatch.setattr(derived_rows, "SPAN", 3)
    monkeypatch.setattr(learning, "TOGETHER", 10)


@pytest.mark.usefixtures("_small")
def test_current_results_are_learnt_while_late_ones_wait(new_url: Callable[[], str]) -> None:
    """Upon what is known; the late ones count for nothing until all is settled, and then as ever."""
    rng = np.random.default_rng(1)
    url = new_url()
    with open_archive(url) as archive, open_archive(url) as other:
        archive.record(match(rng, n, START + 600.0 * n, 12) for n in range(60))
        archive.update_ratings()
        assert archive.waiting_since() is None
        for n in range(6):
            before = time.time()
            archive.record([match(rng, 100 + n, START + float(rng.uniform(0.0, 36_000.0)), 12)])
            archive.record([match(rng, 200 + n, START + 600.0 * (60 + n), 12)])
            assert other.follow_newest().matches == 1
            since = other.waiting_since()
            assert since is not None
            assert before - 60.0 < since <= time.time()
            assert not other.standing().current
        assert int(other.standing().known.counted[0]) == 66
        assert other.update_ratings().rebuilt == learning.CAME_LATE
        assert other.waiting_since() is None
        assert int(other.standing().known.counted[0]) == 72
        assert is_rebuilt(archive)


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("packed", [True, False])
def test_others_learn_while_the_past_is_replayed(
    new_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch, *, packed: bool
) -> None:
    """Whatever comes between the reading and the writing of a replay: new, late, undone, or merged."""
    rng = np.random.default_rng(2)
    url = new_url()
    with open_archive(url) as archive, open_archive(url) as other:
        archive.record(match(rng, n, START + 600.0 * n, 12) for n in range(60))
        archive.update_ratings()
        if packed:
            archive.keep_packed()
        some, left, turn = learning.Learner._some, list(range(40)), [True]

        def meanwhile(learner: learning.Learner, *args: Any) -> Any:
            found = some(learner, *args)
            alone = args[-1] is not None or rng.random() < 0.5
            if learner is archive._learner and left and turn and not alone:
                turn.clear()
                n = left.pop()
                kinds = ["new", "late", "newcomer", *(["undo"] if n % 4 == 0 else [])]
                kind = kinds[int(rng.integers(len(kinds)))]
                ended = START + 600.0 * (200 - n) if kind != "late" else START + float(rng.uniform(0.0, 3e4))
                if kind == "undo":
                    other.undo(f"m{n}")
                else:
                    people = 12 if kind != "newcomer" else 12 + 40 - n
                    other.record([match(rng, 1000 + n, ended, people)])
                other.follow_newest()
            return found

        monkeypatch.setattr(learning.Learner, "_some", meanwhile)
        for n in range(12):
            other.record([match(rng, 500 + n, START + float(rng.uniform(0.0, 3e4)), 12)])
            turn.append(True)
            archive.update_ratings()
        left.clear()
        archive.update_ratings()
        assert archive.waiting_since() is None
        assert is_rebuilt(archive)


@pytest.mark.usefixtures("_small")
def test_what_is_kept_packed_gives_a_rebuild_to_the_last_bit(new_url: Callable[[], str]) -> None:
    """Late matches of people old and new, in rulesets old and new, and whatever else changes the past."""
    rng = np.random.default_rng(5)
    url = new_url()

    def one(n: int, ended: float, people: int) -> Match:
        made = match(rng, n, ended, people)
        if n % 3 == 0:
            ruleset = Ruleset("g", f"type {n % 4}", ("m",) if n % 2 else ())
            made = replace(made, contests=tuple(replace(each, ruleset=ruleset) for each in made.contests))
        return made

    with open_archive(url) as archive, open_archive(url) as other:
        archive.keep_packed()
        archive.record(one(n, START + 600.0 * n, 10 + n // 4) for n in range(60))
        archive.update_ratings()
        for n in range(60):
            ends = START + 300.0 * rng.integers(0, 120, n % 3)
            late = [one(1000 + 10 * n + k, float(ended), 40) for k, ended in enumerate(ends)]
            other.record([*late, one(5000 + n, START + 600.0 * (60 + n), 30)])
            kind = int(rng.integers(12))
            if kind == 0:
                other.undo(f"m{n}")
            elif kind == 1:
                with suppress(InputError):  # they may have played against each other
                    other.merge("p1", f"p{2 + n}")
            elif kind == 2:
                other.update_ratings()
            elif kind == 3 and n > 30:
                with suppress(InputError):  # they are forgotten already
                    other.forget(f"p{n % 10}")
            else:
                other.follow_newest()
            archive.update_ratings()
            if n % 6 == 5:  # a rebuild leaves nothing to go on with, so that it is not done at each step
                before = known(archive)
                other.rebuild()
                assert before == known(other)
        assert is_rebuilt(archive)


@pytest.mark.usefixtures("_small")
def test_what_is_packed_before_is_not_read_when_something_comes_late(
    new_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packing writes nothing; what comes late is learnt from what is packed alone, as in a rebuild."""
    rng, url = np.random.default_rng(9), new_url()
    with open_archive(url) as archive, open_archive(url) as other:
        other.record(match(rng, n, START + 600.0 * n, 12) for n in range(60))
        archive.keep_packed()
        assert not archive.pack()  # nothing is learnt yet
        other.update_ratings()
        before, steps = other.stamp(), 0
        while archive.pack():
            steps += 1
        assert (other.stamp(), steps) == (before, 12)  # six parts, of each of which the states were made, too
        other.record([match(rng, 100, START + 600.0 * 55.5, 12)])
        assert archive.update_ratings().matches < 20
        assert is_rebuilt(other)
        while archive.pack():
            pass
        other.record([match(rng, 101, START + 100.0, 12)])
        some, read = learning.Learner._some, list[Any]()

        def noted(learner: learning.Learner, *args: Any) -> Any:
            found = some(learner, *args)
            read.extend(found)
            return found

        monkeypatch.setattr(learning.Learner, "_some", noted)
        assert archive.update_ratings().matches > 50
        assert not read
        assert is_rebuilt(other)


def test_matches_after_a_place_are_counted_by_their_order(tmp_path: Path) -> None:
    """SQLite takes no index in which nearly all matches are found."""
    with open_archive(f"sqlite:///{tmp_path}/a.db") as archive:
        said: list[str] = []

        def noted(*asked: Any) -> None:
            said.append(asked[2])

        rng = np.random.default_rng(1)
        archive.record(match(rng, n, START + n, 12) for n in range(5))
        archive.update_ratings()
        with archive._database.reading() as connection:
            sa.event.listen(connection, "before_cursor_execute", noted)
            row = archive_row(connection)
            assert learning._count(connection, (START + 2.0, turn_of(identity("m2"))), row) == 2
            plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {said[-1]}", (0.0, 0.0, 0.0, b"", 0, 9))
            assert "match_in_order" in " ".join(str(each) for each in plan)


@pytest.mark.usefixtures("_small")
def test_what_is_remembered_is_not_read_again(
    new_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A late match is learnt from the state before it on, and of those after it no checkpoint is left.

    Once there is time for it they lie closely again, so that whoever knows nothing learns from as few.
    """
    rng = np.random.default_rng(7)
    url = new_url()

    def spans() -> list[int]:
        with open_archive(url) as reader, reader._database.reading() as connection:
            return [each.matches for each in derived_rows.all_checkpoints(connection)]

    with open_archive(url) as archive:
        archive.record(match(rng, n, START + 600.0 * n, 12) for n in range(90))
        archive.update_ratings()
        closely = spans()
        archive.keep_packed()
        archive.record([match(rng, 100, START - 600.0, 13)])  # before all others, with a newcomer
        assert archive.update_ratings().matches == 91
        with monkeypatch.context() as patched:
            patched.setattr(learning, "_matches", refuse_many(learning._matches))
            for n, at in enumerate((-2, -1, 70, 5, 88, 40)):
                late = match(rng, 200 + n, START + 600.0 * at + 1.0, 13 + n)
                archive.record([late, match(rng, 300 + n, START + 600.0 * (200 + n), 13)])
                archive.follow_newest()
                archive.record([match(rng, 400 + n, START + 600.0 * (300 + n), 30)])
                assert 90 - at <= archive.update_ratings().matches <= 93 - at + 20 + 2 * n
        assert spans() == [109]
        archive.update_ratings()
        before = known(archive)
        archive.spread_checkpoints()
        assert known(archive) == before
        assert max(spans()) <= 2 * max(closely)
        assert archive.spread_checkpoints().matches == 0
        with open_archive(url) as other:
            other.record([match(rng, 500, START + 600.0 * 89, 12)])
            assert other.update_ratings().matches <= 40
        assert is_rebuilt(archive)


def refuse_many(matches: Callable[..., list[Match]]) -> Callable[..., list[Match]]:
    """Return what reads matches, of which there may be few."""

    def few(rows: Any, known: Any) -> list[Match]:
        found = matches(rows, known)
        assert len(found) <= 3
        return found

    return few


PROGRAM = """
import sys, numpy as np
from benchmarks.archive.late_matches import match
from equipoise.archive import derived_rows, learning
from equipoise.archive.archive import open_archive
derived_rows.SPAN, learning.TOGETHER = 3, 10
rng = np.random.default_rng(int(sys.argv[2]))
with open_archive(sys.argv[1]) as archive:
    print("begun", flush=True)
    for n in range(10_000):
        ended = 1.7e9 + (600.0 * (1000 + n) if n % 2 else float(rng.uniform(0.0, 3e4)))
        archive.record([match(rng, int(sys.argv[2]) * 100_000 + n, ended, 12)])
        archive.follow_newest()
        if n % 5 == 0:
            archive.update_ratings()
"""


@pytest.mark.slow
def test_a_kill_loses_nothing_that_waits(new_url: Callable[[], str]) -> None:
    """Whenever it comes: what waits is learnt by the next process, to the last bit."""
    url, rng = new_url(), np.random.default_rng(3)
    with open_archive(url) as archive:
        archive.record(match(rng, n, START + 600.0 * n, 12) for n in range(60))
        archive.update_ratings()
    for n in range(5):
        command = [sys.executable, "-c", PROGRAM, url, str(n + 1)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            until = time.monotonic() + float(rng.uniform(0.05, 1.0))
            while time.monotonic() < until:
                pass
            process.send_signal(signal.SIGKILL)
        with open_archive(url) as archive:
            archive.update_ratings()
            assert archive.waiting_since() is None
            assert is_rebuilt(archive)
