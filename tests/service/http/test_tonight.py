"""Evenings over HTTP: whose link opens what, how fast somebody may tap, and who hears of it."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.service.http.asking import Answered, ask
from tests.service.process import Served

from equipoise.archive.archive import open_archive
from equipoise.pages.html.tonight import FILES
from equipoise.service.tonight import TonightLinks, opened_evening, renewed_links

DEVICE = "0123456789abcdef"


class Doors:
    """A server with two evenings, and what opens them."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder}/night.db"
        with open_archive(self.url) as archive:
            self.links = {
                name: opened_evening(archive, name, name, hours=1.0) for name in ("one", "other", "old")
            }
            self.old = opened_evening(archive, "old", "old", hours=-1.0)
        self.served = Served(
            folder / "night.db",
            "--http",
            "127.0.0.1:0",
            "--wrong-token-seconds",
            "0.001",
            "--http-rate",
            "1e5",
        )

    def ask(self, evening: str, path: str = "", body: Any = None, key: str = "") -> Answered:
        """Ask about an evening."""
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return ask(f"{self.served.http}/v1/tonight/{evening}{path}", body, **headers)

    def tap(self, key: str, *steps: dict[str, Any], device: str = DEVICE, evening: str = "one") -> Answered:
        """Tap."""
        taps = [{"id": f"{device[:8]}-{hash(json.dumps(step)) % 10**12:013}", **step} for step in steps]
        return self.ask(evening, "/taps", {"device": device, "taps": taps}, key)

    def heard(self, key: str, last: str = "", events: int = 1) -> list[dict[str, Any]]:
        """Return the next events of an evening."""
        headers = {"Authorization": f"Bearer {key}", **({"Last-Event-ID": last} if last else {})}
        request = urllib.request.Request(f"{self.served.http}/v1/tonight/one/stream", headers=headers)  # noqa: S310
        found = []
        with urllib.request.urlopen(request, timeout=30) as stream:  # noqa: S310
            while len(found) < events:
                line = stream.readline()
                if line.startswith(b"data: "):
                    found.append(json.loads(line[6:]))
        return found


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    """Return the server."""
    doors = Doors(tmp_path_factory.mktemp("tonight"))
    yield doors
    code, _ = doors.served.end()
    assert code == 0


def keys(links: TonightLinks) -> tuple[str, str, str]:
    """Return the three keys of an evening."""
    return links.organiser, links.guests, links.code


def test_each_key_opens_its_evening_alone(doors: Doors) -> None:
    """Links and code words of one evening open no other one; nothing and nonsense open none."""
    for name, other in (("one", "other"), ("other", "one")):
        for key in keys(doors.links[name]):
            assert doors.ask(name, key=key).status == 200
            assert doors.ask(other, key=key).status == 401
            assert doors.ask("none", key=key).status == 401
    for key in ("", "x", "*", "a" * 5000):
        for path, body in (("", None), ("/taps", {"device": DEVICE, "taps": []}), ("/regulars", None)):
            assert doors.ask("one", path, body, key).status == 401


def test_an_expired_link_opens_nothing(doors: Doors) -> None:
    """The answer says that it has expired."""
    answer = doors.ask("old", key=doors.old.organiser)
    assert (answer.status, answer.plain["type"]) == (403, "urn:equipoise:problem:expired")


def test_the_code_word_finds_the_evening(doors: Doors) -> None:
    """However it is typed; a wrong one finds none."""
    links = doors.links["one"]
    for typed in (links.code, links.code.upper().replace("-", " ")):
        assert ask(f"{doors.served.http}/v1/tonight", {"code": typed}).plain == {"evening": "one"}
    assert ask(f"{doors.served.http}/v1/tonight", {"code": "zzzz-zzzz"}).status == 404


def test_a_guest_does_not_organise(doors: Doors) -> None:
    """With a guests' link or the code word every power of the organiser is refused, over HTTP too."""
    links = doors.links["other"]
    for key in (links.guests, links.code):
        for kind in (
            "divide",
            "add",
            "play",
            "result",
            "settings",
            "end",
            "redo",
            "draft",
            "exactly",
            "keys",
            "open",
        ):
            answer = doors.tap(key, {"type": kind, "text": "Ann", "by": "organiser"}, evening="other")
            (tap,) = answer.plain["taps"]
            assert tap["status"] == "refused", kind
    assert doors.ask("other", key=links.organiser).plain["people"] == []


