"""Ctrl-C during a search, whichever command searches."""

from __future__ import annotations

import shlex
import signal
from pathlib import Path

import pytest
from tests.cli.running import run

from equipoise.cli.balance import Interruptible

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("balance many.txt --teams 3", "Team 3"),
        ("explain {roster}", "Why these teams"),
        ("balance many.txt --front win,spread", "not proven to be all there are"),
        ("lobbies {players} {lobbies}", "Not proven optimal"),
        ("night plan --rounds 3 --store sqlite:///n.db", "Game 3"),
    ],
)
def test_what_was_found_is_printed(
    typed: str, found: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search is interrupted when it first asks whether to go on; the exit code is that of shells."""
    monkeypatch.chdir(tmp_path)
    Path("many.txt").write_text("".join(f"{n * n % 997 + 0.37 * n} P{n}x\n" for n in range(1, 43)))
    if "plan" in typed:
        run("night", "--store", "sqlite:///n.db", "Ann", "Bob", "Cid", "Dee", "Eve", "Fay")
    asked = Interruptible.__call__

    def interrupted(stop: Interruptible) -> bool:
        if not stop.interruption.happened:
            signal.raise_signal(signal.SIGINT)
        return asked(stop)

    monkeypatch.setattr(Interruptible, "__call__", interrupted)
    places = {name: str(next(EXAMPLES.glob(f"{name}.*"))) for name in ("roster", "players", "lobbies")}
    done = run(*shlex.split(typed.format(**places)))
    assert done.returncode == 130, done.stderr
    assert found in done.stdout
    assert "interrupted; th" in done.stderr
    assert done.stderr.rstrip().endswith("the best so far")
