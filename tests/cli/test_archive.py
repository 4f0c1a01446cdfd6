"""The commands on archives: from logs to ratings, corrections, and what is said when something is wrong."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import run, runner

from equipoise.archive import parquet_file
from equipoise.archive.sqlite import sqlite_driver
from equipoise.cli import group
from equipoise.errors import EquipoiseError
from equipoise.ratings.models.gaussian_filter.model import GaussianFilter

DAY = 86400


def line(n: int, **fields: Any) -> str:
    """Return a line of a log of results."""
    teams = [[{"id": "ann", "name": "Ann"}, "bob"], [{"id": "cid", "name": f"Cid {n}"}, "bot:Xan:5"]]
    record = {"ended": DAY * n, "game": "ut2004", "game_type": "tdm", "teams": teams, "scores": [n % 3, 1]}
    return json.dumps({**record, **fields}) + "\n"


LOG = "".join(line(n) for n in range(1, 7))


def call(*args: str, fails: int = 0, given: bytes = b"") -> str:
    """Run a command within this process and return what it prints, or its message where it must fail."""
    done = runner().invoke(group, args, input=given)
    if isinstance(done.exception, EquipoiseError):
        assert fails == 1, str(done.exception)
        return str(done.exception)
    assert done.exit_code == fails, done.output
    return done.stderr if fails else done.stdout


def plain(*args: str, **more: Any) -> Any:
    """Return what a command prints as JSON."""
    return json.loads(call(*args, "--json", **more))


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Return the address of an archive that does not exist yet."""
    return f"sqlite:///{tmp_path / 'games.db'}"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a log of six matches."""
    path = tmp_path / "results.jsonl"
    path.write_text(LOG)
    return path


def digest_of(tmp_path: Path, name: str, *contents: str) -> str:
    """Return the digest of an archive that was fed contents one after the other."""
    url = f"sqlite:///{tmp_path / name}"
    for content in contents:
        plain("ingest", "-", "--store", url, given=content.encode())
    return call("archive", "digest", "--store", url).strip()


@pytest.mark.slow
def test_each_match_counts_once_however_its_log_is_read(store: str, log: Path, tmp_path: Path) -> None:
    """Twice, compressed under another name, as a pattern, in a directory, from standard input."""
    first = plain("ingest", str(log), "--store", store)
    assert [first[each] for each in ("matches", "duplicates", "unfinished", "skipped_lines")] == [6, 0, 0, 0]
    digest = call("archive", "digest", "--store", store)
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "copy.bak").write_bytes(gzip.compress(LOG.encode()))
    for paths in ([str(log)], [str(tmp_path / "more")], [str(tmp_path / "*.jsonl")], ["-"]):
        again = plain("ingest", *paths, "--store", store, given=LOG.encode())
        assert (again["matches"], again["duplicates"]) == (0, 6), paths
    assert call("archive", "digest", "--store", store) == digest


@pytest.mark.slow
def test_neither_order_nor_growth_of_logs_changes_the_archive(tmp_path: Path) -> None:
    """Whole, in two halves in the other order, or as prefixes that grow and are cut within lines."""
    lines = LOG.splitlines(keepends=True)
    whole = digest_of(tmp_path, "a.db", LOG)
    assert digest_of(tmp_path, "b.db", "".join(lines[3:]), "".join(lines[:3])) == whole
    cuts = [1, 100, len(lines[0]), len(lines[0]) + 1, 700, len(LOG) - 1, len(LOG)]
    assert digest_of(tmp_path, "c.db", *(LOG[:cut] for cut in cuts)) == whole


@pytest.mark.slow
def test_another_result_under_a_known_id_is_reported_and_the_first_stays(store: str, log: Path) -> None:
    """Two different matches with one id are a mistake, whichever is read first."""
    plain("ingest", str(log), "--store", store)
    digest = call("archive", "digest", "--store", store)
    match = {**json.loads(LOG.splitlines()[0]), "id": "derby"}
    for weight, counts in ((1.0, (1, 0, 0)), (0.5, (0, 0, 1)), (1.0, (0, 1, 0))):
        log.write_text(json.dumps({**match, "weight": weight}) + "\n")
        read = plain("ingest", str(log), "--store", store)
        assert (read["matches"], read["duplicates"], read["skipped_lines"]) == counts
    log.write_text(json.dumps({**match, "weight": 0.5}) + "\n")
    done = run("ingest", str(log), "--store", store)
    assert (
        "match 'derby': skipped: the archive has a different match with this id, which stays" in done.stderr
    )
    call("undo", "derby", "--store", store)
    assert call("archive", "digest", "--store", store) != digest, "an undone match is kept"


def test_what_cannot_be_read_is_counted_and_shown(store: str, log: Path, tmp_path: Path) -> None:
    """The first few lines with file and number, the rest as a count; an unknown format; a torn file."""
    log.write_text(LOG + "nonsense\n" * 20)
    reported = run("ingest", str(log), "--store", store)
    assert reported.returncode == 0
    assert reported.stdout == "6 new matches, 0 duplicates, 0 unfinished games, 20 skipped lines\n"
    assert f"{log}: plain (" in reported.stderr
    assert f"{log}, line 7: skipped: it is not JSON" in reported.stderr
    assert "... and 10 more skipped lines" in reported.stderr
    (tmp_path / "odd.bin").write_bytes(b"\x00\x01")
    assert "odd.bin: it is not the log of any game" in call(
        "ingest", str(tmp_path / "odd.bin"), "--store", store, fails=1
    )
    torn = tmp_path / "torn.gz"
    torn.write_bytes(gzip.compress(LOG.encode())[:-9])
    assert "torn.gz: cannot be read to its end" in call("ingest", str(torn), "--store", store, fails=1)
    assert "nosuch: there is no such file" in call("ingest", "nosuch", "--store", store, fails=1)
    assert "game: there is no 'quake9'" in call(
        "ingest", str(log), "--store", store, "--game", "quake9", fails=1
    )


def test_a_log_in_which_no_game_begins_says_so(store: str, tmp_path: Path) -> None:
    """As one of a server on which people only talked; a log with a game does not."""
    stamp = "L 02/15/2013 - 00:09:15: "
    talk = stamp + '"Ann<3><STEAM_1:0:1><Red>" say "hello"\n'
    (tmp_path / "talk.log").write_text(stamp + "Log file started\n" + 3 * talk)
    nothing = "no game begins in what was read: nothing of it counts"
    assert nothing in run("ingest", str(tmp_path / "talk.log"), "--store", store).stderr
    (tmp_path / "games.log").write_text(LOG)
    for _ in range(2):
        assert nothing not in run("ingest", str(tmp_path / "games.log"), "--store", store).stderr


def test_players_are_listed_by_ruleset_with_the_name_last_seen(store: str, log: Path) -> None:
    """As the documents say: id, name, bot, ruleset, mu, sigma, weight, games."""
    call("ingest", str(log), "--store", store)
    players = {each["id"]: each for each in plain("players", "--store", store)["players"]}
    assert set(players["cid"]) == {"id", "name", "bot", "ruleset", "mu", "sigma", "weight", "games"}
    assert (players["cid"]["name"], players["cid"]["ruleset"]) == ("Cid 6", "ut2004/tdm")
    assert (players["bot:Xan:5"]["name"], players["bot:Xan:5"]["bot"]) == ("Xan", True)
    assert all(each["games"] == 6 and 0 <= each["weight"] <= 100 for each in players.values())
    assert "Cid 6" in call("players", "--store", store, "--ruleset", "ut2004/tdm")
    assert plain("players", "--store", store, "--ruleset", "x/y")["players"] == []


@pytest.mark.slow
def test_the_history_ends_at_the_present_rating(store: str, log: Path) -> None:
    """Every game with the rating after it, and all names; a player may be called by the last name."""
    call("ingest", str(log), "--store", store)
    history = plain("players", "Cid 6", "--store", store)
    assert history["id"] == "cid"
    assert [each["name"] for each in history["names"]] == [f"Cid {n}" for n in range(6, 0, -1)]
    now = next(each for each in plain("players", "--store", store)["players"] if each["id"] == "cid")
    assert (history["games"][-1]["mu"], history["games"][-1]["sigma"]) == (now["mu"], now["sigma"])
    assert "1970-01-07 00:00" in call("players", "cid", "--store", store)
    why, before = plain("players", "cid", "--store", store, "--why")["games"], {}
    for game in why:
        if game["ruleset"] in before:
            move = game["mu"] - before[game["ruleset"]]
            assert abs(sum(game["moved"].values()) - move) < 1e-9
        before[game["ruleset"]] = game["mu"]
    assert "expected" in call("players", "cid", "--store", store, "--why")
    assert "player: there is none" in call("players", "nobody", "--store", store, fails=1)


def test_a_match_can_be_undone_and_stays_so(store: str, log: Path) -> None:
    """Also when its log is read again, until it is brought back."""
    call("ingest", str(log), "--store", store)
    match = plain("players", "cid", "--store", store)["games"][0]["match"]
    before = call("archive", "digest", "--store", store)
    assert "no longer counts" in call("undo", match[:16], "--store", store)
    assert plain("ingest", str(log), "--store", store)["matches"] == 0
    assert plain("archive", "digest", "--store", store)["matches"] == 5
    assert "is undone already" in call("undo", match, "--store", store, fails=1)
    call("undo", match, "--store", store, "--back")
    assert call("archive", "digest", "--store", store) == before
    assert "none whose id is or has" in call("undo", "xyz", "--store", store, fails=1)


@pytest.mark.slow
def test_two_ids_of_one_person_are_merged_and_separated(store: str, log: Path) -> None:
    """One row in the list, and back; two who played against each other are two."""
    log.write_text(LOG + line(9, teams=[["ann2"], ["cid"]], scores=[1, 0]))
    call("ingest", str(log), "--store", store)
    before = plain("players", "--store", store)
    assert plain("merge", "ann", "ann2", "--store", store)["merged"]
    merged = {each["id"]: each["games"] for each in plain("players", "--store", store)["players"]}
    assert (merged["ann"], "ann2" in merged) == (7, False)
    assert plain("players", "ann2", "--store", store)["id"] == "ann"
    call("merge", "ann", "ann2", "--store", store, "--back")
    assert plain("players", "--store", store) == before
    assert "played against each other" in call("merge", "ann", "cid", "--store", store, fails=1)
    assert "no player 'dan'" in call("merge", "ann", "dan", "--store", store, fails=1)


@pytest.mark.slow
def test_who_is_forgotten_leaves_no_trace(store: str, log: Path, tmp_path: Path) -> None:
    """Neither id nor name is in any file of the archive, and reading the log again does not change that."""
    text = LOG.replace('"ann"', '"identity-of-ann"').replace('"Ann"', '"Name of Ann"')
    log.write_text(text)
    call("ingest", str(log), "--store", store)
    others = [each for each in plain("players", "--store", store)["players"] if "ann" not in each["id"]]
    stand_in = plain("forget", "identity-of-ann", "--store", store)["stand_in"]
    digest = call("archive", "digest", "--store", store)
    again = plain("ingest", str(log), "--store", store)
    assert (again["matches"], again["duplicates"]) == (0, 6)
    log.write_text(line(8).replace('"ann"', '"identity-of-ann"').replace('"Ann"', '"Name of Ann"'))
    assert plain("ingest", str(log), "--store", store)["matches"] == 1
    for path in tmp_path.glob("games.db*"):
        assert b"identity-of-ann" not in path.read_bytes()
        assert b"Name of Ann" not in path.read_bytes()
    assert call("archive", "digest", "--store", store) != digest
    players = plain("players", "--store", store)["players"]
    assert stand_in in {each["id"] for each in players}
    assert len(players) == len(others) + 1
    assert "is a bot" in call("forget", "bot:Xan:5", "--store", store, fails=1)
    assert "no player 'ann'" in call("forget", "ann", "--store", store, fails=1)


@pytest.mark.slow
def test_an_archive_is_rebuilt_with_another_model_and_keeps_it(store: str, log: Path) -> None:
    """What learns is a choice that stays."""
    call("ingest", str(log), "--store", store)
    before = call("players", "--store", store)
    line_of_default = "learning now: default, settings general, 0 starting weights\n"
    assert (
        call("archive", "rebuild", "--store", store) == f"ratings rebuilt from 6 matches\n{line_of_default}"
    )
    assert call("players", "--store", store) == before
    assert plain("archive", "rebuild", "--model", "elo", "--store", store)["matches"] == 6
    log.write_text(line(9))
    call("ingest", str(log), "--store", store)
    assert all(each["sigma"] == 0.0 for each in plain("players", "--store", store)["players"])
    assert "there is no 'nosuch'" in call(
        "archive", "rebuild", "--model", "nosuch", "--store", store, fails=2
    )


@pytest.mark.slow
def test_an_archive_is_rebuilt_with_other_settings_and_keeps_them(
    store: str, log: Path, tmp_path: Path
) -> None:
    """A profile or a file of settings is the default model's from then on."""
    call("ingest", str(log), "--store", store)
    usual = call("players", "--store", store)
    (tmp_path / "own.json").write_text('{"sigma": 0.25}')
    for given in (("--profile", "results-only"), ("--settings", str(tmp_path / "own.json"))):
        call("archive", "rebuild", *given, "--store", store)
        chosen = call("players", "--store", store)
        assert chosen != usual
        assert plain("ingest", str(log), "--store", store)["rebuilt"] == ""
        assert call("players", "--store", store) == chosen
    assert "cannot be used with" in call(
        "archive", "rebuild", "--model", "elo", "--profile", "general", "--store", store, fails=2
    )
    call("archive", "rebuild", "--profile", "general", "--store", store)
    assert call("players", "--store", store) == usual


