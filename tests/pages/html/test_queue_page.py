"""The page of a queue in real browsers: from the link to the end of a match, alone and as a party."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.pages.browsers import Browser, why_no_browser
from benchmarks.ports import free_port
from tests.pages.html.axe import complaints, source
from tests.pages.html.hostile import HOSTILE
from tests.service.http.asking import ask
from tests.service.process import TOKEN, Served

from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browsers"),
    pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser() or "there is one"),
]

#: Ids of people, and their names: those that would break a careless page among them.
PEOPLE = {
    "a1": "Ann", "b1": "Bob", "c1": "Cid", "d1": "Dee",
    **{f"h{number}": name for number, name in enumerate(HOSTILE) if name.strip()},
}  # fmt: skip

SETTINGS = """
[queue.duo]
team_size = 2
tolerance = 1e6
imbalance = 0.49
most_imbalance = 0.49
accept_within = 600
longest_wait = 120
tick = 0.1
join = "spring"

[queue.solo]
team_size = 1
join = "spring"
"""


class Service:
    """A server that can be killed and begun again on its port."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        with open_archive(f"sqlite:///{folder / 'games.db'}") as archive:
            for number, (player, name) in enumerate(PEOPLE.items()):
                contest = Contest(Ruleset("oa", "ctf"), ((player,), ("zed",)), (1, 2))
                names = ((player, name), ("zed", "Zed"))
                archive.record([Match((contest,), ended=1e9 - number, id=f"m{number}", names=names)])
            archive.update_ratings()
        (folder / "serve.toml").write_text(SETTINGS)
        self.begin()
        self.keys = {
            queue: self.api(f"{queue}/link")["link"].partition("#k=")[2] for queue in ("duo", "solo")
        }

    def begin(self) -> None:
        """Begin it."""
        flags = ("--config", str(self.folder / "serve.toml"), "--http-rate", "1e6")
        self.served = Served(self.folder / "games.db", "--http", f"127.0.0.1:{self.port}", *flags)

    def kill(self) -> None:
        """End it without asking, and begin it again."""
        self.served.end(signal.SIGKILL)
        self.begin()

    def api(self, path: str, body: Any = None, method: str | None = None, key: str = TOKEN) -> Any:
        """Ask as the game's backend does, or whoever has another key."""
        url = f"http://127.0.0.1:{self.port}/v1/queues/{path}"
        return ask(url, body, method, Authorization=f"Bearer {key}").plain


class Phone:
    """A window with storage of its own: each host is a device."""

    def __init__(self, browser: Browser, service: Service, name: str, queue: str = "duo") -> None:
        self.browser, self.window = browser, browser.new_window()
        browser.look(360, 640)
        browser.open(f"http://{name}.localhost:{service.port}/queue/{queue}#k={service.keys[queue]}")
        self.until("return document.querySelector('.names button, .you')")

    def run(self, script: str, *given: Any) -> Any:
        """Run a script in the page."""
        self.browser.switch(self.window)
        return self.browser.run(script, *given)

    def until(self, script: str, *given: Any) -> Any:
        """Wait until something is shown; where it never is, say what is."""
        self.browser.switch(self.window)
        try:
            return self.browser.wait(script, *given, seconds=110.0)
        except AssertionError:
            shown = self.run("return document.body.outerHTML")[-3000:]
            pytest.fail(f"{script} {given}: {shown} {self.browser.log()}")

    def tap(self, key: str) -> None:
        """Tap what has a key, once it is there and takes taps."""
        self.until(
            "const one = document.querySelector(`[data-key=\"${arguments[0]}\"]`);"
            " return one && !one.disabled", key,
        )  # fmt: skip
        self.run('document.querySelector(`[data-key="${arguments[0]}"]`).click()', key)

    def reads(self, text: str) -> None:
        """Wait until a text is shown."""
        self.until("return document.getElementById('screen').textContent.includes(arguments[0])", text)

    @property
    def ticket(self) -> Any:
        """What the device keeps of its ticket."""
        return json.loads(self.run("return localStorage.getItem('equipoise:queue:duo:ticket')"))

    def is_whole(self) -> None:
        """Nothing is wider than the screen, no name was markup, and the console is empty."""
        for width in (320, 360):
            self.browser.look(width, 640)
            assert self.run("return document.documentElement.scrollWidth") <= width
        assert "owned" not in self.run("return document.title")
        log = [line for line in self.browser.log() if "Failed to load resource" not in line]
        assert log == []


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service with two queues."""
    service = Service(tmp_path_factory.mktemp("queue"))
    yield service
    service.served.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser."""
    with Browser(360, 640) as browser:
        yield browser


