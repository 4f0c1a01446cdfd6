"""An evening in ten browsers: taps, naps, no network, kills of the service, and one state at the end."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.pages.browsers import Browser, why_no_browser
from tests.service.process import PATIENCE

from equipoise.archive.archive import open_archive
from equipoise.service.tonight import TonightLinks, opened_evening

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browsers"),
    pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser() or "there is one"),
]

NAMES = ("Amber", "Birch", "Cedar", "Dahlia", "Elm", "Fern", "Gorse", "Hazel", "Iris")

#: Seconds for what a page shows on a machine that does much else.
LONG = 60.0


class Service:
    """A service on a port of its own that can be killed and begun again."""

    def __init__(self, store: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.store, self.process = store, None
        with open_archive(f"sqlite:///{store}") as archive:
            self.links: TonightLinks = opened_evening(archive, "thursday", "Thursday Arena", hours=2.0)
        self.begin()

    def begin(self) -> None:
        """Begin it, and wait until it answers."""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "equipoise", "serve", "--store", f"sqlite:///{self.store}", "--weights",
             "127.0.0.1:0", "--http", f"127.0.0.1:{self.port}", "--http-rate", "1e5"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        assert self.process.stdout is not None
        assert "listening" in self.process.stdout.readline()

    def kill(self) -> None:
        """End it without asking, and begin it again."""
        self.end()
        self.begin()

    def end(self) -> None:
        """End it without asking."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def link(self, phone: str, *, organiser: bool = False) -> str:
        """Return a link for a phone: a host of its own, so that no two phones share what they keep."""
        base = f"http://{phone}.localhost:{self.port}"
        return self.links.organiser_link(base) if organiser else self.links.guests_link(base)