GUESSES = "ann 1900\nbob 1400\ncid 1100\n"
TUNED = json.dumps([{"settings": GaussianFilter().as_settings()}])


@pytest.mark.parametrize(
    ("before", "now", "learns"),
    [
        ("--starting g", "", "default general 3"),
        ("--starting g", "--model default", "default general 3"),
        ("--starting g", "--profile frozen", "default frozen 3"),
        ("--starting g", "--settings own", "default own 3"),
        ("--starting g", "--starting none", "default general 0"),
        ("--starting g", "--starting none --model elo", "elo as-shipped 0"),
        ("--starting g", "--starting none --settings tuned", "gaussian-filter as-shipped 0"),
        ("--profile frozen", "--starting g", "default frozen 3"),
        ("--profile frozen", "--model default", "default frozen 0"),
        ("--settings own", "--starting g", "default own 3"),
        ("--settings own", "--profile general", "default general 0"),
        ("--model elo --settings elo", "", "elo own 0"),
        ("--model elo --settings elo", "--model elo", "elo own 0"),
        ("--model elo", "--settings elo", "elo own 0"),
        ("--model elo", "--model default --starting g", "default general 3"),
        ("--settings tuned", "--settings tuned", "gaussian-filter as-shipped 0"),
        ("--settings tuned", "--model default", "default general 0"),
    ],
)
def test_a_rebuild_changes_only_what_is_named(
    before: str, now: str, learns: str, store: str, log: Path, tmp_path: Path
) -> None:
    """The model, its settings and the starting weights each stay until their own option changes them."""
    call("ingest", str(log), "--store", store)
    rebuild(tmp_path, store, before)
    rebuild(tmp_path, store, now)
    model, settings, starting = learns.split()
    learning = f"learning now: {model}, settings {settings.replace('-', ' ')}, {starting} starting weights"
    assert call("archive", "rebuild", "--store", store).splitlines()[1] == learning
    assert plain("archive", "rebuild", "--store", store)["model"] == model