def test_from_the_link_to_the_end_of_a_match(browser: Browser, service: Service) -> None:
    """A party of two by a code and two alone: one match, accepted on four phones; a kill loses nobody."""
    ann, bob, cid, dee = (Phone(browser, service, name) for name in ("ann", "bob", "cid", "dee"))
    for phone, player in ((ann, "a1"), (bob, "b1"), (cid, "c1"), (dee, "d1")):
        phone.tap(f"me {player}")
        phone.until("return document.querySelector('.you')")
    ann.tap("party")
    ann.until("return document.querySelector('.code')")
    code = ann.run("return document.querySelector('.code').textContent")
    bob.tap("code")
    bob.run(
        "const one = document.getElementById('code'); one.value = arguments[0].toLowerCase();"
        "one.dispatchEvent(new Event('input')); one.form.requestSubmit();", code,
    )  # fmt: skip
    bob.reads("Whoever began it lets you all in.")
    ann.reads("Bob")
    ann.is_whole()
    service.kill()  # a party that gathers is known again by its members
    kept = json.loads(ann.run("return localStorage.getItem('equipoise:queue:duo:party')"))
    here = {"who": kept["you"], "code": kept["code"], "token": kept["token"]}
    while len(service.api("duo/page/party", here, key=service.keys["duo"])["people"]) < 2:
        assert service.served.process.poll() is None
    while not ann.run("return document.getElementById('screen').textContent.includes('You wait')"):
        ann.until("return document.querySelector('.bar .go').textContent === 'Join as 2'")
        ann.tap("bar go")  # whoever taps too early is told that the party is another one
        ann.until("return document.querySelector('.bar .go')?.disabled === false")
    for phone in (ann, bob):
        phone.reads("2 of 4 players are here.")
        phone.reads("anybody will do")
        phone.is_whole()
    assert ann.ticket["ticket"] == bob.ticket["ticket"]
    assert ann.ticket["capability"] != bob.ticket["capability"]
    cid.tap("bar go")
    cid.reads("3 of 4 players are here.")
    cid.reads("1 came before you.")
    service.kill()
    dee.tap("bar go")
    for phone in (ann, bob, cid, dee):
        phone.reads("A match for you")
        phone.until("return document.querySelectorAll('.team .chip').length === 4")
        assert phone.run("return document.querySelector('.level').ariaLabel").startswith("Even")
        phone.is_whole()
    teams = ann.run(
        "return [...document.querySelectorAll('.team')].map((team) =>"
        " [...team.querySelectorAll('bdi')].map((name) => name.textContent))"
    )
    assert sorted(map(sorted, teams)) == [["Ann", "Bob"], ["Cid", "Dee"]]
    for phone in (ann, bob, cid):
        phone.tap("bar go")
        phone.reads("You are in")
    service.kill()
    cid.reads("The others are being asked.")
    dee.tap("bar go")
    for phone in (ann, bob, cid, dee):
        phone.reads("Have a good game")
    for phone in (ann, bob, cid):
        phone.tap("bar go")
    ann.reads("Well played.")
    cid.reads("Well played.")
    dee.reads("Have a good game")
    dee.tap("bar go")
    dee.reads("Well played.")
    assert service.api("duo/matches") == {"matches": []}
    cid.tap("bar go")
    cid.reads("Nobody waits yet.")


