"""Parquet in parts: the same matches, in the same order, as files that are read at once."""

from __future__ import annotations

import datetime as dt
import gc
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import run

from equipoise.cli.read_history import read_parts_of
from equipoise.errors import InputError
from equipoise.files import parquet_parts
from equipoise.files.blocks_on_disk import BlocksOnDisk
from equipoise.files.match_columns import read_columns
from equipoise.files.parquet_parts import ParquetParts, rows_of_parquet
from equipoise.ratings.history_columns import Columns, replay_columns
from equipoise.ratings.lab import evaluation
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.ratings.models.weng_lin import PlackettLuce

pl = pytest.importorskip("polars")
pytestmark = pytest.mark.slow

Row = dict[str, Any]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """So few rows are in memory at a time that a few matches are several parts."""
    for name, number in (("ROWS", 60), ("SAMPLED", 8), ("GROUP", 16)):
        monkeypatch.setattr(parquet_parts, name, number)


def games(many: int, seed: int, *, moments: int = 40) -> list[list[Row]]:
    """Return the rows of matches, several of which end at each moment."""
    rng = np.random.default_rng(seed)
    return [
        [
            {
                "match": f"m{n}", "ended": 60.0 * when, "team": team, "player": f"p{k}", "game": kind,
                "team_score": score, "kills": int(rng.integers(9)), "deaths": int(rng.integers(9)),
            }
            for team, score in (("a", float(rng.integers(4))), ("b", float(rng.integers(4))))
            for k in (rng.permutation(9) + 9 * (team == "b"))[:2].tolist()
        ]
        for n, when, kind in ((n, int(rng.integers(moments)), "qu"[rng.integers(2)]) for n in range(many))
    ]  # fmt: skip


def written(folder: Path, *files: list[list[Row]]) -> list[str]:
    """Write each list of matches as a file."""
    folder.mkdir(exist_ok=True)
    for n, some in enumerate(files):
        pl.DataFrame([row for rows in some for row in rows], infer_schema_length=None).write_parquet(
            folder / f"{n}.parquet"
        )
    return [str(folder / f"{n}.parquet") for n in range(len(files))]


def parts(sources: list[str], folder: Path) -> list[Columns]:
    """Return the parts of files, sorted in a folder of their own."""
    folder.mkdir()
    return [part.columns for part in ParquetParts(sources, folder).read()]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("model", [Mixture(), PlackettLuce()])
def test_parts_teach_what_the_whole_does_to_the_last_bit(tmp_path: Path, seed: int, model: Any) -> None:
    """In any order of rows, with many matches of one moment, in several files."""
    some, rng = games(120, seed, moments=(3, 40, 4000)[seed % 3]), np.random.default_rng(seed)
    orders = {
        "stands in order": sorted(some, key=lambda rows: rows[0]["ended"]),
        "stands in none": [some[n] for n in rng.permutation(len(some))],
    }
    for name, matches in orders.items():
        cut = int(rng.integers(1, len(matches)))
        sources = written(tmp_path / name, matches[cut:], matches[:cut])
        whole = read_columns(sources)
        assert whole is not None
        found = parts(sources, tmp_path / f"{name}, sorted")
        assert len(found) > 1
        assert sum(map(len, found)) == len(matches)
        state = None
        for part in found:
            state = replay_columns(model, part, start=state)
        assert state == replay_columns(model, whole.columns)


def test_what_is_in_order_is_not_sorted_again(tmp_path: Path) -> None:
    """Files that follow one another in time are read where they are, whatever the order they are named in."""
    matches = sorted(games(120, 1), key=lambda rows: rows[0]["ended"])
    later = next(n for n, rows in enumerate(matches) if rows[0]["ended"] > matches[50][0]["ended"])
    assert parts(written(tmp_path / "in", matches[later:], matches[:later]), tmp_path / "sorted")
    assert not list((tmp_path / "sorted").iterdir())


