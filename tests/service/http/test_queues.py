"""Queues over HTTP: tickets, capabilities, matches, events, webhooks; and what admins do."""

from __future__ import annotations

import base64
import hashlib
import hmac
import http.server
import json
import os
import queue
import signal
import threading
import urllib.request
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from tests.service.http.asking import PATIENCE, Answered, ask
from tests.service.process import TOKEN, Served

from equipoise.service.tokens import make

#: One server for all tests here, which go on where the one before ended.
SECRET = b"a secret that nobody guesses"


class Receiver(http.server.ThreadingHTTPServer):
    """A webhook: it fails as often as it is sent to, and remembers what it took."""

    def __init__(self) -> None:
        self.taken: queue.Queue[tuple[dict[str, str], bytes]] = queue.Queue()
        self.elsewhere = 0
        self.failures = [307, 500]
        super().__init__(("127.0.0.1", 0), Answer)


class Answer(http.server.BaseHTTPRequestHandler):
    """Takes a delivery."""

    server: Receiver

    def do_POST(self) -> None:
        """Fail, or take it."""
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.elsewhere += self.path != "/hook?a=1"
        status = self.server.failures.pop() if self.server.failures else 204
        self.send_response(status)
        if status == 307:
            self.send_header("location", "/elsewhere")
        self.end_headers()
        if status == 204:
            self.server.taken.put(({key.lower(): value for key, value in self.headers.items()}, body))

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    """Return a webhook."""
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, receiver: Receiver) -> Path:
    """Return a folder with settings, a secret, and tokens."""
    folder = tmp_path_factory.mktemp("queues")
    (folder / "secret").write_bytes(SECRET)
    make(str(folder / "tokens"), "root", "admin")
    (folder / "serve.toml").write_text(
        f"""
        [webhook.league]
        url = "http://127.0.0.1:{receiver.server_port}/hook?a=1"
        secret_file = "{folder / "secret"}"

        [queue.duel]
        team_size = 1
        imbalance = 0.49
        most_imbalance = 0.49
        tolerance = 1e6
        accept_within = 600
        tick = 0.05
        """
    )
    return folder


def begun(folder: Path) -> Served:
    """Begin a server."""
    flags = ("--create", "--config", str(folder / "serve.toml"), "--tokens", str(folder / "tokens"))
    return Served(folder / "games.db", "--http", "127.0.0.1:0", "--http-rate", "1e6", *flags)


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    """Return a server with a queue."""
    server = begun(folder)
    yield server
    code, _ = server.end()
    assert code == 0


def at(
    served: Served, path: str, body: Any = None, token: str = TOKEN, method: str | None = None
) -> Answered:
    """Ask for something of the queue of duels."""
    url = f"{served.http}/v1/queues/duel/{path}"
    return ask(url, body, method, Authorization=f"Bearer {token}")


def entered(served: Served, name: str, weight: float = 1500.0) -> dict[str, Any]:
    """Let a ticket of one player in."""
    answer = at(served, "tickets", {"id": name, "players": [{"id": name, "weight": weight}]})
    assert answer.status == 201, answer
    state: dict[str, Any] = answer.plain
    return state


def until(served: Served, name: str, place: str) -> dict[str, Any]:
    """Ask again and again until a ticket is in a place."""
    while (state := at(served, f"tickets/{name}").plain)["place"] != place:
        assert served.process.poll() is None
    found: dict[str, Any] = state
    return found


