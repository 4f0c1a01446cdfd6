"""``equipoise merge``, ``forget`` and ``--starting``: whom they mean."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.running import run

from equipoise.archive.archive import open_archive
from equipoise.archive.chosen_model import starting_of
from equipoise.core.match import Contest, Match, Ruleset


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Return an archive of three people, with starting weights of them and of one who never played."""
    url, roster = f"sqlite:///{tmp_path / 'games.db'}", tmp_path / "roster.csv"
    roster.write_text("name,weight\nAnn,50\nBob,40\nNobody,30\n", encoding="utf-8")
    played = [Contest(Ruleset(), [["Ann"], [other]], (1.0, 2.0), at=9e8) for other in ("Bob", "c1d2e3")]
    names = [(), [("c1d2e3", "Cid")]]
    with open_archive(url) as archive:
        archive.record(
            Match((contest,), id=f"g{n}", names=called)
            for n, (contest, called) in enumerate(zip(played, names, strict=True))
        )
    assert run("archive", "rebuild", "--starting", str(roster), "--store", url).returncode == 0
    return url


def test_who_has_only_a_starting_weight_is_found_whatever_the_case(store: str) -> None:
    """Their name is an id that nobody has played under; nobody else's guess is touched."""
    done = run("forget", "nobody", "--store", store)
    assert (done.returncode, done.stderr) == (0, "")
    with open_archive(store) as archive:
        guesses = {who for who, *_ in starting_of(archive.chosen_model)}
    assert {"Ann", "Bob"} < guesses
    assert "Nobody" not in guesses
    done = run("forget", "nobody", "--store", store)
    assert "there is no player 'nobody'" in done.stderr


def test_who_is_merged_is_found_whatever_the_case_of_either_id(store: str) -> None:
    """Where one of the two had a name beside the id, and the other one's name is the id."""
    assert run("merge", "Ann", "Nobody", "--store", store).returncode == 0
    with open_archive(store) as archive:
        archive.merge("Bob", "c1d2e3")
        archive.update_ratings()
    done = run("merge", "bob", "cid", "--store", store)
    assert "merge: 'bob' and 'cid' are one person already" in done.stderr
    done = run("merge", "ANN", "nobody", "--store", store)
    assert "merge: 'ANN' and 'nobody' are one person already" in done.stderr


@pytest.mark.parametrize("known", [False, True], ids=["new archive", "old archive"])
@pytest.mark.parametrize("form", ["sqlite:///{}", "{}"], ids=["address", "path"])
def test_starting_weights_of_a_name_of_several_keep_nothing(form: str, known: bool, tmp_path: Path) -> None:
    """Neither matches nor weights: the command ends as if it had not been, and says what helps."""
    log, roster, path = tmp_path / "log.jsonl", tmp_path / "roster.csv", tmp_path / "games.db"
    players = [[{"id": "aaaa1111", "name": "Max"}], [{"id": "eeee5555", "name": "Max"}]]
    log.write_text(json.dumps({"at": 9e8, "teams": players, "ranks": [1, 2]}), encoding="utf-8")
    roster.write_text("name,weight\nMax,50\nBob,40\nAnn,30\n", encoding="utf-8")
    store = form.format(path)
    digest = ""
    if known:
        with open_archive(store) as archive:
            archive.record([Match((Contest(Ruleset(), [["Ann"], ["Bob"]], (1.0, 2.0), at=8e8),), id="g")])
            digest = archive.digest()
    words = ("ingest", "--game", "plain", str(log), "--store", store)
    done = run(*words, "--starting", str(roster))
    assert done.returncode == 1
    assert "error: --starting: 'Max' is the name of several: aaaa1111, eeee5555; give an id" in done.stderr
    assert path.exists() is known
    if known:
        with open_archive(store) as archive:
            assert archive.digest() == digest
            assert not starting_of(archive.chosen_model)
    roster.write_text("name,weight\neeee5555,50\nBob,40\nAnn,30\n", encoding="utf-8")
    assert run(*words, "--starting", str(roster)).returncode == 0
    with open_archive(store) as archive:
        assert archive.count() == 1 + known
        assert {who for who, *_ in starting_of(archive.chosen_model)} == {"eeee5555", "Ann", "Bob"}