def test_only_some_rows_are_read_at_a_time(tmp_path: Path) -> None:
    """No part has many more rows than are to be in memory, where no moment has."""
    for order in (sorted(games(300, 2, moments=9999), key=lambda rows: rows[0]["ended"]), games(300, 2)):
        found = parts(written(tmp_path / str(len(order)), order), tmp_path / str(id(order)))
        assert max(len(part.numbers["player"]) for part in found) <= 3 * 60


@pytest.mark.parametrize("kind", ["text", "date", "whole"])
def test_times_of_every_kind_are_put_in_order(tmp_path: Path, kind: str) -> None:
    """Texts with a zone, dates, and whole seconds."""
    matches = games(60, 3)
    for rows in matches:
        at = dt.datetime.fromtimestamp(rows[0]["ended"] * 7000, tz=dt.UTC)
        given: Any = {"text": at.isoformat(), "date": at.date(), "whole": int(at.timestamp())}[kind]
        for row in rows:
            row["ended"] = given
    sources = written(tmp_path / "in", matches)
    whole = read_columns(sources)
    assert whole is not None
    ended = [at for part in parts(sources, tmp_path / "sorted") for at in part.numbers["ended"]]
    assert ended == list(whole.columns.numbers["ended"])


def test_what_is_there_twice_counts_once(tmp_path: Path) -> None:
    """Files may overlap, in part too."""
    matches = games(60, 4)
    sources = written(tmp_path / "in", matches[:40], matches[20:])
    assert sum(map(len, parts(sources, tmp_path / "sorted"))) == 60
    whole = written(tmp_path / "whole", matches)
    asked = ["rate", "--json"]
    assert json.loads(run(*asked, *sources).stdout) == json.loads(run(*asked, *whole).stdout)


def test_a_wrong_row_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    """As where a file is read at once; with ``--strict`` it is the end."""
    matches = games(60, 5)
    matches[30][1]["team_score"] = 99.0
    (source,) = written(tmp_path / "in", matches)
    done = run("rate", "--json", source)
    assert done.returncode == 1
    assert f"{source}, row 122: team_score must" in done.stderr
    assert "error: 1 record skipped, 59 matches read" in done.stderr
    assert json.loads(done.stdout)["matches"] == 59
    strict = run("rate", "--strict", source)
    assert strict.returncode == 1
    assert strict.stderr.startswith(f"error: {source}, row 122: team_score must")


def test_wrong_statistics_are_left_out_and_named(tmp_path: Path) -> None:
    """The match counts, and one line says so; with ``--strict`` it is the end."""
    matches = games(60, 5)
    for n in (30, 40, 50, 55):
        matches[n][1]["kills"] = -3
    (source,) = written(tmp_path / "in", matches)
    done = run("rate", "--json", source)
    assert done.returncode == 0
    assert json.loads(done.stdout)["matches"] == 60
    (note,) = [line for line in done.stderr.splitlines() if "left out" in line]
    assert note.startswith("note: 4 matches have scores or statistics that are wrong and left out")
    assert note.count("kills of player") == 3
    strict = run("rate", "--strict", source)
    assert strict.returncode == 1
    assert strict.stderr.count("kills of player") == 1


def test_an_id_of_two_times_is_refused(tmp_path: Path) -> None:
    """It is found out at the end, as parts know nothing of one another; nothing is printed by then."""
    matches = sorted(games(60, 6, moments=9999), key=lambda rows: rows[0]["ended"])
    for row in (*matches[0], *matches[-1]):
        row["match"] = "m50"
    sources = written(tmp_path / "in", matches)
    with pytest.raises(InputError, match="matches of two times have the id 'm50'; ids must differ"):
        parts(sources, tmp_path / "sorted")


