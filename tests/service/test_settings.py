"""Settings of the server: file, environment and flags, in rising precedence."""

from __future__ import annotations

import math
import re
from dataclasses import fields
from pathlib import Path

import pytest

from equipoise.errors import InputError
from equipoise.service.http import server
from equipoise.service.settings import Settings, read_settings

STORE = "sqlite:///a.db"
TOKEN = "a token that nobody guesses"  # noqa: S105 -- of these tests


#: What comes as tables.
NAMED = ("webhooks", "queues")


def _file(folder: Path, text: str) -> str:
    path = folder / "serve.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_flag_is_stronger_than_the_environment_and_that_than_the_file(tmp_path: Path) -> None:
    """Each only where it says something."""
    path = _file(tmp_path, f'[serve]\nstore = "{STORE}"\nmax_line = 1\nmax_members = 1\nidle_seconds = 1\n')
    environment = {"EQUIPOISE_MAX_LINE": "2", "EQUIPOISE_MAX_MEMBERS": "2", "OTHER": "x"}
    settings = read_settings(path, environment, {"max_line": 3, "game": None})
    assert (settings.store, settings.idle_seconds) == (STORE, 1.0)
    assert (settings.max_members, settings.max_line) == (2, 3)


@pytest.mark.parametrize("name", [each.name for each in fields(Settings) if each.name not in NAMED])
def test_every_setting_may_stand_in_the_environment_and_in_the_file(name: str, tmp_path: Path) -> None:
    """What a file says is the same as what the environment says."""
    value = {"str": "127.0.0.1:1", "int": 7, "float": 7.5, "bool": True}[Settings.__annotations__[name]]
    value = {
        "log_level": "error", "cors": "*", "forwarded_by": "::1, 127.0.0.1", "zone": "+05:45",
        "public_url": "https://games.example", "language": "en",
    }.get(name, value)  # fmt: skip
    shown = str(value).lower() if isinstance(value, bool) else repr(value)
    store = "" if name == "store" else f'store = "{STORE}"\n'
    from_file = read_settings(_file(tmp_path, f"[serve]\n{store}{name} = {shown}\n"), {}, {})
    environment = {"EQUIPOISE_STORE": STORE, f"EQUIPOISE_{name.upper()}": str(value)}
    assert from_file == read_settings(None, environment, {})
    assert getattr(from_file, name) == value


def test_limits_are_those_of_the_settings() -> None:
    """Each stands where it belongs."""
    meant = {
        "connections": "max_connections", "per_address": "max_per_address", "per_network": "max_per_network",
        "places": "max_waiting", "rate": "http_rate",
    }  # fmt: skip
    numbers = {
        each.name: (float if each.type == "float" else int)(7 + n)
        for n, each in enumerate(fields(Settings))
        if each.type in ("float", "int")
    }
    settings = Settings(STORE, **numbers)
    http = server.limits(settings)
    for limits in (settings.admission, settings.limits, http):
        for each in {each.name for each in fields(limits)} - {"conversation"}:
            if each != "idle_seconds" or limits is not http:  # HTTP has its own
                assert getattr(limits, each) == getattr(settings, meant.get(each, each)), each


