"""Who is meant by the names of a ticket, over HTTP and the weight protocol: one person under every name."""

from __future__ import annotations

import socket
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.service.http.asking import PATIENCE, Answered, ask
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.service.tokens import make

QUEUES = """
[queue.duel]
team_size = 2
accept_within = 600
tolerance = 1e6
imbalance = 0.49
most_imbalance = 0.49
tick = 0.1

[queue.team]
team_size = 2
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return where the archive and the tokens are."""
    return tmp_path_factory.mktemp("names")


@pytest.fixture(scope="module")
def admin(folder: Path) -> dict[str, str]:
    """Return what lets somebody do what admins do."""
    return {"Authorization": f"Bearer {make(str(folder / 'tokens'), 'root', 'admin')[1]}"}


@pytest.fixture(scope="module")
def served(folder: Path, admin: dict[str, str]) -> Iterator[Served]:
    """Return a server with two queues, where Ann has two ids and two people are called Max."""
    assert admin
    with open_archive(f"sqlite:///{folder / 'games.db'}") as archive:
        for number, (player, name) in enumerate(
            (("a1", "Ann"), ("a2", "Annie"), ("b1", "Max"), ("b2", "Max"), ("c1", "Cid"))
        ):
            contest = Contest(Ruleset("oa", "ctf"), ((player,), (f"other {number}",)), (1, 2))
            names = ((player, name), (f"other {number}", f"Other {number}"))
            archive.record([Match((contest,), ended=1.0 + number, id=f"m{number}", names=names)])
        archive.merge("a1", "a2")
        archive.update_ratings()
    (folder / "serve.toml").write_text(QUEUES)
    flags = ("--config", str(folder / "serve.toml"), "--tokens", str(folder / "tokens"), "--http-rate", "1e6")
    server = Served(folder / "games.db", "--http", "127.0.0.1:0", *flags)
    yield server
    code, _ = server.end()
    assert code == 0


def entered(served: Served, queue: str, ticket: str, *players: str, **more: Any) -> Answered:
    """Let a ticket in."""
    body = {"id": ticket, "players": [{"id": each, **more} for each in players]}
    return ask(f"{served.http}/v1/queues/{queue}/tickets", body, Authorization=f"Bearer {TOKEN}")


def gone(served: Served, queue: str, ticket: str) -> None:
    """Withdraw a ticket."""
    url = f"{served.http}/v1/queues/{queue}/tickets/{ticket}"
    assert ask(url, None, "DELETE", Authorization=f"Bearer {TOKEN}").plain["place"] == "gone"


def test_a_person_is_one_under_every_name(served: Served) -> None:
    """By id, by the id that was merged, by any name; each as named has the capability."""
    for number, name in enumerate(("a1", "a2", "Ann", "ANNIE")):
        answer = entered(served, "duel", f"t{number}", name)
        assert (answer.status, answer.plain["players"]) == (201, ["a1"]), answer
        assert answer.plain.get("people") == ({name: "a1"} if name != "a1" else None)
        key = answer.plain["capabilities"][name]
        url = f"{served.http}/v1/queues/duel/tickets/t{number}"
        assert ask(url, Authorization=f"Bearer {key}").plain["place"] == "waiting"
        for other in ("a1", "a2", "annie"):
            refused = entered(served, "team", "x", other)
            assert refused.status == 409
            assert refused.plain["detail"] == f"'a1' is in the ticket 't{number}' of the queue 'duel' already"
        assert entered(served, "duel", f"t{number}", name).status == 200
        gone(served, "duel", f"t{number}")
    twice = entered(served, "duel", "twice", "a1", "Annie")
    assert twice.status in (409, 422), twice


def test_a_name_of_several_is_a_question(served: Served) -> None:
    """With the candidates; of a batch the one ticket alone is refused."""
    answer = entered(served, "duel", "m", "max")
    assert (answer.status, {each["id"] for each in answer.plain["candidates"]}) == (409, {"b1", "b2"})
    tickets = [{"id": each, "players": [{"id": each}]} for each in ("max", "c1")]
    url = f"{served.http}/v1/queues/duel/tickets:batch"
    some = ask(url, {"tickets": tickets}, Authorization=f"Bearer {TOKEN}").plain["tickets"]
    assert "several" in some[0]["refused"]
    assert some[1]["state"]["place"] == "waiting"
    gone(served, "duel", "c1")


@pytest.mark.parametrize("field", ["avoid", "prefer"])
def test_whom_somebody_avoids_or_prefers_is_a_question_too(served: Served, field: str) -> None:
    """A name of several there is no name of nobody."""
    answer = entered(served, "duel", field, "c1", **{field: ["max"]})
    assert (answer.status, {each["id"] for each in answer.plain["candidates"]}) == (409, {"b1", "b2"})
    assert entered(served, "duel", field, "c1", **{field: ["b1", "nobody"]}).status == 201
    gone(served, "duel", field)