@pytest.mark.parametrize(
    ("before", "now", "message"),
    [
        ("--starting g", "--model elo", "keeps 3 of them; add --starting none"),
        ("--starting g", "--settings tuned", "tuned: it sets every constant"),
        ("--model elo", "--starting g", "this archive learns with elo"),
        ("--model elo", "--profile frozen", "add --model default"),
        ("--settings tuned", "--starting g", "this archive learns with gaussian-filter"),
        ("", "--settings tuned --starting g", "tuned: it sets every constant"),
    ],
)
def test_a_rebuild_that_would_drop_something_is_refused(
    before: str, now: str, message: str, store: str, log: Path, tmp_path: Path
) -> None:
    """What the archive keeps is not lost in passing, and the model does not change with the guesses."""
    call("ingest", str(log), "--store", store)
    rebuild(tmp_path, store, before)
    kept = call("players", "--store", store)
    done = rebuild(tmp_path, store, now)
    assert done.returncode
    assert message in done.stderr
    assert call("players", "--store", store) == kept


def rebuild(folder: Path, store: str, options: str) -> subprocess.CompletedProcess[str]:
    """Rebuild an archive with options that name files of this folder."""
    texts = {"g": GUESSES, "own": '{"sigma": 0.25}', "elo": '{"k": 12}', "tuned": TUNED}
    words = options.split()
    for n, (option, word) in enumerate(itertools.pairwise(words)):
        if option in ("--starting", "--settings") and word in texts:
            words[n + 1] = str(folder / word)
            (folder / word).write_text(texts[word])
    return run("archive", "rebuild", *words, "--store", store)


