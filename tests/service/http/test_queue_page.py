"""The page of a queue over HTTP: who has the link lets themselves in, and nobody has another one's ticket."""

from __future__ import annotations

import json
import signal
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.service.http.asking import PATIENCE, Answered, ask
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset

SETTINGS = """
[queue.duo]
team_size = 2
accept_within = 600
tolerance = 1e6
imbalance = 0.49
most_imbalance = 0.49
tick = 0.1
join = "{word}"

[queue.closed]
team_size = 1
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with settings, and an archive in which two people are called Max."""
    folder: Path = tmp_path_factory.mktemp("page")
    with open_archive(f"sqlite:///{folder / 'games.db'}") as archive:
        for number, (player, name) in enumerate((("a1", "Ann"), ("b1", "Max"), ("b2", "Max"))):
            contest = Contest(Ruleset("oa", "ctf"), ((player,), ("zed",)), (1, 2))
            names = ((player, name), ("zed", "Zed"))
            archive.record([Match((contest,), ended=1.0 + number, id=f"m{number}", names=names)])
        archive.update_ratings()
    (folder / "serve.toml").write_text(SETTINGS.format(word="spring"))
    return folder


def begun(folder: Path) -> Served:
    """Begin a server."""
    flags = ("--config", str(folder / "serve.toml"), "--http-rate", "1e6")
    return Served(folder / "games.db", "--http", "127.0.0.1:0", *flags)


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    """Return a server."""
    server = begun(folder)
    yield server
    code, _ = server.end()
    assert code == 0


@pytest.fixture(scope="module")
def key(served: Served) -> str:
    """Return the key of the link."""
    link: str = ask(f"{served.http}/v1/queues/duo/link", Authorization=f"Bearer {TOKEN}").plain["link"]
    path, _, key = link.partition("#k=")
    assert path == "/queue/duo"
    return key


def at(served: Served, path: str, key: str, body: Any = None, method: str | None = None) -> Answered:
    """Ask for something of the queue."""
    return ask(f"{served.http}/v1/queues/duo/{path}", body, method, Authorization=f"Bearer {key}")


def device(name: str) -> str:
    """Return what a device alone knows."""
    return name * 16


def test_the_page_and_what_it_loads_are_served(served: Served) -> None:
    """The same for every queue, with a policy that lets nothing else in; its texts are its own."""
    page = ask(f"{served.http}/queue/duo")
    assert page.status == 200
    assert "script-src 'self'" in page.headers["content-security-policy"]
    for name in ("queue.js", "page.js", "level.js", "device.js", "tonight.css", "texts.js"):
        assert ask(f"{served.http}/queue/{name}").status == 200
    assert "Join the queue" in ask(f"{served.http}/queue/texts.js").body.decode()
    assert ask(f"{served.http}/queue/duo/more").status == 404


def test_nobody_comes_in_without_the_link(served: Served, key: str) -> None:
    """Nor by the token of a backend, the key of another queue, or where there is no page."""
    body = {"device": device("a"), "visit": "1", "who": "a1"}
    asks = {"page": None, "page/people": None, "page/join": body, "page/party": {"who": "a1"}}
    wrongs = ("", "0" * 24, TOKEN, "ü")  # one each, as whoever guesses waits longer each time
    for (path, asked), wrong in zip(asks.items(), wrongs, strict=True):
        assert at(served, path, wrong, asked).status == 401
    closed = ask(f"{served.http}/v1/queues/closed/page", Authorization=f"Bearer {key}")
    assert closed.status == 401
    link = ask(f"{served.http}/v1/queues/closed/link", Authorization=f"Bearer {TOKEN}")
    assert link.status == 404


def test_who_may_be_meant_is_listed(served: Served, key: str) -> None:
    """Those seen last first; by part of a name; of a name of several the page gets the candidates."""
    people = at(served, "page/people", key).plain["people"]
    assert {each["id"] for each in people} == {"a1", "b1", "b2", "zed"}
    found = at(served, "page/people?q=ann", key).plain["people"]
    assert found == [{"id": "a1", "name": "Ann"}]
    asked = at(served, "page/join", key, {"device": device("m"), "visit": "1", "who": "max"})
    assert (asked.status, {each["id"] for each in asked.plain["candidates"]}) == (409, {"b1", "b2"})
    for wrong in ("\x00", " ", "x" * 60):
        assert at(served, "page/join", key, {"device": device("m"), "visit": "1", "who": wrong}).status == 422


def test_a_device_has_its_own_ticket_and_no_other(served: Served, key: str) -> None:
    """Sent again it is the same one; another device that says it is the same person has nothing."""
    body = {"device": device("a"), "visit": "1", "who": "Ann"}
    first, again = at(served, "page/join", key, body), at(served, "page/join", key, body)
    assert (first.status, again.status) == (201, 200)
    assert (first.plain["you"], first.plain["ticket"]) == ("a1", again.plain["ticket"])
    assert first.plain["capability"] == again.plain["capability"]
    other = at(served, "page/join", key, {**body, "device": device("b")})
    assert other.status == 409
    assert first.plain["ticket"] in other.plain["detail"]
    assert at(served, "page/join", key, {**body, "who": "b1"}).status == 409
    ticket, capability = first.plain["ticket"], first.plain["capability"]
    assert at(served, f"tickets/{ticket}", key).status == 401
    stream = urllib.request.Request(  # noqa: S310 -- of this test
        f"{served.http}/v1/queues/duo/tickets/{ticket}/stream",
        headers={"Authorization": f"Bearer {capability}"},
    )
    with urllib.request.urlopen(stream, timeout=PATIENCE) as events:  # noqa: S310 -- of this test
        lines = iter(events)
        data = next(line for line in lines if line.startswith(b"data: "))
        shown = json.loads(data.removeprefix(b"data: "))
        assert (shown["place"], shown["you"], shown["names"]) == ("waiting", "a1", {"a1": "Ann"})
        assert (shown["short"]["kind"], shown["short"]["here"], shown["short"]["wanted"]) == ("players", 1, 4)
        at(served, f"tickets/{ticket}", capability, method="DELETE")
        data = next(line for line in lines if line.startswith(b"data: "))
        assert json.loads(data.removeprefix(b"data: "))["place"] == "gone"


