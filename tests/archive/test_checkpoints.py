"""A late, undone or merged match is learnt from the nearest checkpoint on, bit for bit as in a rebuild."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from benchmarks.late_matches import match, measure

from equipoise.archive import archive as archives
from equipoise.archive import checkpoints
from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.schema import CHECKPOINT, UNDO
from equipoise.errors import InputError
from equipoise.registry import MODELS


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let checkpoints stand close, so that few matches have many."""
    monkeypatch.setattr(checkpoints, "SPAN", 3)
    monkeypatch.setattr(archives, "TOGETHER", 10)


def count(archive: Archive, table: sa.Table) -> int:
    """Return how many rows a table has."""
    with archive._database.reading() as connection:  # what no user is to see
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def same_as_rebuilt(archive: Archive) -> None:
    """Compare with a rebuild, in the order of the entries too, in memory and in the database."""
    kept = repr((archive.standing().state, archive.standing().known))
    archive._kept = None  # so that the rows are read
    assert repr((archive.standing().state, archive.standing().known)) == kept
    archive.rebuild()
    assert repr((archive.standing().state, archive.standing().known)) == kept


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("model", ["default", "elo"])
@pytest.mark.parametrize("seed", range(2))
def test_whatever_happens_the_ratings_are_those_of_a_rebuild(tmp_path: Path, model: str, seed: int) -> None:
    """Matches in any order, one by one or together, undone, back again, merged."""
    assert model in MODELS
    rng = np.random.default_rng(seed)
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", model=model) as archive:
        for n in range(40):
            late = float(rng.integers(0, 200)) if rng.random() < 0.3 else 0.0
            archive.record([match(rng, n, 1000.0 + 10.0 * n - late, 14)])
            if rng.random() < 0.1:
                archive.undo(f"m{rng.integers(n + 1)}") if rng.random() < 0.7 else None
            if n == 25:
                _merge_two(archive)
            if rng.random() < 0.7:
                archive.update_ratings()
        updated: Any = archive.update_ratings()
        assert updated.matches <= 40
        same_as_rebuilt(archive)


def _merge_two(archive: Archive) -> None:
    """Unite two who never played against each other, if there are such."""
    for other in range(1, 14):
        try:
            archive.merge("p0", f"p{other}")
        except InputError:
            continue
        return


@pytest.mark.usefixtures("_small")
def test_a_late_match_is_learnt_from_near_it(tmp_path: Path) -> None:
    """Not from the beginning; and what is kept for that stays little."""
    rng = np.random.default_rng(5)
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}") as archive:
        archive.record(match(rng, n, 10.0 * n, 30) for n in range(250))
        archive.update_ratings()
        archive.record([match(rng, 1000, 2455.0, 30)])
        updated = archive.update_ratings()
        assert updated.rebuilt
        assert updated.matches <= 20
        archive.undo("m249")
        assert archive.needs_rebuild
        assert archive.update_ratings().matches <= 20
        assert count(archive, CHECKPOINT) <= 30
        same_as_rebuilt(archive)
        archive.forget("p3")
        archive.record([match(rng, 1001, 5000.0, 3000)])
        with archive._database.reading() as connection:
            keys = connection.execute(sa.select(UNDO.c.key)).scalars().all()
        assert not any(b'"p3"' in bytes(key) for key in keys)


def test_a_late_match_costs_a_part_of_a_rebuild(tmp_path: Path) -> None:
    """See :mod:`benchmarks.late_matches`; here only what is learnt, not the time."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}") as archive:
        _, _, learnt = measure(archive, 4000, people=100)
        assert learnt <= 1008 * 1.5 + 1010
