"""``equipoise board``: a page that works without a server."""

from __future__ import annotations

from pathlib import Path

from tests.cli.running import run


def test_the_page_is_written(tmp_path: Path) -> None:
    """One file is all there is."""
    out = tmp_path / "board.html"
    done = run("board", "--out", str(out))
    assert done.returncode == 0
    assert out.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    """The message begins with the flag."""
    done = run("board", "--out", str(tmp_path / "none" / "board.html"))
    assert done.returncode == 1
    assert "error: --out:" in done.stderr
