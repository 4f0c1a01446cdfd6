"""Whoever is forgotten and comes back over the network stays a stand-in, and what is said of them is so."""

from __future__ import annotations

import json
import sqlite3
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.service.http.asking import PATIENCE, Answered, ask
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.cli import group
from equipoise.core.match import Contest, Match, Ruleset

pytestmark = pytest.mark.slow

QUEUES = """
[queue.duel]
team_size = 1
accept_within = 600
tolerance = 1e6
imbalance = 0.49
most_imbalance = 0.49
tick = 0.1

[queue.other]
team_size = 5
"""

#: Webhooks that nobody answers, so that what they are to receive stays.
HOOKS = """
[webhook.league]
url = "http://127.0.0.1:9/"
secret_file = "{}"
events = ["result", "queue"]
"""

#: Ids: of two who are forgotten, and of one who is merged and separated.
ZOE, KIM, NEWID = "ffff6666", "eeee5555", "newid777"


class Place:
    """A server with two queues, and somebody who may do everything."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "games.db"
        with open_archive(f"sqlite:///{self.store}") as archive:
            for number, (one, other) in enumerate([(ZOE, "ann"), ("ann", NEWID), (KIM, "bob")]):
                contest = Contest(Ruleset("oa", "duel"), ((one,), (other,)), (1, 2))
                names = ((ZOE, "Zoe"),) if ZOE in (one, other) else ()
                archive.record([Match((contest,), ended=1.0 + number, id=f"m{number}", names=names)])
            archive.update_ratings()
        (folder / "serve.toml").write_text(QUEUES + HOOKS.format(folder / "hook"))
        (folder / "hook").write_text("whsec_c2VjcmV0IG9mIHRoZSBob29r")
        made = CliRunner().invoke(
            group,
            ["tokens", "make", "--file", str(folder / "tokens.json"), "--name", "root", "--scope", "admin"],
        )
        assert made.exit_code == 0, made.output
        self.admin, self.refused = made.stdout.split()[-1], 0
        flags = ("--config", str(folder / "serve.toml"), "--http-rate", "1e6")
        self.served = Served(
            self.store, "--http", "127.0.0.1:0", "--tokens", str(folder / "tokens.json"), *flags
        )
        self.served.wait_until_ready()

    def post(self, path: str, body: Any, token: str = TOKEN) -> Answered:
        """Send a body."""
        return ask(f"{self.served.http}/v1/{path}", body, Authorization=f"Bearer {token}")

    def forget(self, player: str) -> Answered:
        """Let somebody be forgotten."""
        answered = self.post("admin/forget", {"player": player}, self.admin)
        self.refused += answered.status != 200
        return answered

    def enter(self, queue: str, ticket: str, *players: str, **more: Any) -> Answered:
        """Let a ticket in."""
        people = [{"id": each, **more} for each in players]
        return self.post(f"queues/{queue}/tickets", {"id": ticket, "players": people})

    def result(self, name: str, *players: str) -> Answered:
        """Report that the first has won."""
        teams = [[each] for each in players]
        return self.post(
            "results", {"id": name, "game": "oa", "game_type": "duel", "teams": teams, "scores": [1, 0]}
        )

    def ask(self, path: str, token: str) -> Any:
        """Ask for something."""
        return ask(f"{self.served.http}/v1/{path}", Authorization=f"Bearer {token}").plain

    def watched(self, ticket: str, token: str) -> Any:
        """Return what a ticket's stream begins with."""
        stream = urllib.request.Request(  # noqa: S310 -- of this test
            f"{self.served.http}/v1/{ticket}/stream", headers={"Authorization": f"Bearer {token}"}
        )
        with urllib.request.urlopen(stream, timeout=PATIENCE) as lines:  # noqa: S310 -- of this test
            data = next(line for line in lines if line.startswith(b"data: "))
        return json.loads(data.removeprefix(b"data: "))

    def kept(self) -> str:
        """Return all that the archive's file holds."""
        with sqlite3.connect(self.store) as connection:
            return "\n".join(connection.iterdump())


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Return a place, and see that its log names nobody who was or was to be forgotten."""
    made = Place(tmp_path_factory.mktemp("forgotten"))
    yield made
    code, log = made.served.end()
    assert code == 0
    assert [each for each in (ZOE, KIM, "nobody here") if each in json.dumps(log)] == []
    failed = [each for each in log if each["event"] == "player not forgotten"]
    assert len(failed) == made.refused
    assert all(each.keys() & {"id", "why"} == set() for each in failed)


def test_a_forgotten_person_is_in_one_ticket_and_never_in_clear(place: Place) -> None:
    """Who waits when forgotten waits on; their id is that person's, in tickets, wishes and answers."""
    assert place.enter("other", "q1", "zoe").status == 201
    stand_in = place.forget("zoe").plain["id"]
    again = place.enter("duel", "q3", ZOE)
    assert again.status == 409
    assert "the ticket 'q1' of the queue 'other'" in again.plain["detail"]
    assert place.enter("other", "q4", ZOE).status == 409
    assert place.enter("duel", "q5", "ann", avoid=[ZOE], prefer=[ZOE]).status == 201
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert ask(f"{place.served.http}/v1/queues/other/tickets/q1", None, "DELETE", **headers).status == 200
    back = place.enter("other", ZOE, ZOE)
    assert back.status == 201
    assert back.plain["people"] == {ZOE: stand_in}
    assert back.plain["players"] == [stand_in]
    where = ask(f"{place.served.http}/v1/queues/other/tickets/{ZOE}",
                Authorization=f"Bearer {back.plain['capabilities'][ZOE]}")  # fmt: skip
    assert where.status == 200
    assert where.plain["players"] == [stand_in]
    assert ZOE not in place.kept()