def test_the_command_line_says_the_same_of_parts_and_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ratings, counts of contests and matches, notes on scores, ``--since`` and its errors."""
    sources = written(tmp_path / "in", games(60, 7))
    asked = [["--json"], ["--json", "--since", "1970-01-01T00:20:00Z"], ["--since", "1980-01-01"], ["--csv"]]
    in_parts = [run("rate", *some, *sources) for some in asked]
    monkeypatch.setattr(parquet_parts, "ROWS", 10_000)
    at_once = [run("rate", *some, *sources) for some in asked]
    assert [one.stdout for one in in_parts] == [one.stdout for one in at_once]
    assert [one.returncode for one in in_parts] == [0, 0, 1, 0]
    assert in_parts[2].stderr.splitlines()[-1] == at_once[2].stderr.splitlines()[-1]


def test_a_part_that_was_gone_through_is_not_kept(tmp_path: Path) -> None:
    """No more than one is there besides that which comes next, also where no garbage is looked for."""
    before = sum(isinstance(each, Columns) for each in gc.get_objects())
    history = read_parts_of(tuple(written(tmp_path / "in", games(200, 10))), "rating")
    assert history is not None
    there = [sum(isinstance(each, Columns) for each in gc.get_objects()) for _ in history.parts]
    assert len(there) > 5
    assert max(there) <= before + 2


@pytest.mark.parametrize("block", [7, 1 << 16])
def test_evaluations_of_parts_are_those_of_the_whole_to_the_last_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    """Measures, groups, sides and the diagram; models that learn from matches alone are given the whole."""
    monkeypatch.setattr(evaluation, "BLOCK", block)
    matches = games(150, 8)
    matches[30][1]["team_score"] = 99.0
    sources = written(tmp_path / "in", matches)
    plots = [tmp_path / f"{n}.svg" for n in range(2)]
    asked = [
        ["--json", "--models", "plackett-luce", "--plot", str(tmp_path / "any.svg")],
        ["--models", "elo"],
        ["--strict"],
        ["--skip", "1"],
    ]
    calls: list[Path] = []
    kept = BlocksOnDisk.append
    monkeypatch.setattr(BlocksOnDisk, "append", lambda of, one: (calls.append(of._path), kept(of, one)))
    found = []
    for rows, plot in zip((60, 10_000), plots, strict=True):
        monkeypatch.setattr(parquet_parts, "ROWS", rows)
        found.append([run("evaluate", *some, *sources) for some in asked])
        (tmp_path / "any.svg").rename(plot)
        assert calls
    in_parts, at_once = found
    assert [one.stdout for one in in_parts] == [one.stdout for one in at_once]
    assert [one.returncode for one in in_parts] == [one.returncode for one in at_once] == [1, 1, 1, 1]
    assert plots[0].read_bytes() == plots[1].read_bytes()
    assert len(json.loads(in_parts[0].stdout)["groups"]["default"]) == 3
    assert not any(path.exists() for path in calls)


def test_rows_that_cannot_be_read_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the file and their numbers, where a part of it is damaged."""
    monkeypatch.setattr(parquet_parts, "ROWS", 400)
    path = tmp_path / "in.parquet"
    rows = [row for some in sorted(games(300, 9), key=lambda rows: rows[0]["ended"]) for row in some]
    pl.DataFrame(rows).write_parquet(path, row_group_size=400, compression="zstd")
    content = bytearray(path.read_bytes())
    footer = int.from_bytes(content[-8:-4], "little") + 8
    end = len(content) - footer  # of the last of three groups of rows
    content[end * 5 // 6 : end] = b"\xff" * (end - end * 5 // 6)
    path.write_bytes(content)
    done = run("rate", str(path))
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {path}, rows 801 to 1200: cannot be read: ")


def test_rows_are_counted_without_reading_them(tmp_path: Path) -> None:
    """What is no table of matches has none that could be gone through in parts."""
    (source,) = written(tmp_path / "in", games(5, 1))
    pl.DataFrame({"name": ["Ann"], "weight": [3]}).write_parquet(tmp_path / "roster.parquet")
    assert rows_of_parquet([source, source]) == 40
    assert rows_of_parquet([source, str(tmp_path / "roster.parquet")]) == 0
    assert rows_of_parquet([source, "matches.csv"]) == 0
