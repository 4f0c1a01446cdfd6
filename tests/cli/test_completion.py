"""What a shell completes: commands, options, the values they take, and files."""

from __future__ import annotations

import pytest
from tests.cli.running import run_process

from equipoise.core.registry import LOBBY_SOLVERS, OBJECTIVES, SOLVERS

pytestmark = pytest.mark.slow


def _completed(typed: str) -> list[str]:
    """Return what bash is given for the last word of a line."""
    words = typed.split(" ")
    done = run_process(
        _EQUIPOISE_COMPLETE="bash_complete", COMP_WORDS=" ".join(words), COMP_CWORD=str(len(words) - 1)
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("equipoise bal", ["plain,balance"]),
        ("equipoise balance --objective ", [f"plain,{name}" for name in OBJECTIVES]),
        ("equipoise balance names.txt --solver mi", ["plain,mitm"]),
        ("equipoise explain --solver ", [f"plain,{name}" for name in ("auto", *SOLVERS)]),
        ("equipoise lobbies --solver ", [f"plain,{name}" for name in ("auto", *LOBBY_SOLVERS)]),
        ("equipoise rate --model el", ["plain,elo"]),
        ("equipoise balance --read na", ["plain,name-first", "plain,names"]),
        ("equipoise balance nam", ["file,nam"]),
        ("equipoise rate --curves o", ["file,o"]),
    ],
)
def test_values_are_completed(typed: str, offered: list[str]) -> None:
    """By what the option or the argument takes."""
    assert _completed(typed) == offered
