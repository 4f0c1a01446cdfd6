"""The tables of webhooks and queues: what is wrong in one is replies with its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import InputError
from equipoise.service.settings import read_settings

STORE = {"EQUIPOISE_STORE": "sqlite:///a.db"}


def read(folder: Path, text: str) -> object:
    """Return the settings of a file."""
    path = folder / "serve.toml"
    path.write_text(text, encoding="utf-8")
    return read_settings(str(path), STORE, {})


def test_the_tables_are_read(tmp_path: Path) -> None:
    """A webhook has its secret, a queue its policy; who is sent what follows."""
    (tmp_path / "secret").write_text("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    text = f"""
        [webhook.league]
        url = "https://league.example.org/x"
        secret_file = "{tmp_path / "secret"}"
        events = ["result", "queue"]
        [queue.duel]
        team_size = 1
        tick = 0.5
    """
    settings = read(tmp_path, text)
    (hook,), (queue,) = settings.webhooks, settings.queues  # type: ignore[attr-defined]
    assert (len(hook.secret), hook.events, queue.policy.team_size, queue.tick) == (
        24,
        ("result", "queue"),
        1,
        0.5,
    )
    assert settings.hooks == {"result": ("league",), "queue": ("league",)}  # type: ignore[attr-defined]
    assert "MfKQ" not in repr(settings)
    assert repr(hook.secret) not in repr(settings)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("[queue.duel]\nteam_size = 0", r"\[queue.duel\]: team_size must be from 1"),
        ("[queue.duel]\ntick = 0", r"\[queue.duel\]: tick must be from 0.05 to 60, got 0"),
        ("[queue.duel]\ntick = true", r"\[queue.duel\]: tick: Expected"),
        ("[queue.duel]\nheartbeat = -1", "heartbeat must be at least 0, got -1"),
        ("[queue.duel]\nmax_players = 0", "max_players must be at least 1, got 0"),
        ("[queue.duel]\nteamsize = 2", r"there is no field 'teamsize' \(did you mean 'team_size'\?\)"),
        ('[queue."a b"]\nteam_size = 2', "a name must be 1 to 64 letters"),
        ("[queue]\nduel = 3", r"\[queue.duel\]: Expected `object`, got `int`|must be a table"),
        ('[webhook.x]\nurl = "ftp://a"\nsecret_file = "s"', "url must be http"),
        ('[webhook.x]\nurl = "http://u:p@a"\nsecret_file = "s"', "url must be http"),
        ('[webhook.x]\nurl = "http://a"\nsecret_file = "s"\nevents = ["x"]', "events must be some of result"),
        ('[webhook.x]\nurl = "http://a"\nsecret_file = "s"\nseconds = 0', "seconds must be above 0"),
        ('[webhook.x]\nurl = "http://a"\nsecret_file = "none"', "secret_file: none cannot be read"),
        ('[webhook.x]\nurl = "http://a"', "missing required field `secret_file`"),
        ('[webhook.x]\nurl = "http://a"\nsecret_file = "s"\nretry = 1', "unknown field `retry`"),
    ],
)
def test_what_is_wrong_in_a_table_is_said(tmp_path: Path, table: str, message: str) -> None:
    """With the file and the table."""
    with pytest.raises(InputError, match=message) as raised:
        read(tmp_path, table)
    assert str(raised.value).startswith(str(tmp_path / "serve.toml"))


@pytest.mark.parametrize("secret", ["short", "whsec_c2hvcnQ=", "whsec_!"])
def test_a_secret_that_can_be_guessed_is_refused(tmp_path: Path, secret: str) -> None:
    """It must have 16 bytes at least."""
    (tmp_path / "secret").write_text(secret)
    with pytest.raises(InputError, match=r"\[webhook.x\]: secret_file: .* must hold"):
        read(tmp_path, f'[webhook.x]\nurl = "http://a"\nsecret_file = "{tmp_path / "secret"}"')