def test_of_several_who_is_in_the_ticket_or_the_match_is_meant(served: Served) -> None:
    """Both protocols, by a token and by a capability; where it is neither, it is a question."""
    token = {"Authorization": f"Bearer {TOKEN}"}
    keys = {
        name: entered(served, "duel", name, name).plain["capabilities"][name]
        for name in ("b1", "Cid", "x", "y")
    }
    url = f"{served.http}/v1/queues/duel"
    until = time.monotonic() + PATIENCE
    while (state := ask(f"{url}/tickets/b1", **token).plain)["place"] != "proposed":
        assert time.monotonic() < until, state
    match = state["match"]["match"]
    wrong = {"match": match, "player": "max"}
    answer = ask(f"{url}/tickets/Cid/accept", wrong, **token)
    assert (answer.status, {each["id"] for each in answer.plain["candidates"]}) == (409, {"b1", "b2"})
    assert ask(f"{url}/tickets/Cid/accept", wrong, Authorization=f"Bearer {keys['Cid']}").status == 422
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        lines = connection.makefile("rw", encoding="utf-8", newline="\n")

        def said(*words: str) -> list[str]:
            lines.write("\t".join(words) + "\n")
            lines.flush()
            return lines.readline().split()

        said(f"AUTH {TOKEN}")
        said("QUEUE duel")
        assert said("ACCEPT Cid", match, "PLAYER max")[:2] == ["ERR", "ambiguous-name"]
        assert said("ACCEPT b1", match, "PLAYER max")[:3] == ["ACCEPT", "b1", "accepted"]
        for name in ("Cid", "x", "y"):
            assert ask(f"{url}/tickets/{name}/accept", {"match": match}, **token).status == 200
        assert said("SEATS", "another", "PLAYER max")[:2] != ["SEATS", "another"]
        offer = {"match": match, "left": ["max"]}
        assert ask(f"{url}/openings", {**offer, "match": "another"}, **token).status == 409
        (opening,) = ask(f"{url}/openings", offer, **token).plain["openings"]
        assert sorted(opening["free"]) == [0, 1]
        assert "b1" not in {each for team in opening["players"] for each in team}
        assert said(f"ENDED {match}") == ["ENDED", match]


def test_whom_somebody_avoids_is_who_is_meant(served: Served) -> None:
    """Their match cannot be, although one named a name and the other came by an id."""
    assert entered(served, "team", "one", "Cid", avoid=["annie"]).status == 201
    for name in ("a1", "x", "y"):
        assert entered(served, "team", name, name).status == 201
    url = f"{served.http}/v1/queues/team/tickets/one?why=true"
    state = ask(url, Authorization=f"Bearer {TOKEN}").plain
    assert (state["place"], "whom somebody avoids" in state["reason"]) == ("waiting", True)
    for name in ("one", "a1", "x", "y"):
        gone(served, "team", name)


def test_the_weight_protocol_knows_them_too(served: Served) -> None:
    """Where they wait is told; a name of several is ambiguous."""
    assert entered(served, "duel", "t", "Ann").status == 201
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as connection:
        lines = connection.makefile("rw", encoding="utf-8", newline="\n")

        def said(*words: str) -> str:
            lines.write("\t".join(words) + "\n")
            lines.flush()
            return lines.readline().rstrip("\n")

        assert said(f"AUTH {TOKEN}") == "AUTH ok"
        assert said("QUEUE team").startswith("QUEUE team 0")
        assert said("ENTER z", "PLAYER annie").endswith(
            "'a1' is in the ticket 't' of the queue 'duel' already"
        )
        assert said("ENTER z", "PLAYER max").split()[:2] == ["ERR", "ambiguous-name"]
    gone(served, "duel", "t")


def test_somebody_new_has_one_ticket_however_they_are_written(served: Served) -> None:
    """One by one, in a batch, in lines, in another queue; and when a match was kept under the name."""
    token = {"Authorization": f"Bearer {TOKEN}"}
    batch = f"{served.http}/v1/queues/team/tickets:batch"

    def refused(*names: str) -> list[str]:
        tickets = [{"id": f"more-{each}", "players": [{"id": each}]} for each in names]
        return [
            each.get("refused", "") for each in ask(batch, {"tickets": tickets}, **token).plain["tickets"]
        ]

    assert entered(served, "duel", "o1", "Oona").status == 201
    twice = entered(served, "duel", "o2", "oona")
    assert (twice.status, twice.plain["detail"]) == (409, "'oona' is in the ticket 'o1' already, as 'Oona'")
    assert refused("oona", "OONA") == [
        f"{each!r} is in the ticket 'o1' of the queue 'duel' already" for each in ("oona", "OONA")
    ]
    assert refused("Uma", "uma") == ["", "'uma' is in the ticket 'more-Uma' already, as 'Uma'"]
    gone(served, "team", "more-Uma")
    said = served.ask(f"AUTH {TOKEN}\nQUEUE duel\nENTER o3\tPLAYER oONA\n").splitlines()[-1]
    assert said == "ERR refused 'oONA' is in the ticket 'o1' already, as 'Oona'"
    match = {
        "id": "learnt", "game": "oa", "game_type": "ctf", "scores": [1, 0],
        "teams": [[{"id": "0a0a", "name": "Oona"}], [{"id": "0b0b", "name": "Odd"}]],
    }  # fmt: skip
    assert ask(f"{served.http}/v1/results", match, **token).status == 201
    until = time.monotonic() + PATIENCE
    while "'0a0a'" not in (why := entered(served, "duel", "o4", "oona").plain["detail"]):
        assert time.monotonic() < until, why
    assert why == "'0a0a' is in the ticket 'o1' already, as 'Oona'"
    gone(served, "duel", "o1")
    assert entered(served, "duel", "o5", "OONA").plain["players"] == ["0a0a"]
    gone(served, "duel", "o5")


