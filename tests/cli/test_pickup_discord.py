"""``equipoise pickup --discord`` before it connects: its token, which nobody is shown, and its archive."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("hikari")

from tests.cli.running import runner

from equipoise.cli import group
from equipoise.cli.pickup_discord import TOKEN, token_of
from equipoise.errors import InputError

A_TOKEN = "MTAwMDA.Gabcde.abcdefghijklmnopqrstuvwxyz"  # noqa: S105  # nobody's


@pytest.mark.parametrize("before", ["", "\ufeff", "Bot ", "\ufeffBot ", "\n "])
def test_a_token_is_read_as_editors_write_it(tmp_path: Path, before: str) -> None:
    """With a mark of its encoding, the word before it in headers, and blanks around it."""
    (tmp_path / "token").write_text(f"{before}{A_TOKEN}\r\n", encoding="utf-8")
    assert token_of(str(tmp_path / "token")) == A_TOKEN


@pytest.mark.parametrize(
    "given", [[A_TOKEN], ["--token", A_TOKEN], [f"--token={A_TOKEN}"], ["--token-file", A_TOKEN],
              ["--ladder", A_TOKEN], [f"--{A_TOKEN}"]]
)  # fmt: skip
def test_a_token_among_the_arguments_is_refused_and_not_shown(given: list[str]) -> None:
    """Wherever it stands: what is written to a terminal is read by others too."""
    done = runner().invoke(group, ["pickup", "--discord", "--store", "a.db", *given])
    assert done.exit_code in (1, 2)
    assert A_TOKEN not in f"{done.output}{done.stderr}{done.exception}"


@pytest.mark.parametrize("ladder", ["shared", "server"])
@pytest.mark.parametrize("where", ["nowhere/a.db", "sqlite:///{0}/nowhere/a.db"])
def test_an_archive_that_cannot_be_made_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, ladder: str
) -> None:
    """Before the bot is anywhere to be seen."""
    monkeypatch.setenv(TOKEN, A_TOKEN)
    monkeypatch.chdir(tmp_path)
    flags = ["--discord", "--store", where.format(tmp_path), "--ladder", ladder]
    done = runner().invoke(group, ["pickup", *flags, "--api", "http://127.0.0.1:9"])
    assert isinstance(done.exception, InputError)
    (line,) = str(done.exception).splitlines()
    assert "there is no directory" in line