def test_who_is_forgotten_is_so_under_a_second_connection_too(store: str, log: Path, tmp_path: Path) -> None:
    """A person who comes back while the first connection is still there has the same id with a number."""
    twice = [["ann", "ann#2"], ["bob", "ann#1234"]]
    log.write_text(line(1, teams=twice).replace("ann", "identity-of-ann"))
    call("ingest", str(log), "--store", store)
    call("forget", "identity-of-ann", "--store", store)
    log.write_text(line(2, teams=[["ann#3"], ["bob"]]).replace("ann", "identity-of-ann"))
    call("ingest", str(log), "--store", store)
    ids = {each["id"] for each in plain("players", "--store", store)["players"]}
    assert {each for each in ids if "identity" in each} == {"identity-of-ann#1234"}
    assert len(ids) == 5
    assert b"identity-of-ann#2" not in (tmp_path / "games.db").read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("part", ["match", "derived"])
def test_a_damaged_archive_is_reported(store: str, log: Path, part: str) -> None:
    """Whatever stands where texts and numbers should, there is a message, and ratings can be made again."""
    call("ingest", str(log), "--store", store)
    column, notice = (
        ("record", "is damaged") if part == "match" else ("numbers", "'rebuild' makes them again")
    )
    for wrong in (b"\xff\xfe", b"{}", b"[0, 1]"):
        connection = sqlite_driver().connect(store.removeprefix("sqlite:///"))
        text = "CAST(? AS TEXT)" if part == "match" else "?"
        connection.execute(f"UPDATE {part} SET {column} = {text}", (wrong,))  # noqa: S608
        connection.commit()
        connection.close()
        assert notice in call(
            *(("archive", "rebuild") if part == "match" else ("players",)), "--store", store, fails=1
        )
    if part == "derived":
        call("archive", "rebuild", "--store", store)
        assert plain("players", "--store", store)["players"]


