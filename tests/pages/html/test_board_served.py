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
        """Give the page."""
        self._answer(200, board_html("v1/balance", "v1/results").encode(), "text/html; charset=utf-8")

    def do_POST(self) -> None:
        """Divide, or take a result."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, body, self.headers.get("Authorization", "")))
        if self.path == "/v1/balance":
            self._answer(200, json.dumps(balance(BalanceRequest.from_dict(body)).as_dict()).encode())
        else:
            self._answer(201, b'{"new": true}')

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
        browser.wait("return document.getElementById('status').textContent.startsWith('Proven')")
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
        browser.wait("return document.getElementById('said').textContent === 'The result is kept.'")
        path, body, authorization = Service.asked[-1]
        assert (path, authorization, body["ranks"]) == ("/v1/results", "Bearer secret", [2, 1])
        assert [len(team) for team in body["teams"]] == teams
        assert browser.log() == []
