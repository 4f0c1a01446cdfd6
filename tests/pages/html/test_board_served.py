"""The board as a service shows it: it asks for what it cannot prove, and reports who won."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from benchmarks.pages.browsers import Browser, why_no_browser

from equipoise import BalanceRequest, balance
from equipoise.pages.html.board import board_html

pytestmark = pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser() or "there is one")


class Service(BaseHTTPRequestHandler):
    """What a service answers, from the library."""

    asked: list[tuple[str, Any, str]] = []  # noqa: RUF012  # what all requests of a test leave

    def do_GET(self) -> None:
        """Give the page, the rulesets, or people."""
        if self.path == "/v1/rulesets":
            oa = {"ruleset": "oa/ctf", "game": "oa", "game_type": "ctf", "mutators": []}
            self._answer(200, json.dumps({"rulesets": [{**oa, "ruleset": "", "game": ""}, oa]}).encode())
        elif self.path.startswith("/v1/players"):
            self._answer(200, b'{"players": [{"id": "a1", "name": "Ann", "weight": 61.5}]}')
        else:
            page = board_html("v1/balance", "v1/results", "v1/")
            self._answer(200, page.encode(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """Divide, or take a result."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, body, self.headers.get("Authorization", "")))
        if self.path == "/v1/balance":
            self._answer(200, json.dumps(balance(BalanceRequest.from_dict(body)).as_dict()).encode())
        elif self.path == "/v1/who":
            known = {"Ann": ["a1"], "Max": ["m1", "m2"]}
            people = [
                {"name": name, "id": ids[0] if len(ids) == 1 else None,
                 "candidates": [{"id": each, "name": name, "weight": 61.5} for each in ids]}
                for name in body["names"] for ids in (known.get(name, []),)
            ]  # fmt: skip
            self._answer(200, json.dumps({"people": people}).encode())
        else:
            ids = {body["id"] for path, body, _ in self.asked[:-1] if path == "/v1/results"}
            named = [one["id"] for team in body["teams"] for one in team]
            new = [name for name in named if name not in ("a1", "Kim")]  # whom the archive has forgotten
            self._answer(201, json.dumps({"new": body["id"] not in ids, "new_players": new}).encode())

    def _answer(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:  # type: ignore[override]
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Return the address of the service."""
    with HTTPServer(("127.0.0.1", 0), Service) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/board.html"
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_the_service_proves_and_keeps_results(address: str) -> None:
    """Thirty players in two teams are proven by the service; who won goes there with the token."""
    with Browser() as browser:
        browser.open(address)
        browser.wait("return document.querySelector('.team')")
        assert Service.asked == []  # eight players are proven by the page itself
        names = "\\n".join(f"p{n} {n}" for n in range(30))
        browser.run(f"document.getElementById('text').value = '{names}'; typed()")
        browser.wait("return document.getElementById('status').textContent.endsWith('Proven by the server.')")
        assert "by the server" in browser.run("return document.getElementById('status').textContent")
        assert [path for path, *_ in Service.asked] == ["/v1/balance"]
        browser.tap(".lock")
        browser.tap("#solve")
        browser.wait("return state.problem.request.fixed.length && state.status === 'server'")
        assert [len(body.get("fixed", {})) for _, body, _ in Service.asked] == [0, 1]
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        browser.run("document.getElementById('token').value = 'secret'")
        teams = browser.run(
            "return [0, 1].map((team) => byPlayer(state.labels).filter((one) => one === team).length)"
        )
        browser.tap("#played button:nth-child(2)")
        browser.wait("return document.getElementById('said').textContent.startsWith('The result is kept.')")
        path, body, authorization = Service.asked[-1]
        assert (path, authorization, body["ranks"]) == ("/v1/results", "Bearer secret", [2, 1])
        assert [len(team) for team in body["teams"]] == teams
        assert browser.log() == []


@pytest.mark.slow
def test_who_is_forgotten_is_nobody_new(address: str) -> None:
    """The service says who is; before a result nobody is called new."""
    said = "return document.getElementById('said').textContent"
    with Browser() as browser:
        browser.open(address)
        browser.wait("return document.querySelector('.team')")
        browser.run("document.getElementById('text').value = 'Ann\\nKim'; typed(); void rated()")
        browser.wait("return document.getElementById('text').value.startsWith('Ann 615')")
        browser.wait("return state.problem.request.players.length === 2")
        assert browser.run(said) == "not known: Kim"  # the teams that are made meanwhile do not take it away
        browser.run("document.getElementById('text').value = 'Ann 615\\nKim 500'; typed()")
        browser.run("void report(0)")
        browser.wait(f"{said}.startsWith('The result is kept.')")
        assert "Kim" not in browser.run(said)


@pytest.mark.slow
def test_results_are_of_known_people_and_count_once(address: str) -> None:
    """Names become ids, a name of several is a question, who is new is named, the buttons rest."""
    Service.asked.clear()
    said = "return document.getElementById('said').textContent"
    with Browser() as browser:
        browser.open(address)
        browser.wait("return document.querySelector('.team')")
        browser.run("document.getElementById('text').value = 'Ann\\nMax\\nElm17'; typed(); void rated()")
        browser.wait(f"{said}.includes('Write the id')")
        assert (
            "Max is the name of several: m1 (Max), m2 (Max). Write the id. not known: Elm17"
            in browser.run(said)
        )
        assert browser.run("return document.getElementById('text').value").splitlines()[0] == "Ann 615"
        browser.run("document.getElementById('text').value = 'Ann 615\\nElm17 500'; typed()")
        browser.wait("return state.problem.request.players.length === 2")
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        browser.tap("#played button:nth-child(1)")
        browser.wait(f"{said}.startsWith('The result is kept. new: Elm17')")
        assert browser.run(
            "return [...document.querySelectorAll('#played button')].every((one) => one.disabled)"
        )
        browser.run("void report(0)")
        browser.wait(f"{said}.includes('counts once')")
        first, second = (body for path, body, _ in Service.asked if path == "/v1/results")
        assert first == second
        assert sorted(one["id"] for team in first["teams"] for one in team) == ["Elm17", "a1"]
        assert (first["game"], first["game_type"]) == ("oa", "ctf")
        assert browser.log() == []
