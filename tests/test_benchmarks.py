"""The runner of benchmarks: every page that has raw results is looked at, and a stale one is found."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from benchmarks import reporting
from benchmarks.__main__ import SCRIPTS, has_results, main

ROOT = Path(__file__).parent.parent

#: Pages whose raw results are not kept: they are measured anew by whoever wants to know.
MEASURED_ANEW = {"EVENINGS.md", "MEMORY.md", "PROFILE.md", "STARTING.md"}


@pytest.mark.slow
def test_all_pages_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """``--check`` looks at each page, and at the proof in public, which is one of the documents."""
    seen: list[str] = []

    def write(page: Path, text: str, name: str, *, check: bool) -> int:
        assert check
        assert page.read_text(encoding="utf-8") == text, f"run: python -m benchmarks {name} --report"
        seen.append(page.name)
        return int(name == "kills")

    monkeypatch.setattr(reporting, "write", write)
    monkeypatch.setattr("benchmarks.play.four_arms.write", write)
    monkeypatch.setattr("benchmarks.files.pastes.write", write)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--check"])
    assert main() == 1
    pages = {path.name for path in (ROOT / "benchmarks").glob("*.md")} - MEASURED_ANEW
    assert sorted(seen) == sorted(pages | {"proof.md"})


def test_a_page_that_is_stale_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The exit code is 1, and the command that writes it stands there; the page stays as it was."""
    page = tmp_path / "KILLS.md"
    page.write_text("before", encoding="utf-8")
    assert reporting.write(page, "now", "kills", check=True) == 1
    assert page.read_text(encoding="utf-8") == "before"
    assert capsys.readouterr().err == "KILLS.md is stale; run: python -m benchmarks kills --report\n"
    assert reporting.write(page, "now", "kills", check=False) == 0
    assert reporting.write(page, "now", "kills", check=True) == 0


def test_an_unknown_name_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With all the names there are, and as a mistake of usage."""
    monkeypatch.setattr(sys, "argv", ["benchmarks", "kill"])
    assert main() == 2
    reported = capsys.readouterr().err
    assert "'kill'; there are: archive, " in reported
    assert ", kills," in reported


def test_raw_results_belong_to_a_benchmark() -> None:
    """A file of results is that of a benchmark, or what one compares with: ``NAME-before``, ``NAME-duel``."""
    for path in (ROOT / "benchmarks" / "results").iterdir():
        name = path.stem.partition("-")[0]
        assert name in SCRIPTS
        assert has_results(name)
        for line in path.read_text(encoding="utf-8").splitlines() if path.suffix == ".jsonl" else ():
            json.loads(line)