def test_the_file_of_the_how_to_is_read(tmp_path: Path) -> None:
    """Nothing in it is unknown, and the limits it lists are the defaults."""
    page = (Path(__file__).resolve().parents[2] / "docs/how-to/serve.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```toml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    settings = read_settings(_file(tmp_path, block), {}, {})
    assert settings.address == ("127.0.0.1", 7790)
    for name, default in re.findall(r"^\| `(\w+)` \| (\d+)", page, re.MULTILINE):
        assert getattr(settings, name) == float(default), name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "store is missing"),
        (
            "[serve]\nstor = 1",
            "serve.toml: there is no setting 'stor'; the settings are store, create, weights",
        ),
        ("[serve]\nstore = 1", "serve.toml: store must be text, got 1"),
        (f'[serve]\nstore="{STORE}"\nmax_line = "x"', "max_line must be a whole number, got 'x'"),
        (f'[serve]\nstore="{STORE}"\njson_logs = 1', "json_logs must be true or false, got 1"),
        (
            f'[serve]\nstore="{STORE}"\nlog_level = "loud"',
            "log_level must be one of debug, info, warning, error, got 'loud'",
        ),
        (f'[serve]\nstore="{STORE}"\nlanguage = "xx"', "language must be one of en, got 'xx'"),
        (
            f'[serve]\nstore="{STORE}"\npublic_url = "games.example"',
            "public_url must be an address such as https://games.example, got 'games.example'",
        ),
        (f'[serve]\nstore="{STORE}"\nteam_seconds = 0', "team_seconds must be above 0 and finite, got 0.0"),
        ("[other]\n", r"every setting must be in a table: \[serve\], "),
        ("not toml", "serve.toml: it is not TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_reported(text: str, message: str, tmp_path: Path) -> None:
    """The message names the setting and what is allowed."""
    with pytest.raises(InputError, match=message):
        read_settings(_file(tmp_path, text), {}, {})


@pytest.mark.parametrize(
    "name", [each.name for each in fields(Settings) if type(each.default) in (int, float)]
)
@pytest.mark.parametrize("number", [0, -1, math.inf, math.nan])
def test_a_number_that_makes_no_sense_is_reported_by_its_name(name: str, number: float) -> None:
    """As it is typed, not as some part of the server calls it."""
    if name == "workers" and number == 0:  # as many as there are cores
        assert Settings(store=STORE, workers=0).workers == 0
        return
    with pytest.raises(InputError, match=f"^{name} must be above 0 and finite, got {number}"):
        Settings(store=STORE, **{name: number})


def test_what_is_wrong_with_the_environment_is_reported() -> None:
    """By the name it has there."""
    with pytest.raises(InputError, match=r"^EQUIPOISE_MAX_LINE must be a whole number, got 'many'"):
        read_settings(None, {"EQUIPOISE_STORE": STORE, "EQUIPOISE_MAX_LINE": "many"}, {})
    with pytest.raises(InputError, match=r"none\.toml: cannot be read"):
        read_settings("none.toml", {}, {})


@pytest.mark.parametrize(
    ("said", "address"),
    [("127.0.0.1:0", ("127.0.0.1", 0)), ("[::1]:65535", ("::1", 65535)), ("localhost:80", ("localhost", 80))],
)
def test_an_address_is_a_host_and_a_port(said: str, address: tuple[str, int]) -> None:
    """IPv6 addresses stand in brackets."""
    assert Settings(store=STORE, weights=said).address == address


@pytest.mark.parametrize("said", ["", "7790", ":7790", "host:", "host:port", "host:65536", "host:-1", "h:²"])
def test_what_is_no_address_is_refused(said: str) -> None:
    """With what is allowed."""
    with pytest.raises(InputError, match=r"^weights must be HOST:PORT, "):
        _ = Settings(store=STORE, weights=said).address


def test_the_token_is_read_from_its_file_and_never_shown(tmp_path: Path) -> None:
    """Short ones, and two at once, are refused."""
    path = tmp_path / "token"
    path.write_text(TOKEN + "\n", encoding="utf-8")
    assert Settings(store=STORE, token_file=str(path)).secret() == TOKEN
    assert "nobody" not in repr(Settings(store=STORE, token=TOKEN))
    assert Settings(store=STORE).secret() == ""
    for settings, message in (
        (Settings(store=STORE, token="x" * 9), "^token must be one line of at least 16 characters"),
        (
            Settings(store=STORE, token="x" * 20, token_file=str(path)),
            "^token_file cannot be combined with token",
        ),
        (Settings(store=STORE, token_file=str(tmp_path)), "^token_file: .* cannot be read"),
    ):
        with pytest.raises(InputError, match=message):
            settings.secret()
