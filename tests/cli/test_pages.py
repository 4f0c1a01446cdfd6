"""``equipoise pages`` and ``equipoise pages --one-file``: an archive as static files."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.running import run

from equipoise.archive.archive import open_archive
from equipoise.service.archive_workers import Keeping, UndoneGame


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
    assert {
        "equipoise-pages.json",
        "index.html",
        "board.html",
        "leaderboard",
        "match",
        "player",
        "fairness",
        "servers",
    } == {entry.name for entry in out.iterdir()}
    assert "8 matches of 4 players" in (out / "index.html").read_text(encoding="utf-8")
    assert run("pages", "--store", store, "--out", str(out), "--split", "1970-01-02").returncode == 0


def test_a_report_is_one_file(store: str, tmp_path: Path) -> None:
    """It refers to nothing else."""
    out = tmp_path / "report.html"
    assert run("pages", "--store", store, "--one-file", str(out)).returncode == 0
    page = out.read_text(encoding="utf-8")
    assert 'rel="icon" href="data:' in page
    assert page.count("href=") == 1


def test_a_folder_that_cannot_be_written_is_named(store: str, tmp_path: Path) -> None:
    """The message begins with the flag."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    for option, name in (("--out", "x"), ("--one-file", "x.html")):
        done = run("pages", "--store", store, option, str(tmp_path / "file" / name))
        assert done.returncode == 1
        assert f"error: {option}:" in done.stderr


def test_who_is_forgotten_leaves_an_exported_site(store: str, tmp_path: Path) -> None:
    """Pages that are no longer right are written again or removed; nothing else is touched."""
    out = tmp_path / "site"
    assert run("pages", "--store", store, "--out", str(out)).returncode == 0
    own = out / "player" / "own.html"
    own.write_text("Ann's own page", encoding="utf-8")
    cid = next((out / "player").glob("cid*"))
    cid.write_text("changed by hand", encoding="utf-8")
    done = run("forget", "ann", "--store", store)
    assert done.returncode == 0
    assert "pages are right again, 1 removed" in done.stderr
    pages = [path for path in out.rglob("*.html") if path != own and path.name != "board.html"]  # its example
    assert pages
    assert not [path for path in pages if "Ann" in path.read_text(encoding="utf-8")]
    assert own.read_text(encoding="utf-8") == "Ann's own page"
    assert "Cid" in cid.read_text(encoding="utf-8")


def test_the_next_export_removes_what_a_correction_elsewhere_left(store: str, tmp_path: Path) -> None:
    """A page of somebody who is gone stays where somebody else has written something there."""
    out, moved = tmp_path / "site", tmp_path / "moved"
    assert run("pages", "--store", store, "--out", str(out)).returncode == 0
    out.rename(moved)
    done = run("forget", "Ann", "--store", store)
    assert "which is not here" in done.stderr
    changed = next((moved / "player").glob("ann*"))
    changed.write_text("mine", encoding="utf-8")
    done = run("pages", "--store", store, "--out", str(moved))
    assert done.returncode == 0
    assert "was changed by somebody else" in done.stderr
    assert changed.read_text(encoding="utf-8") == "mine"


def test_a_manifest_cannot_name_files_elsewhere(store: str, tmp_path: Path) -> None:
    """It is refused, and nothing is removed."""
    out, other = tmp_path / "site", tmp_path / "other.html"
    other.write_text("", encoding="utf-8")
    out.mkdir()
    manifest = '{"format": 1, "pages": {"../other.html": ""}}'
    (out / "equipoise-pages.json").write_text(manifest, encoding="utf-8")
    done = run("pages", "--store", store, "--out", str(out))
    assert done.returncode == 1
    assert "error: --out: " in done.stderr
    assert other.exists()


def test_a_match_taken_back_by_a_server_leaves_an_exported_site(store: str, tmp_path: Path) -> None:
    """As one by the command line does, and it comes back with the match."""
    out = tmp_path / "site"
    assert run("pages", "--store", store, "--out", str(out)).returncode == 0
    before = (out / "index.html").read_text(encoding="utf-8")
    with open_archive(store) as archive:
        match = archive.listed(None, 1)[0].match.id
    keeping = Keeping(store, 10.0)
    list(keeping(UndoneGame(match, back=False)))
    after = (out / "index.html").read_text(encoding="utf-8")
    assert "8 matches of 4 players" in before
    assert "7 matches of 4 players" in after
    list(keeping(UndoneGame(match, back=True)))
    assert (out / "index.html").read_text(encoding="utf-8") == before