@pytest.mark.slow
@pytest.mark.parametrize("rows", [2, 50_000])
def test_an_archive_moves_through_a_file(
    store: str, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int
) -> None:
    """Export and import give the same digest and the same players; only into a new archive; in parts too."""
    pytest.importorskip("polars")
    monkeypatch.setattr(parquet_file, "ROWS", rows)
    call("ingest", str(log), "--store", store)
    call("forget", "ann", "--store", store)
    file, other = str(tmp_path / "all.parquet"), f"sqlite:///{tmp_path / 'other.db'}"
    written = plain("archive", "export", file, "--store", store)
    assert plain("archive", "import", file, "--store", other)["digest"] == written["digest"]
    assert call("players", "--store", other) == call("players", "--store", store)
    assert "holds matches already" in call("archive", "import", file, "--store", other, fails=1)
    assert "is a file of matches" in call("archive", "import", str(log), "--store", store, fails=1)
    assert "cannot be written" in call(
        "archive", "export", str(tmp_path / "no" / "x.parquet"), "--store", store, fails=1
    )


@pytest.mark.slow
def test_a_log_is_followed_over_rotation_and_restart(store: str, tmp_path: Path) -> None:
    """By renaming and by truncation, with lines cut anywhere, each match counts once."""
    lines = LOG.splitlines(keepends=True)
    live = tmp_path / "games.log"

    def step() -> Any:
        return plain("ingest", "--follow", str(live), "--store", store, "--once")

    assert step()["matches"] == 0
    live.write_text(lines[0] + lines[1][:30])
    assert step()["matches"] == 1
    with live.open("a") as out:
        out.write(lines[1][30:])
    live.rename(tmp_path / "games.log.1")
    live.write_text(lines[2])
    assert (step()["matches"], step()["matches"]) == (2, 0)
    with live.open("a") as out:
        out.write(lines[3] + lines[4][:40])
    (tmp_path / "games.log.2").write_text(live.read_text())
    live.write_text(lines[4][40:] + lines[5])
    assert step()["matches"] == 3
    assert call("archive", "digest", "--store", store).strip() == digest_of(tmp_path, "whole.db", LOG)