def test_somebody_new_has_one_ticket_however_they_are_written(served: Served, key: str) -> None:
    """Another device that writes the name otherwise hears that it is taken."""
    first = at(served, "page/join", key, {"device": device("n"), "visit": "1", "who": "Nova"}).plain
    other = at(served, "page/join", key, {"device": device("o"), "visit": "1", "who": "nova"})
    why = f"'nova' is in the ticket {first['ticket']!r} already, as 'Nova'"
    assert (other.status, other.plain["detail"]) == (409, why)
    at(served, f"tickets/{first['ticket']}", first["capability"], method="DELETE")
    again = at(served, "page/join", key, {"device": device("o"), "visit": "1", "who": "nova"})
    assert again.status == 201
    at(served, f"tickets/{again.plain['ticket']}", again.plain["capability"], method="DELETE")


def test_a_party_enters_as_one_ticket_and_who_leads_it_lets_it_in(served: Served, key: str) -> None:
    """Each has a capability of their own; whoever only joined cannot let it in, nor look like another."""
    led = at(served, "page/party", key, {"who": "a1"}).plain
    code = led["code"]
    joined = at(served, "page/party", key, {"who": "b1", "code": code.lower()}).plain
    assert (joined["leads"], [each["id"] for each in joined["people"]]) == (False, ["a1", "b1"])
    assert at(served, "page/party", key, {"who": "b2", "code": code}).status == 409
    assert at(served, "page/party", key, {"who": "b2", "code": "AAAAA"}).status == 404
    assert at(served, "page/party", key, {"who": "a1", "code": code, "token": joined["token"]}).status == 404
    body = {"device": device("p"), "visit": "1", "code": code}
    assert at(served, "page/join", key, {**body, "who": "b1", "token": joined["token"]}).status == 409
    entered = at(served, "page/join", key, {**body, "who": "a1", "token": led["token"]})
    assert (entered.status, entered.plain["state"]["players"]) == (201, ["a1", "b1"])
    joined_state = at(served, "page/party", key, {"who": "b1", "code": code, "token": joined["token"]}).plain
    assert joined_state["ticket"] == entered.plain["ticket"]
    assert joined_state["capability"] != entered.plain["capability"]
    ticket = joined_state["ticket"]
    assert at(served, f"tickets/{ticket}", joined_state["capability"]).plain["place"] == "waiting"
    assert at(served, "page/party", key, {"who": "b2", "code": code}).plain["type"].endswith("full")
    thief = at(served, "page/party", key, {"who": "b1"}).plain
    for capability in ("", joined["token"], thief["token"], entered.plain["capability"]):
        stolen = {"who": "b1", "code": thief["code"], "token": thief["token"], "ticket": ticket}
        found = at(served, "page/party", key, {**stolen, "capability": capability}).plain
        assert "capability" not in found
    tickets = [{"id": f"o{n}", "players": [{"id": f"o{n}"}]} for n in range(2)]
    at(served, "tickets:batch", TOKEN, {"tickets": tickets})
    while (state := at(served, f"tickets/{ticket}", TOKEN).plain)["place"] != "proposed":
        assert served.process.poll() is None
    assert sum(state["match"]["chances"]) == pytest.approx(1.0)
    match = state["match"]["match"]
    for capability in (entered.plain["capability"], joined_state["capability"]):
        at(served, f"tickets/{ticket}/accept", capability, {"match": match})
    for each in tickets:
        at(served, f"tickets/{each['id']}/accept", TOKEN, {"match": match})
    first = at(served, f"tickets/{ticket}/finish", joined_state["capability"], {}).plain
    left = sorted(player for team in first["match"]["players"] for player in team)
    assert (first["place"], left) == ("playing", ["a1", "o0", "o1"])
    assert at(served, f"tickets/{ticket}/finish", entered.plain["capability"], {}).plain["place"] == "gone"
    for each in tickets:
        assert at(served, f"tickets/{each['id']}/finish", TOKEN, {}).plain["place"] == "gone"
    assert at(served, "matches", TOKEN).plain == {"matches": []}


def test_another_word_in_the_settings_is_another_link(served: Served, key: str, folder: Path) -> None:
    """Who has the old one comes in no longer, once the settings are read again; tickets stay."""
    entered = at(served, "page/join", key, {"device": device("z"), "visit": "1", "who": "Ann"}).plain
    (folder / "serve.toml").write_text(SETTINGS.format(word="autumn"))
    served.process.send_signal(signal.SIGHUP)
    while at(served, "page", key).status == 200:
        assert served.process.poll() is None
    link = ask(f"{served.http}/v1/queues/duo/link", Authorization=f"Bearer {TOKEN}").plain["link"]
    assert at(served, "page", link.partition("#k=")[2]).plain["team_size"] == 2
    state = at(served, f"tickets/{entered['ticket']}", entered["capability"]).plain
    assert state["place"] == "waiting"