def test_a_capability_is_theirs_who_are_forgotten_since(place: Place) -> None:
    """They answer, watch and finish with it under what stands for them, also when they come back."""
    place.result("r3", "paul", "lena")
    for turn in ("1", "2"):
        capability = {}
        for name in ("paul", "lena"):
            body = {"id": f"{name[0]}{turn}", "players": [{"id": name}], "ruleset": "theirs"}
            capability[name] = place.post("queues/duel/tickets", body).plain["capabilities"][name]
        ticket = f"queues/duel/tickets/p{turn}"
        while "match" not in (state := place.ask(ticket, capability["paul"])):
            pass
        match = state["match"]["match"]
        stand_in = place.forget("paul").plain["id"]
        assert place.ask(ticket, capability["paul"])["asked"] == [stand_in]
        assert place.post(f"queues/duel/tickets/l{turn}/accept", {"match": match}).status == 200
        for player in ({}, {"player": "paul"}, {"player": stand_in}):
            accepted = place.post(f"{ticket}/accept", {"match": match, **player}, capability["paul"])
            assert (accepted.status, accepted.plain.get("place")) == (200, "playing")
        other = place.post(f"{ticket}/accept", {"match": match, "player": "lena"}, capability["paul"])
        assert other.status == 422
        assert place.watched(ticket, capability["paul"])["you"] == stand_in
        assert place.post(f"{ticket}/finish", {}, capability["paul"]).plain["place"] == "gone"
        assert place.post(f"queues/duel/matches/{match}/end", {}).status == 200


def test_what_is_said_of_a_forgotten_person_is_what_happens(place: Place) -> None:
    """Nobody is new whose games are those of a stand-in; and who is forgotten can be forgotten again."""
    assert place.forget("nobody here").status == 409
    stand_in = place.forget(KIM).plain["id"]
    answered = place.result("r1", KIM, "someone new")
    assert (answered.status, answered.plain["new_players"]) == (201, ["someone new"])
    assert answered.plain["people"] == {KIM: stand_in}
    kept = ask(f"{place.served.http}/v1/matches/r1").plain
    assert stand_in in json.dumps(kept)
    assert KIM not in place.kept()
    assert place.forget(KIM).plain == {"id": stand_in}


def test_who_is_separated_is_known_when_that_is_answered(place: Place) -> None:
    """The next question and the next result mean them, however they are spelled."""
    merge = {"player": "bob", "other": NEWID}
    assert place.post("admin/merge", merge, place.admin).status == 200
    assert place.post("admin/merge", {**merge, "back": True}, place.admin).status == 200
    asked = place.post("who", {"names": [NEWID.upper()]}).plain["people"]
    assert [each["id"] for each in asked] == [NEWID]
    reported = place.result("r2", NEWID.upper(), "ann").plain
    assert (reported["people"], reported["new_players"]) == ({NEWID.upper(): NEWID}, [])