@pytest.mark.slow
def test_watching_ends_cleanly_when_asked_to(store: str, tmp_path: Path) -> None:
    """SIGTERM and SIGINT end it with exit code 0, after what was there is kept."""
    for number, name in ((signal.SIGTERM, "a"), (signal.SIGINT, "b")):
        live = tmp_path / f"{name}.log"
        live.write_text(line(ord(name)))
        args = ["ingest", "--follow", str(live), "--store", store, "--interval", "0.05", "--json"]
        with subprocess.Popen(
            [sys.executable, "-m", "equipoise", *args], stdout=subprocess.PIPE, text=True
        ) as process:
            assert process.stdout is not None
            assert json.loads(process.stdout.readline())["matches"] == 1
            with live.open("a") as out:
                out.write(line(200 + ord(name)))
            assert json.loads(process.stdout.readline())["matches"] == 1
            process.send_signal(number)
            assert process.wait(30) == 0
    assert plain("archive", "digest", "--store", store)["matches"] == 4


def limited(size: int, *args: str) -> subprocess.CompletedProcess[str]:
    """Run a command that may write no file beyond a size."""
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))\n"
        f"import sys; sys.argv = ['equipoise', *{list(args)!r}]\n"
        "from equipoise.cli import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip


@pytest.mark.slow
def test_a_full_disk_is_reported_and_leaves_nothing_half(store: str, tmp_path: Path) -> None:
    """What was kept before is still there, and a run with room completes it."""
    call("ingest", "-", "--store", store, given=LOG.encode())
    before = call("archive", "digest", "--store", store)
    big = tmp_path / "big.jsonl"
    big.write_text(LOG + "".join(line(n) for n in range(10, 1500)))
    size = (tmp_path / "games.db").stat().st_size + 20_000
    done = limited(size, "ingest", str(big), "--store", store)
    assert done.returncode == 1
    assert "nothing of the last step was kept" in done.stderr
    assert "Traceback" not in done.stderr
    assert call("archive", "digest", "--store", store) == before
    assert plain("ingest", str(big), "--store", store)["matches"] == 1490


@pytest.mark.slow
def test_a_file_that_may_not_be_written_is_reported(store: str, log: Path, tmp_path: Path) -> None:
    """The message says that it is read-only, and what is in it stays."""
    call("ingest", str(log), "--store", store)
    before = call("archive", "digest", "--store", store)
    as_others = ["setpriv", "--bounding-set=-all"] if os.geteuid() == 0 else []
    if as_others and shutil.which("setpriv") is None:
        pytest.skip("root may write everything, and there is no setpriv to be less")
    (tmp_path / "games.db").chmod(0o444)
    log.write_text(line(9))
    done = subprocess.run(
        [*as_others, sys.executable, "-m", "equipoise", "ingest", str(log), "--store", store],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert "read-only" in done.stderr, done.stderr
    assert call("archive", "digest", "--store", store) == before


def test_a_command_without_an_archive_says_what_is_needed(store: str) -> None:
    """None but those that read logs make one."""
    for args in (
        ("players",),
        ("archive", "digest"),
        ("archive", "rebuild"),
        ("players", "x"),
        ("undo", "x"),
        ("forget", "x"),
    ):
        assert "there is no such file" in call(*args, "--store", store, fails=1)
    assert "Missing option '--store'" in call("archive", "digest", fails=2)


@pytest.mark.slow
def test_players_are_written_for_spreadsheets_and_markdown(store: str, log: Path) -> None:
    """The same cells in each form; JSON has them in full."""
    call("ingest", str(log), "--store", store)
    players = plain("players", "--store", store)["players"]
    table = list(csv.DictReader(io.StringIO(call("players", "--store", store, "--csv"))))
    assert [row["id"] for row in table] == [player["id"] for player in players]
    assert [int(row["games"]) for row in table] == [player["games"] for player in players]
    lines = call("players", "--store", store, "--markdown").splitlines()
    assert lines[0] == "| id | name | ruleset | points | most likely | games |"
    assert len(lines) == 2 + len(players)
