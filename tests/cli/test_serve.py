"""``equipoise serve`` on the command line: what is refused, and the example client."""

from __future__ import annotations

import importlib.util
import re
import socket
from dataclasses import fields
from pathlib import Path

import pytest
from tests.cli.running import run, run_process, runner
from tests.service.test_service import TOKEN, Served, games, learnt

from equipoise.cli.serve import command
from equipoise.service.settings import Settings

ROOT = Path(__file__).resolve().parent.parent.parent


def test_every_setting_but_the_token_and_tables_is_a_flag() -> None:
    """A token on the command line could be seen by others; webhooks and queues are tables of a file."""
    flags = {option.name for option in command.params}
    assert flags == {each.name for each in fields(Settings)} - {"token", "webhooks", "queues"} | {"config"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([], "^--store is missing"),
        (["--store", "games"], "^--store must be sqlite:///path"),
        (["--store", "sqlite:////none/a.db"], "^--store: /none/a.db: "),
        (["--store", "sqlite:///{0}/a.db"], "^--store: .*/a.db: there is no such file"),
        (["--store", "sqlite:///{0}/a.db", "--weights", "nowhere"], "^--weights must be HOST:PORT"),
        (
            ["--store", "sqlite:///{0}/a.db", "--create", "--weights", "127.0.0.1:{1}"],
            "^--weights: cannot listen on",
        ),
        (
            ["--store", "sqlite:///{0}/a.db", "--max-line", "0"],
            "^--max-line must be above 0 and finite",
        ),
        (["--store", "sqlite:///{0}/a.db", "--token-file", "none"], "^--token-file: none cannot be read"),
        (["--store", "sqlite:///{0}/a.db", "--cors", "board.example"], "^--cors must be \\* or origins"),
        (["--store", "sqlite:///{0}/a.db", "--forwarded-by", "proxy"], "^--forwarded-by must be addresses"),
    ],
)
def test_what_cannot_be_served_is_not_begun(flags: list[str], message: str, tmp_path: Path) -> None:
    """A mistake of the caller, before anybody is answered."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        given = [flag.format(tmp_path, taken.getsockname()[1]) for flag in flags]
        done = run_process("serve", *given)
    assert done.returncode == 1
    assert re.match(message.replace("^", "error: "), done.stderr)


@pytest.mark.slow
def test_a_setting_is_named_where_it_was_set(tmp_path: Path) -> None:
    """The flag, the variable of the environment, or the file."""
    path = tmp_path / "serve.toml"
    path.write_text('[serve]\nstore = "sqlite:///a.db"\nweights = "nowhere"\n', encoding="utf-8")
    wrong = "must be HOST:PORT, as in 127.0.0.1:7790 or [::1]:7790, got 'nowhere'"
    store = ("--store", "sqlite:///a.db")
    for name in ("serve", "doctor"):
        by_flag = run(name, *store, "--weights", "nowhere")
        by_variable = run(name, *store, EQUIPOISE_WEIGHTS="nowhere")
        by_file = run(name, "--config", str(path))
        for done, place in (
            (by_flag, "--weights"), (by_variable, "EQUIPOISE_WEIGHTS"), (by_file, f"{path}: weights")
        ):  # fmt: skip
            assert done.returncode == 1
            assert f": {place} {wrong}" in done.stdout + done.stderr


def test_an_unknown_flag_is_a_mistake_of_usage() -> None:
    """Exit code 2."""
    assert runner().invoke(command, ["--nothing"]).exit_code == 2


@pytest.mark.slow
def test_the_example_client_gets_weights_and_teams(tmp_path: Path) -> None:
    """The Python client to copy speaks the protocol."""
    spec = importlib.util.spec_from_file_location("weights", ROOT / "integrations" / "weights.py")
    client = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(client)
    assert len(Path(client.__file__).read_text(encoding="utf-8").splitlines()) <= 40
    server = Served(learnt(tmp_path / "games.db", games("ann lee")))
    try:
        weights = client.Weights("127.0.0.1", server.port, "ctf", ["lowgrav"])
        assert weights.weight("PLAYER", "ann lee") > 50.0 > weights.weight("PLAYER", "somebody")
        assert weights.weight("PLAYER", "no one") is None
        assert weights.weight("BOT", "Xan") == weights.mean_bot()[0] == 50.0
        assert [member for _, member in weights.divide(2)] == [
            "PLAYER ann lee", "PLAYER somebody", "PLAYER no one", "BOT Xan",
        ]  # fmt: skip
        with pytest.raises(ConnectionError, match="unknown-command"):
            weights.ask("HELLO")
        with pytest.raises(ValueError, match="control characters"):
            weights.weight("PLAYER", "ann\nRESULT x")
        for name in ("", "x" * 201):  # an answer to what has none would be taken for that of the next line
            with pytest.raises(ValueError, match="1 to 200 characters"):
                client.Weights("127.0.0.1", server.port, "ctf", [name])
        assert weights.divide(2, "1 PLAYER ann lee", "PLAYER eve")[0] == ("1", "PLAYER ann lee")
        assert weights.join("zoe", "0 PLAYER ann lee", "1 PLAYER eve", "1 PLAYER cid") == 0
        seats = ("0 PLAYER ann lee", "1 PLAYER eve")
        assert weights.report(TOKEN, "night 1", (3, 1), *seats)
        assert not weights.report(TOKEN, "night 1", (3, 1), *seats)
        assert weights.report(TOKEN, "night 2", (0.1 + 0.2, 1e-9), *seats)
        weights.close()
    finally:
        assert server.end()[0] == 0