def test_who_did_not_decline_waits_on(browser: Browser, service: Service) -> None:
    """Also who left before, and who opens the page anew; a name that waits is refused on another device."""
    phone = Phone(browser, service, "eve")
    phone.tap("new")
    phone.run(
        "const one = document.getElementById('name'); one.value = 'Eve';"
        "one.dispatchEvent(new Event('input')); one.form.requestSubmit();"
    )
    phone.tap("bar go")
    phone.reads("1 of 4 players are here.")
    other = Phone(browser, service, "other", "solo")
    other.tap("new")
    other.run(
        "const one = document.getElementById('name'); one.value = 'Eve';"
        "one.dispatchEvent(new Event('input')); one.form.requestSubmit();"
    )
    other.tap("bar go")
    other.reads("of the queue 'duo' already")
    tickets = [{"id": f"t{n}", "players": [{"id": f"p{n}"}]} for n in range(3)]
    service.api("duo/tickets:batch", {"tickets": tickets})
    phone.reads("A match for you")
    match = service.api("duo/matches")["matches"][0]["match"]
    service.api("duo/tickets/t0/decline", {"match": match})
    phone.reads("You are in front again, with all your waiting time.")
    phone.run("location.reload()")
    phone.reads("3 of 4 players are here.")
    phone.tap("bar leave")
    phone.reads("You have left.")
    for n in (1, 2):
        service.api(f"duo/tickets/t{n}", method="DELETE")


def test_names_are_never_markup(browser: Browser, service: Service) -> None:
    """The worst names are listed, found, joined with, and shown to others as they are."""
    phone = Phone(browser, service, "worst")
    phone.is_whole()
    listed = phone.run("return document.querySelectorAll('.names button').length")
    assert listed >= len(HOSTILE)
    for player in ("h0", "h4", "h11"):
        phone.tap(f"me {player}")
        phone.until("return document.querySelector('.you')")
        phone.tap("bar go")
        phone.reads("of 4 players are here.")
        phone.is_whole()
        phone.tap("bar leave")
        phone.tap("bar go")
        phone.tap("not you")
        phone.until("return document.querySelector('.names button')")


def test_a_link_that_is_no_longer_good_says_so(browser: Browser, service: Service) -> None:
    """Nor is one that nobody has a key of; one that is opened in their tab counts at once."""
    window = browser.new_window()
    for name, key, words in (("old", "#k=" + 24 * "0", "no longer good"), ("none", "", "Open the link")):
        browser.open(f"http://{name}.localhost:{service.port}/queue/duo{key}")
        browser.wait("return document.body.textContent.includes(arguments[0])", words, seconds=60.0)
        good = f"http://{name}.localhost:{service.port}/queue/duo#k={service.keys['duo']}"
        browser.run("location.href = arguments[0]", good)
        browser.wait("return document.querySelector('.names button')", seconds=60.0)
        assert browser.run("return location.hash") == ""
    assert window


@pytest.mark.parametrize("dark", [False, True])
def test_everybody_can_use_it(browser: Browser, service: Service, tmp_path: Path, dark: bool) -> None:
    """axe-core finds nothing on any screen, in either scheme."""
    axe = source(tmp_path)
    phone = Phone(browser, service, f"axe{dark}".lower())
    browser.look(360, 640, dark=dark)
    assert complaints(browser, axe) == []
    phone.tap("me b1")
    phone.until("return document.querySelector('.you')")
    phone.tap("code")
    assert complaints(browser, axe) == []
    phone.tap("party")
    phone.until("return document.querySelector('.code')")
    assert complaints(browser, axe) == []
    phone.tap("bar go")
    phone.reads("1 of 4 players are here.")
    assert complaints(browser, axe) == []
    tickets = [{"id": f"x{n}{dark}", "players": [{"id": f"q{n}"}]} for n in range(3)]
    service.api("duo/tickets:batch", {"tickets": tickets})
    phone.reads("A match for you")
    assert complaints(browser, axe) == []
    phone.tap("bar other")
    phone.reads("You or your party declined the match.")
    assert complaints(browser, axe) == []
    for n in range(3):
        service.api(f"duo/tickets/x{n}{dark}", method="DELETE")
