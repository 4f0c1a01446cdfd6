"""An evening of ten in as many browsers, with kills of the service: ``python -m benchmarks evening_of_ten``.

Ten phones and the organiser's, each a page of Chromium with storage of its own, play five games and more: one
comes late, one leaves in the middle of a game and another takes the place, one game is drafted by two
captains on their phones, a result is undone, two phones sleep for four games and one has no network when it
is tapped.  All the while the service is killed (SIGKILL) at random moments and begun again.  At the end every
phone must show the same, every game must be kept once, and nobody may be there twice or be missing.
"""

from __future__ import annotations

import contextlib
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.pages.browsers import Browser, why_no_browser
from benchmarks.ports import free_port
from benchmarks.reporting import PAGES, RAW, run_many

from equipoise.archive.archive import open_archive
from equipoise.service.tonight import TonightLinks, opened_evening

KILLS = 50

#: Seconds that a service lives at most between two kills, and that its end may take; and which share of them
#: has answered somebody before.
LONGEST, PATIENCE, SOON = 3.0, 60.0, 0.8

Row = dict[str, Any]

NAMES = ("Amber", "Birch", "Cedar", "Dahlia", "Elm", "Fern", "Gorse", "Hazel", "Iris")

#: Seconds for what a page shows on a machine that does much else, and how often a page is opened.
LONG, OPENINGS = 110.0, 60


class Service:
    """A service on a port of its own that can be killed and begun again."""

    def __init__(self, store: Path) -> None:
        self.port = free_port()
        self.store = store
        self.process: subprocess.Popen[str] | None = None
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

    def answers(self) -> None:
        """Wait until it answers questions about the evening."""
        headers = {"Authorization": f"Bearer {self.links.guests}"}
        address = f"http://127.0.0.1:{self.port}/v1/tonight/{self.links.evening}"
        for _ in range(int(PATIENCE)):
            with contextlib.suppress(OSError):
                request = urllib.request.Request(address, headers=headers)
                with urllib.request.urlopen(request, timeout=PATIENCE):  # noqa: S310  # our own server on loopback
                    return
            time.sleep(1.0)

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
        for _ in range(OPENINGS):  # while the service is away a browser shows a page of its own
            if self._has_come(service.link(name.lower(), organiser=organiser)):
                break

    def _has_come(self, link: str) -> bool:
        """Open the page, and tell whether it has come."""
        try:
            self.browser.open(link)
            self.browser.wait("return document.getElementById('screen')?.childElementCount", seconds=10.0)
        except AssertionError:
            time.sleep(1.0)
            return False
        return True

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
        return self.kept("view")

    def kept(self, name: str) -> Any:
        """Return what the phone keeps of the evening."""
        with self as browser:
            return json.loads(browser.run(f"return localStorage.getItem('equipoise:thursday:{name}')"))

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


def evening_of_ten(
    browser: Browser, service: Service, kill: Callable[[], None], more: Callable[[], bool] = bool,
    everybody_is_in: Callable[[], None] = lambda: None,
) -> Row:  # fmt: skip
    """Play five games, and further ones while ``more`` are wanted; raise AssertionError unless all is right.

    ``kill`` is called between steps, and ``everybody_is_in`` before the first game.
    """
    desk = Phone(browser, service, "desk", organiser=True)
    pasted(desk, "\n".join(NAMES[:7]) + "\nHazel + Iris")
    desk.until("return document.querySelectorAll('.list li').length === arguments[0]", len(NAMES))
    phones = {name: Phone(browser, service, name) for name in NAMES}
    for name, phone in phones.items():
        phone.tap(f"claim {name}")
        phone.until("return document.querySelector('.you')")
    everybody = [desk, *phones.values()]
    everybody_is_in()

    # One game, and a kill between its steps.
    desk.tap("bar go")
    desk.shows("teams", 1)
    kill()
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
    kill()
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
    kill()
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
    kill()
    desk.tap("won 1")
    desk.shows("saved", 5)
    games = 5
    while more():
        games += 1
        desk.tap("bar go")
        desk.shows("teams", games)
        desk.tap("bar go")
        phones["Elm"].shows("playing", games)
        desk.tap(f"won {games % 2}")
        desk.shows("saved", games)
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
    kept = matches(service)
    assert len(kept) == len(set(kept)) == games, f"{games} games were played, {len(kept)} are kept"
    assert sorted(each["name"] for each in last["people"]) == sorted((*NAMES, "Juniper"))
    assert last["last"]["ranks"] == ([1, 2] if games % 2 == 0 else [2, 1])
    return {"games": games, "phones": len(everybody), "revision": last["revision"]}


class Killer(threading.Thread):
    """Kills a service so many times at random moments, and begins it again each time."""

    def __init__(self, service: Service, times: int, seed: int = 0) -> None:
        super().__init__(daemon=True)
        self.kills, self._service, self._times = 0, service, times
        self._rng = random.Random(seed)
        self.fault: Exception | None = None

    def run(self) -> None:
        """Kill and begin."""
        try:
            while self.kills < self._times:
                if self._rng.random() < SOON:  # else it may end before it has answered anybody
                    self._service.answers()
                time.sleep(self._rng.random() * LONGEST)
                self._service.kill()
                self.kills += 1
        except (OSError, AssertionError, subprocess.SubprocessError) as fault:
            self.fault = fault


def measure(kills: int) -> Row:
    """Play one evening with so many kills."""
    with tempfile.TemporaryDirectory() as folder, Browser(360, 640) as browser:
        service = Service(Path(folder) / "night.db")
        killer = Killer(service, kills)
        try:
            played = evening_of_ten(
                browser, service, lambda: None, more=killer.is_alive, everybody_is_in=killer.start
            )
        finally:
            if killer.is_alive():
                killer.join(PATIENCE)
            service.end()
        if killer.fault is not None:
            raise killer.fault
        return {"kills": killer.kills, **played}


def report(results: Row) -> str:
    """Return the page."""
    return f"""\
# An evening of ten in browsers, with kills

`python -m benchmarks evening_of_ten` played this and wrote it; do not edit.

{results["phones"]} pages of Chromium (ten phones and the organiser's) played {results["games"]} games, with \
somebody who came late, somebody who left in the middle of a game and a substitute, a draft, an undo of a \
result, two phones asleep for four games and one without network, while the service was killed (SIGKILL) and \
begun again {results["kills"]} times at random moments.

At the end all pages showed the same, every game was kept once, and nobody was lost or there twice.
"""


def main() -> int:
    """Read the arguments and do what they say."""
    if why := why_no_browser():
        print(f"skipped: {why}", file=sys.stderr)
        return 0
    return run_many(
        __doc__, RAW / "evening_of_ten.json", PAGES / "EVENING_OF_TEN.md", measure, report, kills=KILLS
    )
