"""``equipoise pages`` and ``equipoise pages --one-file``: an archive as static files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import run


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Return the address of an archive with a few results."""
    results = tmp_path / "results.jsonl"
    lines = [
        f'{{"at": {60 * n}, "teams": [["Ann", "Bob"], ["Cid", "Dan"]], "ranks": [{1 + n % 2}, {2 - n % 2}]}}'
        for n in range(1, 9)
    ]
    results.write_text("\n".join(lines) + "\n", encoding="utf-8")
    url = f"sqlite:///{tmp_path / 'games.db'}"
    assert run("ingest", "--game", "plain", str(results), "--store", url).returncode == 0
    return url


@pytest.mark.slow
def test_a_folder_of_pages_is_written(store: str, tmp_path: Path) -> None:
    """There is an index, the board, and a folder for each kind."""
    out = tmp_path / "site"
    done = run("pages", "--store", store, "--out", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    assert {"index.html", "board.html", "leaderboard", "match", "player", "fairness", "servers"} == {
        entry.name for entry in out.iterdir()
    }
    assert "8 matches of 4 players" in (out / "index.html").read_text(encoding="utf-8")
    assert run("pages", "--store", store, "--out", str(out), "--split", "1970-01-02").returncode == 0


def test_a_report_is_one_file(store: str, tmp_path: Path) -> None:
    """It refers to nothing else."""
    out = tmp_path / "report.html"
    assert run("pages", "--store", store, "--one-file", str(out)).returncode == 0
    page = out.read_text(encoding="utf-8")
    assert 'href="data:,"' in page
    assert page.count("href=") == 1


def test_a_folder_that_cannot_be_written_is_named(store: str, tmp_path: Path) -> None:
    """The message begins with the flag."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    for option, name in (("--out", "x"), ("--one-file", "x.html")):
        done = run("pages", "--store", store, option, str(tmp_path / "file" / name))
        assert done.returncode == 1
        assert f"error: {option}:" in done.stderr
