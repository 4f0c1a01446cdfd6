"""A late, undone or merged match is learnt from the nearest checkpoint on, bit for bit as in a rebuild."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from benchmarks.archive.late_matches import match, measure

from equipoise.archive import derived_rows, learning
from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.tables import CHECKPOINT, DERIVED, UNDO
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.core.registry import MODELS
from equipoise.errors import InputError
from equipoise.ratings.model import Chances
from equipoise.ratings.models.elo import Elo

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True)
class Crowd(Elo):
    """A model whose newcomers depend on how many others there are."""

    local = False

    def run(
        self, state: Any, contests: Sequence[Contest], attention: Any = None
    ) -> tuple[Any, list[Chances]]:
        """Give everyone who plays the number of those who were there."""
        del attention
        for contest in contests:
            there = (float(len(state)),)
            state = {**state, **{player: there for team in contest.teams for player, _ in team}}
        return state, [(0.5, 0.5)] * len(contests)


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let checkpoints stand close, so that few matches have many."""
    monkeypatch.setattr(derived_rows, "SPAN", 3)
    monkeypatch.setattr(learning, "TOGETHER", 10)


def count(archive: Archive, table: sa.Table) -> int:
    """Return how many rows a table has."""
    with archive._database.reading() as connection:  # what no user is to see
        return int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


def same_as_rebuilt(archive: Archive) -> None:
    """Compare with a rebuild, in the order of the entries too, in memory and in the database."""
    kept = repr((archive.standing().state, archive.standing().known))
    archive._learner.forget()  # so that the rows are read
    assert repr((archive.standing().state, archive.standing().known)) == kept
    archive.rebuild()
    assert repr((archive.standing().state, archive.standing().known)) == kept


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize(("seed", "few"), [(0, 0), (1, 5), (2, 2000)])
@pytest.mark.parametrize("model", ["default", "elo"])
def test_whatever_happens_the_ratings_are_those_of_a_rebuild(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, seed: int, few: int
) -> None:
    """Matches in any order, one by one or together, undone, back again, merged, separated."""
    assert model in MODELS
    monkeypatch.setattr(learning, "FEW", few)
    rng = np.random.default_rng(seed)
    url = f"sqlite:///{tmp_path / 'a.db'}"
    with open_archive(url, model=model) as archive, open_archive(url) as reader:
        merged = None
        for n in range(40):
            late = float(rng.integers(0, 200)) if rng.random() < 0.3 else 0.0
            archive.record([match(rng, n, 1000.0 + 10.0 * n - late, 14)])
            if rng.random() < 0.1:
                archive.undo(f"m{rng.integers(n + 1)}") if rng.random() < 0.7 else None
            if n == 25:
                merged = _merge_two(archive)
            if n == 33 and merged:
                archive.merge("p0", merged, back=True)
            if rng.random() < 0.7:
                archive.update_ratings()
            if rng.random() < 0.5:
                same_as_read(reader, url)
        updated: Any = archive.update_ratings()
        assert updated.matches <= 40
        same_as_rebuilt(archive)
        same_as_read(reader, url)


def same_as_read(reader: Archive, url: str) -> None:
    """Compare what a long reader knows, who reads what has changed, with what a new one does."""
    with open_archive(url) as other:
        reported, read = reader.standing(), other.standing()
    assert repr((reported.state, reported.known)) == repr((read.state, read.known))


def _merge_two(archive: Archive) -> str | None:
    """Unite two who never played against each other, if there are such; return the second one."""
    for other in range(1, 14):
        try:
            archive.merge("p0", f"p{other}")
        except InputError:
            continue
        return f"p{other}"
    return None


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
        for n in range(2):  # a second account of somebody's, seen lately
            duel = Contest(Ruleset("g", "tdm"), (["p1"], ["p2b" if n else "p2"]), (1, 2), at=2600.0 + n)
            archive.record([Match((duel,), id=f"duel{n}")])
        archive.update_ratings()
        for back in (False, True):
            archive.merge("p2", "p2b", back=back)
            assert archive.update_ratings().matches <= 20
        assert count(archive, CHECKPOINT) <= 30
        same_as_rebuilt(archive)
        archive.forget("p3")
        archive.record([match(rng, 1001, 5000.0, 3000)])
        with archive._database.reading() as connection:
            keys = connection.execute(sa.select(UNDO.c.key)).scalars().all()
        assert not any(b'"p3"' in bytes(key) for key in keys)


def test_only_those_who_play_are_read(tmp_path: Path) -> None:
    """A game costs the same however many others there are: rows of theirs that are damaged do not matter."""
    url = f"sqlite:///{tmp_path / 'a.db'}"
    rng = np.random.default_rng(3)
    with open_archive(url) as archive:
        archive.record(match(rng, n, 10.0 * n, 30) for n in range(20))
        archive.update_ratings()
        state = archive.standing().state
        with archive._database.writing() as connection:
            rows = connection.execute(sa.select(DERIVED)).all()
            before = [tuple(row) for row in rows if b'"p' in row.key and b'"p1"' not in row.key]
            assert before
            archive._database.upsert(connection, DERIVED, [(*row[:3], b"?", row[4]) for row in before])
    duel = Contest(Ruleset("g", "tdm"), (["p1"], ["new"]), (1, 2), at=1000.0)
    with open_archive(url) as archive:
        archive.record([Match((duel,), id="duel")])
        assert archive.update_ratings().matches == 1
        with archive._database.writing() as connection:
            archive._database.upsert(connection, DERIVED, before)
        assert archive.standing().state == archive.model.update(state, duel)
        same_as_rebuilt(archive)


def test_a_model_that_looks_at_others_is_given_everyone(tmp_path: Path) -> None:
    """One that does not say what it reads learns from the whole state."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", model=Crowd()) as archive:
        for n in range(4):
            duel = Contest(Ruleset(), ([f"a{n}"], [f"b{n}"]), (1, 2), at=10.0 * n)
            archive.record([Match((duel,), id=f"{n}")])
            archive.update_ratings()
        assert archive.standing().state["a3"] == (6.0,)


def test_an_older_copy_in_the_place_of_an_archive_is_read_anew(tmp_path: Path) -> None:
    """Though its revisions go on to where those of the archive were."""
    path, copy = tmp_path / "a.db", tmp_path / "copy.db"
    rng = np.random.default_rng(4)
    with open_archive(f"sqlite:///{path}") as archive:
        archive.record(match(rng, n, 10.0 * n, 20) for n in range(9))
        archive.update_ratings()
        archive.close()
        shutil.copyfile(path, copy)
        for n in (10, 11):
            archive.record([match(rng, n, 10.0 * n, 20)])
            archive.update_ratings()
        assert archive.standing().current
        archive.close()
        with open_archive(f"sqlite:///{copy}") as other:
            for n in (12, 13, 14):
                other.record([match(rng, n, 10.0 * n, 20)])
                other.update_ratings()
        shutil.move(copy, path)
        same_as_read(archive, f"sqlite:///{path}")


def test_a_late_match_costs_a_part_of_a_rebuild(tmp_path: Path) -> None:
    """See :mod:`benchmarks.archive.late_matches`; here only what is learnt, not the time."""
    with open_archive(f"sqlite:///{tmp_path / 'a.db'}", model="elo") as archive:
        _, _, learnt = measure(archive, 4000, people=100)
        assert learnt <= 1008 * 1.5 + 1010