def taken(receiver: Receiver, kind: str) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the next delivery whose content is of a kind, and its headers."""
    while True:
        headers, body = receiver.taken.get(timeout=PATIENCE)
        signed = hmac.digest(
            SECRET, f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body, hashlib.sha256
        )
        assert headers["webhook-signature"] == f"v1,{base64.b64encode(signed).decode()}"
        content = json.loads(body)
        assert content["id"] == headers["webhook-id"]
        if kind in (content["type"], content["data"].get("kind")):
            return headers, content


def two_who_come_are_matched_accept_and_play(served: Served, receiver: Receiver) -> None:
    """By their capabilities alone, each for the own ticket; webhooks and events are sent the same."""
    stream = urllib.request.Request(  # noqa: S310 -- of this test
        f"{served.http}/v1/queues/duel/events", headers={"Authorization": f"Bearer {TOKEN}"}
    )
    with urllib.request.urlopen(stream, timeout=PATIENCE) as events:  # noqa: S310 -- of this test
        first, second = entered(served, "ann")["capabilities"], entered(served, "bob")["capabilities"]
        name = until(served, "ann", "proposed")["match"]["match"]
        again = at(served, "tickets", {"id": "ann", "players": [{"id": "ann", "weight": 1600}]})
        assert (again.status, again.plain["place"]) == (200, "proposed")
        assert at(served, "tickets/bob/accept", {"match": name}, first["ann"]).status == 401
        for _ in range(2):
            accepted = at(served, "tickets/ann/accept", {"match": name}, first["ann"])
            assert (accepted.status, accepted.plain["place"]) == (200, "accepted")
        assert at(served, "tickets/bob/accept", {"match": name}, second["bob"]).plain["place"] == "playing"
        assert at(served, "tickets/bob", None, second["bob"], "DELETE").status == 409
        replies: list[dict[str, Any]] = []
        while not replies or replies[-1]["kind"] != "started":
            line = events.readline().decode()
            replies += json.loads(line.removeprefix("data: "))["replies"] if line.startswith("data: ") else []
    assert [each["kind"] for each in replies] == ["waits", "waits", "proposed", "started"]
    assert sorted(map(tuple, replies[-1]["players"])) == [("ann",), ("bob",)]
    _, sent = taken(receiver, "started")
    assert (sent["data"]["match"], sent["data"]["queue"]) == (name, "duel")
    assert receiver.elsewhere == 0
    running = at(served, "matches").plain["matches"]
    assert [(each["match"], each["running"]) for each in running] == [(name, True)]
    assert at(served, f"matches/{name}/end", {}).status == 200
    assert at(served, f"matches/{name}/end", {}).status == 404
    assert until(served, "ann", "gone")["why"] == "played"


def events_go_on_where_a_client_was_cut_off(served: Served) -> None:
    """Every event after the last one comes, in order, and none twice."""
    request = urllib.request.Request(  # noqa: S310 -- of this test
        f"{served.http}/v1/queues/duel/events",
        headers={"Authorization": f"Bearer {TOKEN}", "Last-Event-ID": "1"},
    )
    with urllib.request.urlopen(request, timeout=PATIENCE) as events:  # noqa: S310 -- of this test
        lines = (line.decode().strip() for line in islice(events, 100))  # comments come for ever
        ids = [int(line[4:]) for line in islice((line for line in lines if line[:4] == "id: "), 3)]
    assert ids == [2, 3, 4]
    request.add_header("Last-Event-ID", "999999")  # of a record that is no longer there
    with urllib.request.urlopen(request, timeout=PATIENCE) as events:  # noqa: S310 -- of this test
        first = [line.decode().strip() for line in islice(events, 5)]
    kind, number, state = first[2:5]
    assert (kind, number.startswith("id: "), int(number[4:]) < 999999) == ("event: queue_state", True, True)
    assert json.loads(state.removeprefix("data: "))["queue"] == "duel"


def a_batch_lets_each_ticket_in_or_not(served: Served) -> None:
    """One that is refused keeps no other out."""
    assert at(served, "pause", {"paused": True}).status == 403
    tickets = [
        {"id": "x", "players": [{"id": "x"}]},
        {"id": "y", "players": [{"id": "x"}]},
        {"id": "z", "players": [{"id": "z", "weight": 1490}]},
    ]
    found = at(served, "tickets:batch", {"tickets": tickets}).plain["tickets"]
    assert [("state" in each, each.get("refused", "")) for each in found] == [
        (True, ""), (False, "'x' is in the ticket 'x' already"), (True, ""),
    ]  # fmt: skip
    name = until(served, "x", "proposed")["match"]["match"]
    assert at(served, "tickets/x/decline", {"match": name}).plain["place"] == "gone"
    assert at(served, "tickets/z?why=true").plain["reason"].startswith("a match has 2 players")
    assert at(served, "tickets/z", method="DELETE").plain["place"] == "gone"


def seats_of_running_matches_are_filled(served: Served) -> None:
    """Of one of this queue who left is enough; of any other, who plays; in lines the same."""
    teams: list[list[dict[str, Any]]] = [[{"id": "old", "weight": 1500}], []]
    assert at(served, "openings", {"match": "srv-7"}).status == 409
    for number in ("-7", "7.0"):
        refused = at(served, "openings", {"match": number, "teams": teams})
        assert (refused.status, "must not be a number" in str(refused.plain)) == (409, True)
    offered = at(served, "openings", {"match": "srv-7", "teams": teams})
    assert [(each["match"], each["free"]) for each in offered.plain["openings"]] == [("srv-7", [0, 1])]
    late = {"id": "late", "players": [{"id": "late", "weight": 1500}], "backfill": True}
    assert at(served, "tickets", late).status == 201
    match = until(served, "late", "proposed")["match"]
    assert (match["joins"], match["players"]) == ("srv-7", [[], ["late"]])
    assert at(served, "tickets/late/accept", {"match": match["match"]}).plain["place"] == "playing"
    assert at(served, "openings").plain["openings"] == []
    lines = (
        f"AUTH {TOKEN}",
        "QUEUE duel",
        "TICKET late",
        "SEATS srv-7\tPLAYER late",
        *["ENDED srv-7"] * 2,
        "SEATS -7\t0 PLAYER new",
    )
    answers = served.ask("".join(f"{line}\n" for line in lines)).splitlines()
    assert answers == [
        "AUTH ok", "QUEUE duel 0 0 1", f"TICKET late playing {match['match']}", "SEATS srv-7 0 1",
        "ENDED srv-7", "ERR refused no match of this id runs",
        "ERR refused no match '-7' of this queue runs; the id of any other must not be a number",
    ]  # fmt: skip
    assert until(served, "late", "gone")["why"] == "left the match"
    assert at(served, "openings", {"match": "srv-8", "teams": teams}).status == 200
    assert at(served, "openings/srv-8", method="DELETE").plain["openings"] == []


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"id": "a/b", "players": [{"id": "a"}]}, "/id"),
        ({"id": "a", "players": []}, "/players"),
        ({"id": "a", "players": [{"id": "a"}, {"id": "a"}]}, "/players"),
        ({"id": "a", "players": [{"id": "a", "weight": "x"}]}, "/players/0/weight"),
        ({"id": "a", "players": [{"id": "a"}], "latencies": {"eu": -1}}, "/latencies/..."),
        ({"id": "a", "players": [{"id": "a", "sigma": 50}]}, "/players/0/sigma"),
    ],
)
def test_what_is_wrong_with_a_ticket_is_said(served: Served, body: dict[str, Any], pointer: str) -> None:
    """With a pointer to it."""
    answer = at(served, "tickets", body)
    assert answer.status == 422
    assert answer.pointer.removeprefix("#").startswith(pointer.removesuffix("/..."))


def how_queues_stand_is_shown(served: Served) -> None:
    """See the last matches too, and a page that asks for it."""
    (shown,) = ask(f"{served.http}/v1/queues").plain["queues"]
    assert shown["recent"]["matches"] >= 2
    assert 0.0 <= shown["recent"]["wait"] <= shown["recent"]["p95"]
    page = ask(f"{served.http}/queues.html")
    assert b'<script src="queues.js" defer>' in page.body
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert ask(f"{served.http}/queues.js").status == 200


def who_has_no_right_is_refused(served: Served) -> None:
    """Without a token, with one of another ticket, and for what is not there."""
    entered(served, "eve")
    assert ask(f"{served.http}/v1/queues/duel/tickets/eve").status == 401
    assert at(served, "tickets/eve", token="tk_657665_00").status == 401  # noqa: S106 -- no token
    assert at(served, "tickets/nobody").status == 404
    assert ask(f"{served.http}/v1/queues/none").status == 404
    assert at(served, "tickets/eve", method="DELETE").status == 200


def results_and_ratings_are_sent(served: Served, receiver: Receiver) -> None:
    """See a result in the transaction that keeps it, and that ratings have changed after it."""
    record = {"id": "m1", "game": "oa", "game_type": "duel", "teams": [["ann"], ["bob"]], "scores": [1, 0]}
    headers = {"Authorization": f"Bearer {TOKEN}"}
    assert ask(f"{served.http}/v1/results", record, **headers).status == 201
    assert ask(f"{served.http}/v1/results", record, **headers).status == 200
    _, sent = taken(receiver, "result")
    assert sent["id"] == "result:m1"
    while taken(receiver, "ratings")[1]["data"]["players"] != 2:
        pass
    balance = {"players": [{"name": "a", "weight": 1}, {"name": "b", "weight": 2}]}
    answer = ask(f"{served.http}/v1/balance", balance)
    assert taken(receiver, "teams")[1]["data"] == answer.plain


def what_admins_do_is_kept(served: Served, folder: Path) -> None:
    """Merge, token, undo: who, what and what came of it; none of it without the scope."""
    _, admin = make(str(folder / "tokens"), "boss", "admin")
    url, headers = f"{served.http}/v1/admin", {"Authorization": f"Bearer {admin}"}
    while ask(f"{url}/tokens", **headers).status == 401:
        assert served.process.poll() is None
    assert (
        ask(f"{url}/merge", {"player": "ann", "other": "cid"}, Authorization=f"Bearer {TOKEN}").status == 403
    )
    assert ask(f"{url}/merge", {"player": "ann", "other": "nobody"}, **headers).status == 409
    token = ask(f"{url}/tokens", {"name": "bot", "scope": "read"}, **headers)
    assert token.status == 201
    assert token.plain["token"].startswith("eq_")
    assert ask(f"{url}/tokens/{token.plain['id']}", None, "DELETE", **headers).status == 200
    assert [each["name"] for each in ask(f"{url}/tokens", **headers).plain["tokens"]] == ["root", "boss"]
    played = {"id": "f1", "game": "oa", "game_type": "duel", "teams": [["ann"], ["bob"]], "scores": [1, 0]}
    assert ask(f"{served.http}/v1/results", played, Authorization=f"Bearer {TOKEN}").status == 201
    forgotten = ask(f"{url}/forget", {"player": "bob"}, **headers)
    assert forgotten.status == 200
    assert ask(f"{served.http}/v1/matches/f1/undo", {}, **headers).status == 200
    entries = ask(f"{url}/audit", **headers).plain["entries"]
    assert [(each["what"], each["outcome"]) for each in reversed(entries)] == [
        ("merge", "asked"), ("merge", "not done"), ("make token", "asked"), ("make token", "done"),
        ("revoke token", "asked"), ("revoke token", "done"), ("forget", "asked"), ("forget", "done"),
        ("undo", "asked"), ("undo", "done"),
    ]  # fmt: skip
    assert "bob" not in json.dumps(entries)
    shown = ask(f"{url}/webhooks", **headers).plain["deliveries"]
    assert "result" in {each["kind"] for each in shown}
    text = ask(f"{served.http}/metrics").body.decode()
    for beginning in (
        'equipoise_queue_events_total{kind="started",queue="duel"} ',
        'equipoise_webhooks_failed_total{hook="league"} ',
        'equipoise_queue{queue="duel",what="waiting"} 0.0',
    ):
        assert any(line.startswith(beginning) for line in text.splitlines()), beginning


def a_restart_and_another_policy_lose_no_ticket(folder: Path, served: Served) -> None:
    """After a kill a ticket waits on since it came; a policy that changes applies to it at once."""
    server = begun_apart(folder)
    entered(server, "ann")
    since = at(server, "tickets/ann").plain["since"]
    os.kill(server.process.pid, signal.SIGKILL)
    server.process.communicate()
    server = begun_apart(folder)
    state = at(server, "tickets/ann").plain
    assert (state["place"], state["since"]) == ("waiting", since)
    path = folder / "apart.toml"
    path.write_text(path.read_text().replace("team_size = 1", "team_size = 2"))
    server.process.send_signal(signal.SIGHUP)
    while ask(f"{server.http}/v1/queues/duel").plain["policy"]["team_size"] != 2:
        assert server.process.poll() is None
    assert at(server, "tickets/ann").plain["since"] == since
    assert server.end()[0] == 0


def begun_apart(folder: Path) -> Served:
    """Begin a server with an archive of its own."""
    path = folder / "apart.toml"
    if not path.exists():
        path.write_text(
            (folder / "serve.toml").read_text().partition("[queue.duel]")[2].join(("[queue.duel]", ""))
        )
    flags = ("--create", "--config", str(path))
    return Served(folder / "apart.db", "--http", "127.0.0.1:0", "--http-rate", "1e6", *flags)


def test_the_life_of_a_server_with_a_queue(served: Served, receiver: Receiver, folder: Path) -> None:
    """One after the other: what one leaves behind, the next one sees."""
    two_who_come_are_matched_accept_and_play(served, receiver)
    events_go_on_where_a_client_was_cut_off(served)
    a_batch_lets_each_ticket_in_or_not(served)
    seats_of_running_matches_are_filled(served)
    how_queues_stand_is_shown(served)
    who_has_no_right_is_refused(served)
    results_and_ratings_are_sent(served, receiver)
    what_admins_do_is_kept(served, folder)
    a_restart_and_another_policy_lose_no_ticket(folder, served)