def test_everybody_hears_of_a_tap_and_whoever_slept_of_the_last(doors: Doors) -> None:
    """The newest view comes first, with the revision that a phone may name when it wakes."""
    links = doors.links["one"]
    (before,) = doors.heard(links.guests)
    assert doors.tap(links.guests, {"type": "claim", "name": "Ann"}).plain["taps"][0]["status"] == "done"
    (after,) = doors.heard(links.organiser, str(before["revision"]))
    assert [each["name"] for each in after["people"]] == ["Ann"]
    assert after["revision"] > before["revision"]
    assert DEVICE not in json.dumps(after)


def test_a_replayed_tap_is_known(doors: Doors) -> None:
    """The same bytes again change nothing; the same id of another device is another tap."""
    key = doors.links["one"].guests
    step = {"type": "claim", "name": "Bob"}
    statuses = [doors.tap(key, step).plain["taps"][0]["status"] for _ in range(3)]
    assert statuses == ["done", "known", "known"]
    assert doors.tap(key, step, device="f" * 16).plain["taps"][0]["status"] == "done"
    bob = next(each for each in doors.ask("one", key=key).plain["people"] if each["name"] == "Bob")
    assert bob["asked"]


def test_an_id_that_another_tap_had_is_refused(doors: Doors) -> None:
    """With 409 and a sentence; the other taps of the request are done, and the first one stays known."""
    key, device = doors.links["one"].guests, "used-id-" * 2
    first = {"id": "used-id-1", "type": "claim", "name": "Quince"}
    body = {"device": device, "taps": [first]}
    assert doors.ask("one", "/taps", body, key).plain["taps"][0]["status"] == "done"
    other = {**first, "type": "status", "who": "Quince", "status": "out"}
    taps = [first, other, {"id": "used-id-2", "type": "status", "who": "Quince", "status": "maybe"}]
    answer = doors.ask("one", "/taps", {"device": device, "taps": taps}, key)
    assert (answer.status, answer.plain["type"]) == (409, "urn:equipoise:problem:conflict")
    assert "used-id-1" in answer.plain["detail"]
    assert [each["status"] for each in answer.plain["taps"]] == ["known", "conflict", "done"]
    (quince,) = (each for each in doors.ask("one", key=key).plain["people"] if each["id"] == "Quince")
    assert quince["status"] == "maybe"
    again = doors.ask("one", "/taps", {"device": device, "taps": [dict(reversed(first.items()))]}, key)
    assert (again.status, again.plain["taps"][0]["status"]) == (200, "known")


def test_a_flood_of_one_device_is_held_back(doors: Doors) -> None:
    """So are many devices of one address; others go on."""
    key = doors.links["one"].guests
    statuses = set()
    for n in range(60):
        body = {"device": "flood-flood-flood", "taps": [{"id": f"flood-{n:06}", "type": "status"}]}
        statuses.add(doors.ask("one", "/taps", body, key).status)
    assert statuses == {200, 429}
    assert doors.ask("one", key=key).status == 200


@pytest.mark.parametrize(
    "body", [{}, {"device": "short", "taps": []}, {"device": DEVICE}, {"device": DEVICE, "taps": [3]},
             {"device": DEVICE, "taps": [{"type": "claim"}]}, {"device": DEVICE, "taps": [{"id": 7}]}, []],
    ids=str,
)  # fmt: skip
def test_a_wrong_body_is_refused(doors: Doors, body: Any) -> None:
    """With the place of the mistake."""
    assert doors.ask("one", "/taps", body, doors.links["one"].guests).status == 422


def test_revoked_links_open_nothing_and_end_the_stream(doors: Doors) -> None:
    """Who listens is told that it is over; the new links open the evening that goes on."""
    before = doors.links["other"]
    assert doors.ask("other", key=before.guests).status == 200
    with open_archive(doors.url) as archive:
        now = renewed_links(archive, "other", hours=1.0)
    tap = {"type": "claim", "name": "Late"}
    assert doors.tap(before.guests, tap, evening="other").status == 401  # the very first request after it
    assert doors.ask("other", key=before.guests).status == 401
    found = doors.ask("other", key=now.guests)
    assert found.status == 200
    assert "Late" not in repr(found.body)


def test_the_page_is_small_and_holds_nothing_within(doors: Doors) -> None:
    """It loads its own files alone, compressed; an unchanged one is answered by 304."""
    total = 0
    for path in (
        "tonight/one",
        "style.css",
        *(f"tonight/{name}" for name in FILES["tonight"]),
    ):
        address = f"{doors.served.http}/{path}"
        request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})  # noqa: S310
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            body = answer.read()
            assert answer.headers["content-encoding"] == "gzip"
            total += len(body)
            if path == "tonight/one":
                policy = answer.headers["content-security-policy"]
            etag = answer.headers["etag"]
        assert ask(address, **{"If-None-Match": etag}).status == 304
    assert "unsafe" not in policy
    assert "sha256" not in policy
    assert total < 40_000
