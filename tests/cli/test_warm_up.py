"""``equipoise warm-up``, and what is said while something is compiled."""

from __future__ import annotations

import pytest
from tests.cli.running import run

from equipoise.cli import _say_compiling
from equipoise.core import notices
from equipoise.service import kernel_warmup


@pytest.mark.slow
def test_warming_up_compiles_what_is_missing_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step is named as it begins, and what is compiled already is left alone."""
    pytest.importorskip("numba", reason="numba is not installed")
    done: list[str] = []

    def new() -> None:
        """Be no kernel that was compiled."""

    steps = (
        kernel_warmup.WarmupStep("matches", (new,), lambda _: done.append("matches")),
        kernel_warmup.WarmupStep("nothing", (), lambda _: done.append("nothing")),
    )
    monkeypatch.setattr(kernel_warmup, "STEPS", steps)
    result = run("warm-up")
    assert (result.returncode, result.stdout) == (0, "Everything is compiled.\n")
    assert result.stderr == "Compiling: matches ...\n"
    assert done == ["matches"]


@pytest.mark.parametrize("kept", [True, False])
def test_compiling_is_said_once_and_not_on_the_standard_output(
    kept: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many kernels a search needs."""
    monkeypatch.setattr(notices, "compiling", [_say_compiling])
    for _ in range(3):
        for listener in list(notices.compiling):
            listener(kept)
    said = capsys.readouterr()
    assert not said.out
    assert said.err.count("\n") == 1
    assert ("equipoise warm-up" in said.err) is kept
    assert ("NUMBA_CACHE_DIR" in said.err) is not kept


@pytest.mark.slow
def test_where_nothing_can_be_kept_warming_up_says_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no use compiling for a process that ends."""
    pytest.importorskip("numba", reason="numba is not installed")
    monkeypatch.setattr(kernel_warmup, "keeps", lambda _: False)
    result = run("warm-up")
    assert result.returncode == 1
    assert "set NUMBA_CACHE_DIR to a folder" in result.stderr
