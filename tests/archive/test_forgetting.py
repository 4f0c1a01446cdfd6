"""Whoever is forgotten is in no table, file or answer, after everything there is has been used."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.cli.running import run

from equipoise.archive.archive import Archive, open_archive
from equipoise.archive.outbox import OutboxNote
from equipoise.archive.tables import LETTER, METADATA
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.play.evening_events import Add, EveningLobby
from equipoise.ratings.models.gaussian_filter.mixture import Mixture
from equipoise.service.archive_workers import ForgottenPlayer, Keeping
from equipoise.service.pickup_lobbies import Pickups

#: The person: ids, a merged one among them, and names.
GONE = ("c0ffee11", "badcab1e")
NAMES = ("Wilhelmina", "[UT] Wilhelmína", "Mina77")
HOOKS = {"result": ["board"], "teams": ["board"], "queue": ["board"]}

pytestmark = pytest.mark.slow


def match(number: int, player: str, name: str, other: str = "ann") -> Match:
    """Return a game of the person and another one."""
    contest = Contest(Ruleset("oa", "ctf"), ((player,), (other,)), (1, 2), at=float(number))
    return Match((contest,), ended=float(number), id=f"m{number}", names=((player, name), (other, "Ann")))


def used(archive: Archive) -> None:
    """Use all there is."""
    first, second = GONE
    archive.record(
        [match(1, first, NAMES[0]), match(2, first, NAMES[1]), match(3, second, NAMES[2]),
         match(4, "bob", "Bob", "cid")],
        HOOKS, 5.0,
    )  # fmt: skip
    archive.merge(first, second)
    archive.update_ratings()
    body = json.dumps(
        {"teams": [[f"PLAYER {first}", "Bob"], [NAMES[0]]], "members": [{"id": second, "name": "?"}]}
    )
    archive.outbox.put(HOOKS, [OutboxNote("teams", "teams:1", body)], 6.0)
    archive.outbox.failed(archive.outbox.due("board", 7.0, 1)[0], 7.0, f"no {first}")
    archive.audit_log.add(8.0, "token", "merge", json.dumps({"player": first, "other": second}), "done")
    record = archive.ticket_record("ctf")
    with record.adding() as added:
        enter = ["enter", {"ticket": {"id": f"{first}", "players": [{"id": first, "name": NAMES[0]}]}}]
        replies = [["waits", {"ticket": first}], ["proposed", {"players": [second, "ann"]}]]
        added.add([(1, 9.0, json.dumps(enter), json.dumps(replies))])
        added.seat({first: "match 1"})
    archive.keep_session("server one", {"players": [first], "names": {first: NAMES[0]}})
    pickups = Pickups(archive, [EveningLobby("duel", 2, 1)])
    pickups.take(Add("~wilhelmina", "duel"), 10.0, NAMES[0])
    pickups.seen("~wilhelmina", 11.0, "Wilhelmina|afk", "123")


def traces(archive: Archive) -> dict[str, list[str]]:
    """Return which rows of which tables have an id or a name of the person."""
    wanted = [each.casefold() for each in (*GONE, *NAMES, "wilhelm", "mina77")]
    found: dict[str, list[str]] = {}
    with archive._database.reading() as connection:
        for table in METADATA.sorted_tables:
            for row in connection.execute(sa.select(table)):
                text = " ".join(
                    each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each) for each in row
                ).casefold()
                if any(each in text for each in wanted):
                    found.setdefault(table.name, []).append(text[:200])
    return found


def test_nobody_finds_a_forgotten_person_in_any_table(new_url: Callable[[], str]) -> None:
    """Everything has a trace before, and nothing has after; the others are there as before."""
    with open_archive(new_url()) as archive:
        used(archive)
        before = traces(archive)
        assert {"match", "outbox", "audit", "queue_event", "queue_member", "night", "merged"} <= before.keys()
        ratings = archive.standing()
        mu = ratings.model.rating(ratings.state, "ann", None).mu
        stand_in = archive.forget(GONE[0])
        assert traces(archive) == {}
        after = archive.standing()
        assert after.model.rating(after.state, "ann", None).mu == mu
        assert stand_in in {player for player, _ in after.games}
        assert {each.hook for each in archive.outbox.listed(10)} == {"board"}
        assert archive.ticket_record("ctf").seats() == {stand_in: "match 1"}
        archive.record([match(9, GONE[1], NAMES[2])], HOOKS, 20.0)
        archive.update_ratings()
        assert traces(archive) == {}


def test_whoever_comes_back_is_forgotten_again(new_url: Callable[[], str]) -> None:
    """New traces go as the first ones did, whether they are of a merged id, a night, a queue or a message."""
    with open_archive(new_url()) as archive:
        used(archive)
        stand_in = archive.forget(GONE[0])
        marks, tombstones = archive.marks(), archive.tombstones()
        archive.merge("bob", GONE[1], unseen=GONE)
        pickups = Pickups(archive, [EveningLobby("duel", 2, 1)])
        pickups.take(Add(GONE[0], "duel"), 30.0, NAMES[0])
        archive.outbox.put(HOOKS, [OutboxNote("teams", "teams:2", json.dumps([*GONE]))], 31.0)
        record = archive.ticket_record("ctf")
        with record.adding() as added:
            enter = ["enter", {"ticket": {"id": "again", "players": [{"id": GONE[0], "name": NAMES[0]}]}}]
            added.add([(2, 32.0, json.dumps(enter), "[]")])
            added.claim({stand_in: "before", GONE[0]: "again"})
        assert {"night", "outbox", "queue_event", "queue_person", "merged"} <= traces(archive).keys()
        assert archive.forget(GONE[0]) == stand_in
        archive.forget(GONE[1])  # who is "bob" by now
        assert traces(archive) == {}
        assert archive.tombstones().stones > tombstones.stones
        assert archive.marks().forgotten > marks.forgotten
        assert archive.merged() == {archive.tombstones().names(GONE)[GONE[1]]: stand_in}
        with record.adding() as added:
            assert sorted(added.people().values()) == ["again", "before"]
        marks, tombstones = archive.marks(), archive.tombstones()
        assert archive.forget(GONE[0]) == stand_in
        assert archive.marks().forgotten > marks.forgotten
        assert archive.tombstones() == tombstones


def test_a_process_that_ends_has_forgotten_somebody_whole_or_not_at_all(
    new_url: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With their starting weight, and what a server was asked about them, before anything is learnt again."""
    url = new_url()
    with open_archive(url) as archive:
        used(archive)
        archive.rebuild(Mixture(starting={GONE[0]: 1.5, "ann": 1.0}))
        line = json.dumps(["enter", {"ticket": {"id": "t", "players": [{"id": GONE[1], "name": "W"}]}}])
        with archive._database.writing() as connection:
            letters = [("1", json.dumps([line])), ("2", json.dumps(['["status",{}]']))]
            for number, asked in letters:
                values = {"id": number, "queue": "ctf", "worker": "one", "sent": 9.0, "questions": asked}
                connection.execute(sa.insert(LETTER).values(values))

        def ends(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(archive._learner, "choose", ends)
        with pytest.raises(KeyboardInterrupt):
            archive.forget(GONE[0])
    with open_archive(url) as archive:
        assert traces(archive) == {}
        archive.update_ratings()
        assert traces(archive) == {}
        assert dict(each[:2] for each in archive.chosen_model.starting)["ann"] == 1.0
        with archive._database.reading() as connection:
            assert connection.execute(sa.select(LETTER.c.id)).scalars().all() == ["2"]


def test_a_name_that_others_bear_too_stays_theirs(tmp_path: Path) -> None:
    """Ids tell people apart where names do not."""
    with open_archive(f"sqlite:///{tmp_path}/a.db") as archive:
        archive.record([match(1, "aaa1", "Max"), match(2, "bbb2", "Max")])
        archive.update_ratings()
        archive.outbox.put(
            HOOKS, [OutboxNote("teams", "t", json.dumps([{"id": "bbb2", "name": "Max"}, "Max"]))], 1.0
        )
        archive.forget("aaa1")
        assert json.loads(archive.outbox.listed(1)[0].body) == [{"id": "bbb2", "name": "Max"}, "Max"]


@pytest.mark.parametrize("door", ["command line", "service"])
def test_nobody_finds_a_forgotten_person_in_any_file(tmp_path: Path, door: str) -> None:
    """The archive's own files, an exported site, and what commands print."""
    url = f"sqlite:///{tmp_path}/a.db"
    with open_archive(url) as archive:
        used(archive)
    done = run("pages", "--store", url, "--out", str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr

    def files() -> list[str]:
        found = []
        for folder, _, names in os.walk(tmp_path):
            for name in names:
                path = Path(folder, name)
                content = path.read_bytes().lower()
                if any(each.lower().encode() in content for each in (*GONE, *NAMES)):
                    found.append(path.name)
        return found

    assert "a.db" in files()
    assert len(files()) > 2
    if door == "service":
        list(Keeping(url, 10.0)(ForgottenPlayer(GONE[1])))
    else:
        done = run("forget", NAMES[0], "--store", url)
        assert done.returncode == 0, done.stderr
    assert files() == []
    commands: list[list[str]] = [
        ["players", "--json"], ["players", "--doubles", "--json"], ["night", "table", "--json"],
    ]  # fmt: skip
    for command in commands:
        shown: Any = run(*command, "--store", url)
        assert not any(each in shown.stdout for each in (*GONE, *NAMES))