class Phone:
    """A window of a browser that stands for somebody's phone."""

    def __init__(self, browser: Browser, service: Service, name: str, *, organiser: bool = False) -> None:
        self.browser, self.name, self.service = browser, name, service
        self.window = browser.new_window()
        browser.look(360, 640)
        browser.open(service.link(name.lower(), organiser=organiser))

    def __enter__(self) -> Browser:
        self.browser.switch(self.window)
        return self.browser

    def __exit__(self, *_: object) -> None:
        pass

    def tap(self, key: str) -> None:
        """Tap what has a key, as soon as it is there and takes taps."""
        with self as browser:
            self.until("const one = document.querySelector(`[data-key=\"${arguments[0]}\"]`);"
                       " return one && !one.disabled", key)  # fmt: skip
            browser.run('document.querySelector(`[data-key="${arguments[0]}"]`).click()', key)

    def until(self, script: str, *given: Any) -> None:
        """Wait until something is shown."""
        with self as browser:
            browser.wait(script, *given, seconds=LONG)

    def shows(self, phase: str, round_: int) -> None:
        """Wait until a phase of a round is shown."""
        self.until(
            "const view = JSON.parse(localStorage.getItem('equipoise:thursday:view') ?? '{}');"
            "return view.phase === arguments[0] && view.round === arguments[1]", phase, round_,
        )  # fmt: skip

    @property
    def view(self) -> Any:
        """What the phone has heard of the evening last."""
        with self as browser:
            return json.loads(browser.run("return localStorage.getItem('equipoise:thursday:view')"))

    def offline(self, *, off: bool) -> None:
        """Take the network away, or give it back."""
        with self as browser:
            browser.command("Network.enable", {})
            browser.command(
                "Network.emulateNetworkConditions",
                {"offline": off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
            )

    def sleep(self, *, asleep: bool) -> None:
        """Let the page hear nothing, as phones do with the screen off, or wake it."""
        self.offline(off=asleep)
        if not asleep:
            with self as browser:
                browser.run("document.dispatchEvent(new Event('visibilitychange'))")


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Return a service with an evening."""
    service = Service(tmp_path / "night.db")
    yield service
    service.end()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser."""
    with Browser(360, 640) as browser:
        yield browser


def pasted(desk: Phone, text: str) -> None:
    """Let the organiser add names."""
    desk.tap("add")
    with desk as browser:
        browser.run(
            "const area = document.getElementById('paste'); area.value = arguments[0];"
            "area.dispatchEvent(new Event('input')); area.form.requestSubmit();", text,
        )  # fmt: skip


def matches(service: Service) -> list[str]:
    """Return the ids of the matches that count."""
    with open_archive(f"sqlite:///{service.store}") as archive:
        return [match.id for match in archive.matches()]


def test_an_evening_of_ten(browser: Browser, service: Service) -> None:
    """Five games: everybody ends with the same state, and nothing is doubled or lost."""
    desk = Phone(browser, service, "desk", organiser=True)
    pasted(desk, "\n".join(NAMES[:7]) + "\nHazel + Iris")
    desk.until("return document.querySelectorAll('.list li').length === arguments[0]", len(NAMES))
    phones = {name: Phone(browser, service, name) for name in NAMES}
    for name, phone in phones.items():
        phone.tap(f"claim {name}")
        phone.until("return document.querySelector('.you')")
    everybody = [desk, *phones.values()]

    # One game, and a kill between its steps.
    desk.tap("bar go")
    desk.shows("teams", 1)
    service.kill()
    desk.tap("bar go")
    phones["Elm"].shows("playing", 1)
    desk.tap("won 0")
    for phone in everybody:
        phone.shows("saved", 1)

    # Two fall asleep; somebody comes late; a swap; the second game.
    for name in ("Amber", "Birch"):
        phones[name].sleep(asleep=True)
    desk.tap("bar go")
    desk.shows("teams", 2)
    late = Phone(browser, service, "Juniper")
    late.tap("new")
    with late as window:
        window.run(
            "const field = document.getElementById('name'); field.value = 'Juniper';"
            "field.dispatchEvent(new Event('input')); field.form.requestSubmit();"
        )
    everybody.append(late)
    late.until("return document.querySelector('.chip[data-id=\"Juniper\"]')")
    service.kill()
    desk.until("return document.querySelectorAll('.chip').length === 10")
    first, second = desk.view["division"]["teams"][0], desk.view["division"]["teams"][1]
    free = [next(one for one in team if one not in ("Hazel", "Iris")) for team in (first, second)]
    desk.tap(f"chip {free[0]}")
    desk.tap(f"chip {free[1]}")
    desk.until("return document.querySelector('.chip[data-id]') && !document.querySelector('.held')")
    phones["Cedar"].until(
        "const one = document.querySelector(`.chip[data-id='${arguments[0]}']`);"
        " return one && !one.closest('.t1')",
        free[0],
    )
    desk.tap("bar go")
    desk.tap("won 1")
    desk.shows("saved", 2)

    # One has no network: what is tapped is kept, and counts once when it is back.
    phones["Fern"].offline(off=True)
    phones["Fern"].tap("set maybe")
    phones["Fern"].until("return document.body.textContent.includes('Saved here')")
    desk.tap("bar go")
    desk.shows("teams", 3)
    assert "Fern" in json.dumps(desk.view["division"]["teams"])

    # Somebody leaves in the middle of the third game, and another takes the place.
    phones["Dahlia"].tap("set out")
    desk.until("return !document.querySelector('.chip[data-id=\"Dahlia\"]')")
    desk.tap("bar go")
    desk.shows("playing", 3)
    playing = [one for team in desk.view["division"]["teams"] for one in team]
    with desk as window:
        window.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        window.run(
            "for (const [key, who] of Object.entries(arguments[0])) {"
            " const one = document.querySelector(`[data-key=${key}]`); one.value = who;"
            " one.dispatchEvent(new Event('change')); }", {"old": "Gorse", "coming": "Dahlia"},
        )  # fmt: skip
    assert "Gorse" in playing
    desk.tap("substitute now")
    phones["Elm"].until("return document.querySelector('.chip[data-id=\"Dahlia\"]')")
    service.kill()
    phones["Fern"].offline(off=False)
    desk.tap("draw")
    desk.shows("saved", 3)
    desk.until(
        "return JSON.parse(localStorage.getItem('equipoise:thursday:view')).people"
        ".find((one) => one.name === 'Fern').status === 'maybe'"
    )

    # The fourth game is drafted by two captains, each on their own phone; its result is undone once.
    with desk as window:
        window.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    desk.tap("draft")
    for name in ("Cedar", "Elm"):
        desk.tap(f"captain {name}")
    desk.tap("begin draft")
    desk.shows("drafting", 4)
    while desk.view["phase"] == "drafting":
        view = desk.view
        captain = view["captains"][view["turn"]]
        phones[captain].until(
            "return document.querySelectorAll('[data-key^=\"pick \"]:not([disabled])').length"
        )
        phones[captain].tap(f"pick {view['unpicked'][0]}")
        desk.until(
            "return JSON.parse(localStorage.getItem('equipoise:thursday:view')).revision > arguments[0]",
            view["revision"],
        )
    desk.tap("bar go")
    desk.tap("won 0")
    desk.shows("saved", 4)
    desk.tap("undo result")
    desk.shows("playing", 4)
    desk.tap("won 1")
    desk.shows("saved", 4)

    # The fifth, after which the two who slept wake up.
    desk.tap("bar go")
    desk.shows("teams", 5)
    desk.tap("bar go")
    service.kill()
    desk.tap("won 1")
    desk.shows("saved", 5)
    for name in ("Amber", "Birch"):
        phones[name].sleep(asleep=False)
    desk.until(
        "const view = JSON.parse(localStorage.getItem('equipoise:thursday:view'));"
        " return view.last?.changes && view.phase === 'saved'"
    )
    last = desk.view
    for phone in everybody:
        phone.until(
            "return JSON.parse(localStorage.getItem('equipoise:thursday:view')).revision === arguments[0]",
            last["revision"],
        )
        assert phone.view == last
    assert len(matches(service)) == 5
    assert sorted(each["name"] for each in last["people"]) == sorted((*NAMES, "Juniper"))
    assert last["last"]["ranks"] == [2, 1]


def test_a_swap_of_28_is_shown_at_once(browser: Browser, service: Service) -> None:
    """A tap on one of 28 players shows what each swap would do, in one turn of the page."""
    desk = Phone(browser, service, "desk", organiser=True)
    pasted(desk, "\n".join(f"{chr(65 + n % 14)}{'ab'[n // 14] * 4}" for n in range(28)))
    desk.until("return document.querySelectorAll('.list li').length === 28")
    desk.tap("bar go")
    desk.until("return document.querySelectorAll('.chip').length === 28")
    with desk as window:
        shown = window.run(
            "document.querySelector('.chip').click(); return document.querySelectorAll('.would').length"
        )
    assert shown == 14
