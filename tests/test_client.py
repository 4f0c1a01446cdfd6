"""The client: both protocols of a real server, with the library's own answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.service.process import TOKEN, Served

from equipoise import Client, InputError
from equipoise.archive.archive import open_archive
from equipoise.client import ServerError

pytestmark = pytest.mark.slow

RESULT = {"game": "oa", "game_type": "ctf", "teams": [["ann"], ["bob"]], "scores": [3, 1]}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """Return a client of a server that begins empty."""
    store: Path = tmp_path_factory.mktemp("client") / "games.db"
    open_archive(f"sqlite:///{store}").close()
    served = Served(store, "--http", "127.0.0.1:0", "--http-rate", "1e6")
    with Client(served.http, f"127.0.0.1:{served.port}", TOKEN) as made:
        yield made
    assert served.end()[0] == 0


def test_questions_are_answered(client: Client) -> None:
    """Each has the answer of its kind."""
    assert client.balance({"text": "Ann 9\nBob 7"}, time_limit=1.0)["status"] == "optimal"
    assert client.explain({"players": {"Ann": 9, "Bob": 7}}, time_limit=1.0)["explanation"]
    running = [{"name": "Ann", "weight": 9, "team": 1}, {"name": "Bob", "weight": 7}]
    assert client.late({"players": running})["team"] == 1
    players = [{"id": "a", "skill": 1}, {"id": "b", "skill": 2}]
    assert client.lobbies({"players": players, "lobbies": [{"name": "x"}]})["lobbies"][0]["name"] == "x"
    history = [{**RESULT, "ended": 0}]
    assert client.rate(history, model="elo")["matches"] == 1
    assert client.predict(history, [["ann"], ["bob"]])["teams"][0]["win_probability"] > 0.5


def test_what_is_reported_is_known_over_both_protocols(client: Client) -> None:
    """A result comes as an event, counts once, and shows in players, matches and weights."""
    happening = client.events(0)
    assert client.report({**RESULT, "id": "one"})
    assert not client.report({**RESULT, "id": "one"})
    kinds = []
    for kind, content, revision in happening:
        kinds.append(kind)
        if kind == "ratings" and content["players"] == 2:
            assert revision
            break
    assert "match" in kinds
    assert [row["id"] for row in client.players()] == ["ann", "bob"]
    assert client.player("ann")["ratings"][0]["games"] == 1
    assert [game["match"] for game in client.history("ann", why=True)] == ["one"]
    assert [row["ruleset"] for row in client.rulesets()] == ["general", "oa/ctf"]
    assert client.leaderboard("oa/ctf", limit=1)[0]["id"] == "ann"
    assert [match["id"] for match in client.matches()] == ["one"]
    assert client.match("one")["contests"][0]["scores"] == [3.0, 1.0]
    client.setting("oa/ctf", "instagib")
    assert (client.weight("ann") or 0) > (client.weight("bob") or 0)
    assert client.weight("nobody") is None
    assert client.mean_bot() == (50.0, 0)
    teams = client.teams(2, ["ann", "bob"], ["Sarge"])
    assert sorted(map(len, teams)) == [1, 2]
    assert client.join("cid", [["ann", "bob"], ["BOT Sarge"]]) == 1
    assert sum(client.chances([["ann"], ["bob"]])) == pytest.approx(1.0, abs=1e-3)
    assert min(client.advantage([["ann"], ["bob"]])) == 1.0
    assert client.result("two", [1, 0], [["ann"], ["bob"]])


def test_refusals_say_what_is_wrong(client: Client) -> None:
    """Over both protocols they are one error, with a kind for programs."""
    with pytest.raises(ServerError, match="teams must be from 2 to 100") as caught:
        client.balance({"players": {"Ann": 1}, "teams": 1})
    assert (caught.value.kind, caught.value.status, caught.value.pointer) == ("invalid", 422, "#/teams")
    with pytest.raises(ServerError) as caught:
        client.say("NOSUCH")
    assert caught.value.kind == "unknown-command"
    for wrong in ("ctf\nPLAYER x", "\ud800"):
        with pytest.raises(InputError, match="control characters"):
            client.setting(wrong)
        with pytest.raises(InputError, match=r"^key must have no control characters"):
            client.report({}, key=wrong)
    with pytest.raises(InputError, match="control characters"):
        client.weight("a\nb")
    with pytest.raises(ServerError) as caught:
        client.undo("one")
    assert (caught.value.kind, caught.value.status) == ("not-allowed", 403)


def test_nobody_there_is_an_error() -> None:
    """An address that is none, and one where nobody answers, are told apart."""
    for wrong in ("127.0.0.1", "http://", "http://h:99999", "http://h:x", "http://[::1", "ftp://h"):
        with pytest.raises(InputError, match="http must be an address"):
            Client(http=wrong)
    for wrong in ("h", "h:", ":1", "h:0", "h:65536", "h:99999999999", "h:²"):
        with pytest.raises(InputError, match="weights must be HOST:PORT"):
            Client(weights=wrong).weight("Ann")
    with pytest.raises(InputError, match="http is missing"):
        Client().rulesets()
    with pytest.raises(ServerError, match="does not answer"):
        Client(http="http://127.0.0.1:9").rulesets()
