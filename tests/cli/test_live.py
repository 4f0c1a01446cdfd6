"""``equipoise live``: settings that are wrong are refused, and a recorded log shows what would be done."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pytest
from tests.cli.running import run

from equipoise.archive.archive import open_archive
from equipoise.cli import live
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.errors import EquipoiseError, InputError
from equipoise.service import live_server
from equipoise.service.live_settings import Playing

INIT = (
    r"{time} InitGame: \g_gametype\3\mapname\dm1\timelimit\10\gamename\baseoa"
    r"\g_timestamp\2026-11-0{day} 10:00:00"
)
PERSON = r"{time} ClientUserinfoChanged: {slot} n\{name}\t\{team}\model\x\hc\100\id\{guid}"


def log_of(games: int) -> str:
    """Return a log of games of four people, the stronger two always in one team."""
    lines = []
    for game in range(games):
        lines.append(INIT.format(time="  0:00", day=1 + game))
        for slot in range(4):
            reported = PERSON.format(
                time="  0:01", slot=slot, name=f"n{slot}", team=1 + slot // 2, guid=f"{slot}" * 32
            )
            lines += [reported, f"  0:01 ClientBegin: {slot}"]
        lines += ["  0:05 Kill: 0 2 7: n0 killed n2 by MOD_ROCKET"] * 20
        lines += ["  8:00 Exit: Fraglimit hit.", "  8:00 red:20  blue:3", "  8:10 ShutdownGame:"]
    return "\n".join(lines) + "\n"


@pytest.fixture
def recorded(tmp_path: Path) -> tuple[Path, str]:
    """Return a log, and the address of an archive of it."""
    log = tmp_path / "games.log"
    log.write_text(log_of(4), encoding="utf-8")
    store = f"sqlite:///{tmp_path / 'games.db'}"
    assert run("ingest", str(log), "--store", store).returncode == 0
    return log, store


def test_a_dry_run_of_a_recorded_log_says_what_would_have_been_done(recorded: tuple[Path, str]) -> None:
    """Teams at each start, with chances; the archive stays as it is."""
    log, store = recorded
    before = run("archive", "digest", "--store", store).stdout
    done = run("live", "--log", str(log), "--store", store, "--dry-run", "--once", "--no-bots")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("game ") == 4
    assert "say: Teams: Red 2, Blue 2." in done.stdout
    assert "move" in done.stdout
    assert run("archive", "digest", "--store", store).stdout == before


@pytest.mark.slow
def test_a_dry_run_of_a_live_log_goes_on_until_it_is_asked_to_end(recorded: tuple[Path, str]) -> None:
    """It says what it would do about those who are there, and sends nothing."""
    log, store = recorded
    with log.open("a", encoding="utf-8") as file:
        file.write(log_of(1).partition("  8:00 Exit")[0])
    command = [sys.executable, "-m", "equipoise", "live", "--log", str(log), "--store", store, "--dry-run"]
    with subprocess.Popen([*command, "--no-bots"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "advantage" in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--store", "sqlite:///x.db"), "--log is missing"),
        (("--log", "x", "--store", "sqlite:///x.db"), "--rcon is missing"),
        (("--log", "x", "--dry-run"), "--store is missing"),
        (("--log", "x", "--store", "sqlite:///x.db", "--dry-run", "--stay", "7"),
         "--stay must be from 0 to 1, got 7"),
        (("--log", "x", "--store", "sqlite:///x.db", "--dry-run", "--game", "chess"),
         "--game must be one of"),
        (("--log", "x", "--store", "sqlite:///x.db", "--rcon", "a:1"), "must be given together"),
        (("--log", "x", "--store", "sqlite:///x.db", "--rcon", "a:1", "--rcon-password-file", "/none"),
         "--rcon-password-file: /none cannot be read"),
        (("--config", "/none"), "/none: cannot be read"),
        (("--log", "x", "--store", "sqlite:///x.db", "--dry-run", "--intermission", "nan"),
         "--intermission must be from 0 to 1000000, got nan"),
    ],
)  # fmt: skip
def test_settings_that_are_wrong_are_refused(flags: tuple[str, ...], message: str) -> None:
    """With the flag that was typed."""
    done = run("live", *flags)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ("x = 1", "a table [[server]] for each server"),
        ("store = 'sqlite:///x.db'", "there must be a table [[server]]"),
        ("[[server]]\nlog = 'x'\ntarget = 'many'", "target must be a whole number"),
        ("[[server]]\nlog = 'x'\nspeed = 2", "there is no setting 'speed'"),
        ("[[server]]\nlog = 'x'\nmaps = {a = [5, 2]}", "maps: a must be two whole numbers"),
        ("[[server]]\nlog = 'x'\nplayers = {\"a;quit\" = 'Sarge'}", "players: names and characters"),
        ("[[server]]\nlog = 'x'\n[[server]]\nlog = './x'", "two servers have one log"),
        ("[[server]]\nlog = 'a/x'\n[[server]]\nlog = 'b/x'", "two servers have one name, x"),
        ("[[server]]\nlog = 'x'\nmaps = {a = [true, 2]}", "maps: a must be two whole numbers"),
        ("[[server]]\nlog = 'x'\nintermission = -1", "intermission must be from 0 to 1000000, got -1"),
        ("[[server]]\nlog = 'x'\ngame = 'nexuiz'\nlevel = 3", "server 1: level does not apply to nexuiz"),
        ("[[server]]\nname = 'n'", "server n: log is missing"),
        ("[[server]\n", "it is not TOML"),
    ],
)
def test_a_configuration_that_is_wrong_is_refused(tmp_path: Path, toml: str, message: str) -> None:
    """With the file, the server and the setting."""
    path = tmp_path / "live.toml"
    path.write_text(toml, encoding="utf-8")
    done = run(
        "live", "--config", str(path), "--dry-run", "--once", "--store", f"sqlite:///{tmp_path / 'a.db'}"
    )
    assert done.returncode == 1
    assert message in done.stderr


@pytest.mark.slow
def test_several_servers_come_from_one_configuration(recorded: tuple[Path, str], tmp_path: Path) -> None:
    """A table for each, and the archive."""
    log, store = recorded
    other = tmp_path / "other.log"
    other.write_text(log_of(2), encoding="utf-8")
    path = tmp_path / "live.toml"
    path.write_text(
        f"store = '{store}'\n[[server]]\nlog = '{log}'\n[[server]]\nlog = '{other}'\nbots = false\n",
        encoding="utf-8",
    )
    done = run("live", "--config", str(path), "--dry-run", "--once")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("game 1:") == 2


@pytest.mark.slow
def test_what_if_compares_ways_to_divide_and_draws_them(recorded: tuple[Path, str], tmp_path: Path) -> None:
    """Figures for every way, as text, JSON and picture; an archive without teams is refused."""
    _, store = recorded
    picture = tmp_path / "arms.svg"
    done = run("evaluate", "--what-if", "--store", store, "--plot", str(picture), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [arm["arm"] for arm in found["arms"]] == ["played", "random", "greedy", "equipoise"]
    assert found["matches"] == 4
    assert len(found["differences"]) == 6
    assert "equipoise" in picture.read_text(encoding="utf-8")
    assert run("evaluate", "--what-if", "--store", store).stdout.startswith("4 matches; closeness")
    empty = tmp_path / "empty.log"
    empty.write_text("", encoding="utf-8")
    other = f"sqlite:///{tmp_path / 'empty.db'}"
    run("ingest", str(empty), "--store", other)
    assert run("evaluate", "--what-if", "--store", other).returncode == 1


@pytest.mark.slow
def test_what_if_of_teams_that_were_made_by_who_knew_more_gives_no_figure(tmp_path: Path) -> None:
    """Even from the first game on: "cannot tell" and why, as text, table, JSON and picture."""
    rng = np.random.default_rng(5)
    skills = {f"p{n}": 0.4 * n for n in range(12)}
    matches = []
    for n in range(60):
        names = [str(name) for name in rng.permutation(sorted(skills))[:6]]
        ways = [[str(name) for name in rng.permutation(names)] for _ in range(30)]
        even = min(
            ways, key=lambda way: abs(sum(skills[who] * (1 - n // 3 * 2) for n, who in enumerate(way)))
        )
        ranks = (1, 2) if rng.random() < 0.5 else (2, 1)
        matches.append(Match((Contest(Ruleset(), (even[:3], even[3:]), ranks, at=600.0 * n),)))
    store = f"sqlite:///{tmp_path / 'even.db'}"
    with open_archive(store) as archive:
        archive.record(matches)
    reason = "teams were even before any result could show how, so whoever made them knew more"
    asked = ("evaluate", "--what-if", "--store", store)
    lines = run(*asked).stdout.splitlines()
    assert lines[1] == f"cannot tell: {reason}"
    assert lines[2] == "played     cannot tell  0 broken parties, 0.0 moves a match"
    assert len(lines) == 6
    as_table = run(*asked, "--csv")
    assert as_table.stdout.splitlines()[2].startswith("random,,,,,,,cannot tell,0.0,")
    assert as_table.stderr == f"cannot tell: {reason}\n"
    picture = tmp_path / "arms.svg"
    found = json.loads(run(*asked, "--json", "--plot", str(picture)).stdout)
    assert (found["identified"], found["reason"]) == (False, reason)
    assert all(each["interval"] is None for each in (*found["arms"], *found["differences"]))
    assert {each["closeness"] for each in found["arms"]} == {None}
    assert {(each["difference"], each["verdict"]) for each in found["differences"]} == {(None, "cannot tell")}
    assert picture.read_text(encoding="utf-8").count("cannot tell") == 4


def test_a_log_without_a_game_is_refused(recorded: tuple[Path, str], tmp_path: Path) -> None:
    """Of another game, or no log at all: with the flag, or with the file and the server."""
    log, store = recorded
    done = run("live", "--log", str(log), "--game", "nexuiz", "--store", store, "--dry-run", "--once")
    assert done.returncode == 1
    assert f"--log: {log} has no game of nexuiz; --game says what the server plays" in done.stderr
    path = tmp_path / "live.toml"
    path.write_text(f"[[server]]\nname = 'nx'\nlog = '{log}'\ngame = 'nexuiz'\n", encoding="utf-8")
    done = run("live", "--config", str(path), "--store", store, "--dry-run", "--once")
    assert f"{path}: server nx: log: {log} has no game of nexuiz" in done.stderr


def test_a_server_that_cannot_be_found_is_reported_once(recorded: tuple[Path, str], tmp_path: Path) -> None:
    """With the flag that was typed."""
    log, store = recorded
    password = tmp_path / "rcon"
    password.write_text("secret\n", encoding="ascii")
    done = run(
        "live", "--log", str(log), "--store", store, "--rcon", "nowhere.invalid:1",
        "--rcon-password-file", str(password),
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.count("nowhere.invalid cannot be found") == 1
    assert "error: --rcon: nowhere.invalid" in done.stderr


@pytest.mark.parametrize(
    "error", [EquipoiseError("no database"), InputError("gone", "log"), ValueError("odd")]
)
def test_a_server_that_fails_while_it_runs_is_begun_again(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line says why, and it ends in order when it is asked to; one that cannot begin has failed."""
    asked: list[Callable[..., None]] = []
    steps: list[int] = []

    class Failing:
        def __init__(self, *_: object, **__: object) -> None:
            self.fileno = lambda: -1
            self.close = lambda: None

        def step(self, _: float) -> None:
            steps.append(len(steps))
            if len(steps) in (2, 3):
                raise error
            if len(steps) == 5:
                asked[0]()

    monkeypatch.setattr(live_server, "BalancedServer", Failing)
    monkeypatch.setattr(live.signal, "signal", lambda _, end: asked.append(end))
    monkeypatch.setattr(live, "AGAIN", 0.0)
    server = Playing(str(tmp_path / "games.log"), name="dm")
    live._run([server], f"sqlite:///{tmp_path / 'games.db'}", "", dry=True)
    reported = capsys.readouterr().err.splitlines()
    assert len(steps) == 5
    assert len(reported) == 2
    assert all("dm is begun again" in line and str(error.args[0]) in line for line in reported)
    steps[:] = [0]
    with pytest.raises(click.exceptions.Exit):
        live._run([server], f"sqlite:///{tmp_path / 'games.db'}", "", dry=True)
    assert len(capsys.readouterr().err.splitlines()) == 1