def test_admins_merge_and_forget_who_is_known_to_a_queue_alone(served: Served, admin: dict[str, str]) -> None:
    """One person under both ids, and under another spelling; then nothing of the name is answered."""
    token, url = {"Authorization": f"Bearer {TOKEN}"}, f"{served.http}/v1/queues/duel"

    def done(what: str, **body: str) -> Answered:
        return ask(f"{served.http}/v1/admin/{what}", body, **admin)

    assert entered(served, "duel", "q1", "Quentin").status == 201
    assert done("merge", player="c1", other="nobody").status == 409
    assert done("merge", player="c1", other="Quentin").status == 200
    until = time.monotonic() + PATIENCE
    while (answer := entered(served, "team", "q2", "quentin")).plain.get("people") != {"quentin": "c1"}:
        why = answer.plain["detail"]
        assert "'q1'" in why
        if "'c1'" in why:
            gone(served, "duel", "q1")
        assert time.monotonic() < until, why
    gone(served, "team", "q2")
    assert entered(served, "duel", "q3", "Rosalind").status == 201
    stand_in = done("forget", player="rosalind").plain["id"]
    assert stand_in.startswith("anonymous:")
    assert ask(f"{url}/tickets/q3", **token).plain["players"][0].startswith("anonymous:")
    asked = urllib.request.Request(f"{url}/events", headers={**token, "Last-Event-ID": "0"})  # noqa: S310 -- of this test
    with urllib.request.urlopen(asked, timeout=PATIENCE) as events:  # noqa: S310 -- of this test
        text = b""
        while b'"ticket":"q3"' not in text:
            text += next(events)
    assert b"osalind" not in text
    assert done("forget", player="Rosalind").status == 200  # again
    assert done("forget", player="nobody").status == 409
    gone(served, "duel", "q3")


BAD = ["x\nMATCH 99 running", "a\tb", "a\0b", " ", "\x85"]


@pytest.mark.parametrize("name", BAD)
def test_no_door_of_queues_takes_an_id_that_another_cannot_say(served: Served, name: str) -> None:
    """Over HTTP the field is named, for every text of a ticket and of seats; nothing of it is in any line."""
    url, token = f"{served.http}/v1/queues/team", {"Authorization": f"Bearer {TOKEN}"}
    player = {"id": "ok", "roles": ["r"], "avoid": ["v"], "prefer": ["w"]}
    good = {"id": "bad", "players": [player], "latencies": {"eu": 1}, "ruleset": "r", "vetoes": ["m"]}
    for pointer, ticket in (
        ("/id", {**good, "id": f"bad{name}"}),
        ("/players/0/id", {**good, "players": [{**player, "id": name}]}),
        ("/players/0/roles/0", {**good, "players": [{**player, "roles": [name]}]}),
        ("/players/0/avoid/0", {**good, "players": [{**player, "avoid": [name]}]}),
        ("/players/0/prefer/0", {**good, "players": [{**player, "prefer": [name]}]}),
        ("/latencies", {**good, "latencies": {name: 1}}),
        ("/ruleset", {**good, "ruleset": name}),
        ("/vetoes/0", {**good, "vetoes": [name]}),
    ):
        one = ask(f"{url}/tickets", ticket, **token)
        assert (one.status, one.pointer) == (422, f"#{pointer}")
        many = ask(f"{url}/tickets:batch", {"tickets": [ticket]}, **token)
        assert (many.status, many.pointer) == (422, f"#/tickets/0{pointer}")
    seats = ask(f"{url}/openings", {"match": "srv-1", "teams": [[{"id": name}], []]}, **token)
    assert (seats.status, seats.pointer) == (422, "#/teams/0/0/id")
    if "\n" not in name and "\t" not in name:  # they part lines and fields
        said = served.ask(f"AUTH {TOKEN}\nQUEUE team\nENTER bad\tPLAYER {name}\nTICKET bad\n")
        assert [line[:4] for line in said.splitlines()[-2:]] == ["ERR "] * 2


@pytest.mark.parametrize("ticket", ["a/b", "a b", "a?b"])
def test_a_ticket_of_a_line_can_be_asked_for_over_http(served: Served, ticket: str) -> None:
    """A name that a path cannot hold is refused when it comes, of a match with seats too."""
    said = served.ask(
        f"AUTH {TOKEN}\nQUEUE team\nENTER {ticket}\tPLAYER someone\nSEATS {ticket}\t0 PLAYER someone\n"
    )
    assert [line[:12] for line in said.splitlines()[2:]] == ["ERR bad-name"] * 2
