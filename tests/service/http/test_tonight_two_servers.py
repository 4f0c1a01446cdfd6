"""One evening that two servers show: wherever people tap and whichever dies, everybody sees the same."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from tests.service.http.asking import ask
from tests.service.process import Served

from equipoise.archive.archive import open_archive
from equipoise.service.tonight import opened_evening

pytestmark = pytest.mark.slow

PEOPLE = [f"Player {letter}" for letter in "ABCD"]


class Page:
    """The page of the evening as one of the servers gives it, opened by a link."""

    def __init__(self, served: Served, key: str) -> None:
        self.url = f"{served.http}/v1/tonight/one"
        self.header = {"Authorization": f"Bearer {key}"}

    def tap(self, number: int, kind: str, device: str = "desk", **given: Any) -> str:
        """Tap, and return what became of it."""
        taps = [{"id": f"tap-{number:013}", "type": kind, **given}]
        body = {"device": device.ljust(16, "0"), "taps": taps}
        while (answer := ask(f"{self.url}/taps", body, **self.header)).status in (429, 503):
            pass
        (tap,) = answer.plain["taps"]
        status: str = tap["status"]
        return status

    @property
    def view(self) -> dict[str, Any]:
        """What the page shows."""
        found: dict[str, Any] = ask(self.url, **self.header).plain
        return found


def shown(view: dict[str, Any]) -> tuple[Any, ...]:
    """Return what must be the same on both."""
    division = view["division"] and (view["division"]["id"], view["division"]["teams"])
    return [each["name"] for each in view["people"]], view["phase"], division, view["last"]


def at_once(*steps: Callable[[], Any]) -> None:
    """Take steps at once, and wait for all of them."""
    taking = [threading.Thread(target=each) for each in steps]
    for each in taking:
        each.start()
    for each in taking:
        each.join()


def test_two_servers_have_one_evening(new_url: Callable[[], str]) -> None:
    """Taps at once on both, the same tap on both, and a server that is killed between two taps."""
    url = new_url()
    with open_archive(url, create=True) as archive:
        links = opened_evening(archive, "one", "One", hours=1.0)
    servers = [Served(url, "--http", "127.0.0.1:0", "--http-rate", "1e5") for _ in range(2)]
    try:
        organisers = [Page(each, links.organiser) for each in servers]
        guests = [Page(each, links.guests) for each in servers]

        def come(number: int) -> None:
            """Claim a name on one server, and send the same tap to the other one."""
            became.extend(
                page.tap(number, "claim", f"phone{number}", name=PEOPLE[number], sure=True)
                for page in (guests[number % 2], guests[1 - number % 2])
            )

        became: list[str] = []
        at_once(*(partial(come, number) for number in range(len(PEOPLE))))
        assert sorted(became) == sorted(["done", "known"] * len(PEOPLE))
        assert sorted(each["name"] for each in organisers[0].view["people"]) == PEOPLE
        assert organisers[0].tap(100, "divide") == "done"
        assert shown(organisers[0].view) == shown(organisers[1].view)
        match = organisers[1].view["division"]["id"]
        assert organisers[1].tap(101, "play", match=match) == "done"
        at_once(
            *(partial(organisers[n].tap, 102 + n, "result", match=match, scores=[n, 1 - n]) for n in range(2))
        )
        assert organisers[1].view["last"]["match"] == match
        assert organisers[0].tap(104, "divide") == "done"
        seen = shown(organisers[0].view)
        servers[0].process.send_signal(signal.SIGKILL)
        servers[0].process.wait()
        assert shown(organisers[1].view) == seen
        assert organisers[1].tap(104, "divide") == "known"
        assert organisers[1].tap(105, "play", match=seen[2][0]) == "done"
        assert organisers[1].tap(106, "result", match=seen[2][0], scores=[3, 1]) == "done"
    finally:
        servers[0].process.kill()
        code, _ = servers[1].end()
        servers[0].process.communicate()
    assert code == 0
    with open_archive(url) as archive:
        assert [each.id for each in archive.matches()] == [match, seen[2][0]]
