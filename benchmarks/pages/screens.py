"""Every screen and state in a browser: what axe finds, what is too wide, taps, and how soon a swap shows.

Evenings at each point of a night, the board, and every page of an archive, whose people have names that mean
harm, are opened at 320, 360, 390 and 1280 pixels in light and dark.

``python -m benchmarks screens`` measures and writes SCREENS.md; ``--pictures FOLDER`` keeps pictures.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.pages.browsers import Browser, why_no_browser
from benchmarks.pages.lighthouse import GAMES, PEOPLE, RULESET, games
from benchmarks.reporting import PAGES, RAW, add_modes, keep
from benchmarks.service.processes import LOOPBACK, Server, serve

from equipoise.archive.archive import open_archive
from equipoise.core.rulesets import ruleset_text
from equipoise.pages.html.site import slug
from equipoise.service.tonight import Evenings, Tap, TonightLinks, opened_evening, renewed_links

#: Widths that nothing may be beyond, the height of a phone, and the sizes that axe looks at in both schemes.
WIDTHS, HEIGHT, LOOKED_AT = (320, 360, 390, 1280), 640, (360, 1280)

#: How many times as slow a slow phone is, milliseconds for a preview, and players of one.
SLOWER, AT_ONCE, MANY = 4, 50.0, 28

#: Seconds for what a page shows on a machine that does much else.
LONG = 90.0

#: The version of axe-core, and what it is asked for besides its usual rules.
AXE = "axe-core@4"
ALSO = "{ rules: { 'label-content-name-mismatch': { enabled: true }, 'target-size': { enabled: true } } }"

NAMES = ("Amber", "Birch", "Cedar", "Dahlia", "Elm", "Fern", "Gorse", "Hazel", "Iris", "Juniper")

#: Names of 40 letters, right to left, of several signs to a letter, and of markup.
HOSTILE = (
    "W" * 40, "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd", "\u0645\u0631\u062d\u0628\u0627 123",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466\U0001f3f3\ufe0f\u200d\U0001f308",
    "<b>x</b><img src=x onerror=alert(1)>", "\"'`&amp;${7*7}{{7*7}}", "\u202eevil\u202c\u2066x", "@everyone",
    "a\u0301\u0302\u0303" * 9, "i i i i i i i i i i i i i i i i i i i i",
)  # fmt: skip

Row = dict[str, Any]


@dataclass(frozen=True)
class Screen:
    """A screen in a state.

    Parameters
    ----------
    names : sequence of str
        Who is in.
    steps : sequence of (str, mapping)
        What the organiser has done; a value that is callable is asked with the evening as pages see it.
    guest : bool
        Whether a guest looks at it.
    taps : sequence of str
        The keys of what is tapped, one after the other.
    script : str
        What is done in the page besides.
    """

    names: Sequence[str] = NAMES
    steps: Sequence[tuple[str, Mapping[str, Any]]] = ()
    guest: bool = False
    taps: Sequence[str] = ()
    script: str = ""
    more: Mapping[str, Any] = field(default_factory=dict)


def match_of(view: Any) -> str:
    """Return the match in view."""
    return str(view["division"]["id"])


def captains(view: Any) -> list[str]:
    """Return two captains."""
    return [each["id"] for each in view["people"][:2]]


DIVIDE = ("divide", {})
PLAY = ("play", {"match": match_of})
WON = ("result", {"match": match_of, "scores": [21, 17]})
PARTY = ("party", {"who": lambda view: [each["id"] for each in view["people"][:2]]})
LOCK = ("lock", {"match": match_of, "who": lambda view: view["division"]["teams"][0][0]})
SETTINGS = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"

#: The screens of an evening.
TONIGHT: Mapping[str, Screen] = {
    "first visit": Screen(guest=True),
    "first visit, a new name": Screen(guest=True, taps=("new",)),
    "first visit, a name like another": Screen(guest=True, taps=("new",), script=(
        "const one = document.getElementById('name'); one.value = 'Ambr';"
        "one.dispatchEvent(new Event('input')); one.form.requestSubmit();")),
    "first visit, full": Screen(guest=True, steps=[("settings", {"teams": 2, "size": 5})]),
    "first visit, nobody yet": Screen(names=(), guest=True),
    "who is in, guest": Screen(guest=True, taps=("claim Fern",)),
    "who is in, maybe": Screen(guest=True, taps=("claim Fern", "set maybe")),
    "a seat that is asked for": Screen(guest=True, more={"seat": "Fern"}, taps=("claim Fern",)),
    "who is in, organiser": Screen(steps=[PARTY, ("status", {"who": "Gorse", "status": "maybe"}),
                                          ("status", {"who": "Iris", "status": "out"})]),
    "nobody yet, organiser": Screen(names=()),
    "a player's menu": Screen(taps=("who Fern",)),
    "names to add": Screen(taps=("add",)),
    "a paste with a question": Screen(taps=("add",), script=(
        "const area = document.getElementById('paste'); area.value = 'x Amber\\nBirch\\nx Larch';"
        "area.dispatchEvent(new Event('input')); area.form.requestSubmit();")),
    "settings": Screen(script=SETTINGS),
    "captains": Screen(script=SETTINGS, taps=("draft",)),
    "the link and its code": Screen(taps=("bar share",)),
    "teams": Screen(steps=[DIVIDE]),
    "teams, guest": Screen(steps=[DIVIDE], guest=True, taps=("claim Fern",)),
    "teams, a swap looked at": Screen(steps=[PARTY, DIVIDE, LOCK], taps=("chip Fern",)),
    "teams by hand": Screen(steps=[DIVIDE, ("swap", {
        "match": match_of, "one": lambda view: view["division"]["teams"][0][0],
        "other": lambda view: view["division"]["teams"][1][-1]})]),
    "teams, shared": Screen(steps=[DIVIDE], taps=("bar share",)),
    "four teams": Screen(steps=[("settings", {"teams": 4, "size": 0}), DIVIDE]),
    "four teams, a swap looked at": Screen(steps=[("settings", {"teams": 4, "size": 0}), DIVIDE],
                                           taps=("chip Fern",)),
    "teams of 15": Screen(names=[f"Player {n}" for n in range(30)], steps=[DIVIDE]),
    "a draft": Screen(steps=[("draft", {"captains": captains})]),
    "a map to strike": Screen(steps=[("maps", {"maps": ["dm6", "dm4", "ztn"], "how": "veto"}), DIVIDE]),
    "a map to vote for": Screen(steps=[("maps", {"maps": ["dm6", "dm4", "ztn"], "how": "vote"}), DIVIDE],
                                guest=True, taps=("claim Fern",)),
    "who won": Screen(steps=[DIVIDE, PLAY]),
    "who won, a score": Screen(steps=[DIVIDE, PLAY], taps=("more 0", "more 0", "more 1"), script=SETTINGS),
    "a round is on, guest": Screen(steps=[DIVIDE, PLAY], guest=True, taps=("claim Fern",)),
    "saved": Screen(steps=[DIVIDE, PLAY, WON]),
    "saved, guest": Screen(steps=[DIVIDE, PLAY, WON], guest=True, taps=("claim Fern",)),
    "ended": Screen(steps=[("end", {})]),
    "a link that is no longer good": Screen(more={"revoked": True}),
    "by code word": Screen(more={"path": "/tonight/"}),
    "hostile names": Screen(names=HOSTILE),
    "hostile names, first visit": Screen(names=HOSTILE, guest=True),
    "hostile names, teams": Screen(names=HOSTILE, steps=[DIVIDE], taps=()),
    "hostile names, saved": Screen(names=HOSTILE, steps=[DIVIDE, PLAY, WON]),
}  # fmt: skip

TYPED = (
    "for (const [id, value] of Object.entries(arguments[0])) document.getElementById(id).value = value;"
    "document.getElementById('ask').dispatchEvent(new Event('input'));"
)

#: The states of the board: what is typed, what is tapped then, and what is waited for.
BOARD: Mapping[str, tuple[Mapping[str, str], str, str]] = {
    "board": ({}, "", ""),
    "board, empty": ({"text": ""}, "", ""),
    "board, a swap looked at": ({}, "document.querySelector('.player').click()", ""),
    "board, four teams": ({"teams": "4"}, "", ""),
    "board, a line with an error": ({"text": "Amber 1500\\nBirch 14x20 9\\nCedar 5\\nDahlia nan"}, "", ""),
    "board, a question": ({"text": "1. Amber 3\\n2. Birch 5\\n3. Cedar 6"}, "", ""),
    "board, rules that cannot hold": (
        {"text": "Amber + Birch\\nCedar\\nDahlia", "apart": "Amber, Birch"}, "", ""),
    "board, a rule that is refused": ({"fixed": "Elm 1.5"}, SETTINGS, ""),
    "board, names only": ({"text": "\\n".join(NAMES)}, "", ""),
    "board, hostile names": (
        {"text": "\\n".join(f"{name} {n + 3}" for n, name in enumerate(HOSTILE))}, "", ""),
}  # fmt: skip


class Night:
    """Evenings in an archive, each at a point of a night of its own."""

    def __init__(self, folder: Path) -> None:
        self.url, self._count = f"sqlite:///{folder}/games.db", 0
        with open_archive(self.url, create=True) as archive:
            archive.record([*games(HOSTILE)])
            archive.update_ratings()
            archive.keep_chronicle(archive.chronicle())
        self._worker = Evenings(self.url)

    def ask(self, question: Any) -> Any:
        """Return what the worker of evenings answers."""
        try:
            next(self._worker(question))
        except StopIteration as end:
            return end.value
        raise AssertionError

    def opened(self, name: str, screen: Screen) -> TonightLinks:
        """Open an evening, and bring it where a screen shows it."""
        with open_archive(self.url) as archive:
            links = opened_evening(archive, name, "Thursday Arena", hours=9.0)
        if screen.names:
            self.do(name, "add", text="\n".join(each.replace("+", "") for each in screen.names), read="names")
        if who := screen.more.get("seat"):
            self.do(name, "claim", by="guest", device="another phone", who=who)
        for kind, given in screen.steps:
            view = self.view(name)
            self.do(
                name, kind, **{key: each(view) if callable(each) else each for key, each in given.items()}
            )
        if screen.more.get("revoked"):
            with open_archive(self.url) as archive:
                renewed_links(archive, name, hours=9.0)
        return links

    def do(self, name: str, kind: str, by: str = "organiser", device: str = "desk", **given: Any) -> None:
        """Take a tap."""
        self._count += 1
        step = {"id": f"tap-{self._count:05}", "type": kind, **given}
        (answer,), _ = self.ask(("take", [Tap(name, by, device, step)]))
        assert answer.status == "done", (name, kind, answer)

    def view(self, name: str) -> Any:
        """Return what pages see of an evening."""
        (found,) = self.ask(("look", {name: -1}))
        return json.loads(found.body)


def slugged(name: str) -> str:
    """Return the name of an evening of a screen."""
    return "".join(letter if letter.isalnum() else "-" for letter in name.lower())[:40]


class Shown:
    """A browser that goes through screens, and what it finds there."""

    def __init__(self, browser: Browser, axe: str, pictures: Path | None, only: str) -> None:
        self.browser, self._axe, self._pictures, self.only = browser, axe, pictures, only
        self.rows: dict[str, Row] = {}

    def wants(self, name: str) -> bool:
        """Tell whether a screen is to be looked at."""
        return self.only in name

    def look(self, name: str) -> Row:
        """Look at what is shown, at all sizes and in both schemes."""
        browser, found = self.browser, Row(axe=[], wide=[], log=[], small=[])
        for width in WIDTHS:
            for dark in (False, True):
                browser.look(width, HEIGHT if width < 1000 else 900, dark=dark)
                self.settle()
                found["wide"] += [
                    f"{width}: {each}" for each in browser.run(BEYOND)
                ]  # what stands beyond the right edge
                if width in LOOKED_AT:
                    found["axe"] += [f"{width} {'dark' if dark else 'light'}: {each}" for each in self.axe()]
                    if self._pictures is not None:
                        scheme = "dark" if dark else "light"
                        browser.picture(self._pictures / f"{slugged(name)}-{width}-{scheme}.png")
        found["log"] += [
            each for each in browser.log() if "favicon" not in each and "status of 40" not in each
        ]
        self.rows[name] = found
        print(name, file=sys.stderr)
        for kind, each in found.items():
            if each:
                print(f"{name}: {kind}: {each}", file=sys.stderr)
        return found

    def settle(self) -> None:
        """Wait two frames, and a pause in which a page answers to its size."""
        self.browser.run(
            "window.settled = false; setTimeout(() => requestAnimationFrame(() => requestAnimationFrame("
            "() => { window.settled = true; })), 150);"
        )
        self.browser.wait("return window.settled")

    def axe(self) -> list[str]:
        """Return what axe-core finds."""
        browser = self.browser
        browser.run(self._axe + "; window.axe = axe;")
        browser.run(
            f"window.found = null; axe.run({ALSO}).then((said) => {{ window.found = said.violations; }})"
        )
        browser.wait("return window.found !== null", seconds=60.0)
        return [
            f"{rule}: {html}"
            for rule, html in browser.run("return window.found.map((one) => [one.id, one.nodes[0].html])")
        ]

    def tap(self, key: str) -> None:
        """Tap what has a key, as soon as it is there."""
        self.browser.wait(
            "const one = document.querySelector(`[data-key=\"${CSS.escape(arguments[0])}\"]`);"
            " if (!one || one.disabled) return false; one.click(); return true;", key, seconds=LONG,
        )  # fmt: skip


#: What stands beyond the edge of the window, or is cut off by it.
BEYOND = """
const wide = document.documentElement.scrollWidth > innerWidth;
const out = [...document.querySelectorAll('body *')].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.width > 2 && box.right > innerWidth + 1 && !one.closest('.visually-hidden, svg');
});
return wide || out.length ? [...out.slice(0, 2).map((one) => one.outerHTML.slice(0, 120)), String(wide)] : [];
"""


def evenings(shown: Shown, night: Night, begun: Callable[[], Server]) -> Row:
    """Go through the screens of evenings; return what was counted and timed."""
    links = {name: night.opened(slugged(name), TONIGHT[name]) for name in filter(shown.wants, TONIGHT)}
    bars = {name: night.opened(name, Screen(names)) for name, names in
            {"taps": (), "bars": NAMES, "preview": [f"Player {n}" for n in range(MANY)]}.items()}  # fmt: skip
    browser = shown.browser
    with begun() as server:
        for name in filter(shown.wants, TONIGHT):
            screen = TONIGHT[name]
            # No two of them share what a phone keeps.
            base = f"http://{slugged(name)}.localhost:{server.http}"
            link = links[name].guests_link(base) if screen.guest else links[name].organiser_link(base)
            browser.look(360, HEIGHT)
            browser.open(base + screen.more["path"] if "path" in screen.more else link)
            browser.wait("return !document.getElementById('screen').textContent.includes('One moment')",
                         seconds=LONG)  # fmt: skip
            if screen.script and screen.script == SETTINGS:
                shown.settle()
                browser.run(screen.script)
            for key in screen.taps:
                shown.tap(key)
            if screen.script and screen.script != SETTINGS:
                shown.settle()
                browser.run(screen.script)
                browser.wait("return document.querySelector('.ask')", seconds=LONG)
            shown.settle()
            shown.look(name)
        found: Row = {} if shown.only else counted(shown, {
            name: each.organiser_link(f"http://{name}.localhost:{server.http}") for name, each in bars.items()
        } | {"guest": bars["bars"].guests_link(f"http://guest.localhost:{server.http}")})  # fmt: skip
        browser.open("about:blank")  # before the server ends, of which the next page knows nothing
        return found


def counted(shown: Shown, links: Mapping[str, str]) -> Row:
    """Count taps, look whether ten players' teams are seen at once, and time a swap's preview."""
    browser = shown.browser
    browser.look(360, HEIGHT)
    browser.open(links["guest"])
    shown.tap("claim Fern")  # the one tap
    browser.wait("return document.querySelector('.you [aria-pressed=true]')", seconds=LONG)
    browser.open(links["bars"])
    shown.tap("bar go")  # the one tap from names to teams
    browser.wait("return document.querySelectorAll('.chip').length === 10", seconds=LONG)
    shown.settle()
    begin, end, bar, scrolled = browser.run(
        "const chips = [...document.querySelectorAll('.chip')].map((one) => one.getBoundingClientRect());"
        "return [Math.min(...chips.map((one) => one.top)), Math.max(...chips.map((one) => one.bottom)),"
        " document.getElementById('bar').getBoundingClientRect().top, scrollY];"
    )
    shown.tap("bar go")
    shown.tap("won 0")  # the one tap of a result
    browser.wait("return document.querySelector('.saved')", seconds=LONG)
    shown.tap("bar go")  # and the one to the next round
    browser.wait("return document.querySelectorAll('.chip').length === 10", seconds=LONG)
    browser.open(links["preview"])
    shown.tap("bar go")
    browser.wait("return document.querySelectorAll('.chip').length === arguments[0]", MANY, seconds=LONG)
    shown.settle()
    browser.command("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    times = [previewed(shown) for _ in range(7)]
    browser.command("Emulation.setCPUThrottlingRate", {"rate": 1})
    return {"begin": begin, "end": end, "bar": bar, "scrolled": scrolled, "preview": sorted(times)[3]}


def previewed(shown: Shown) -> float:
    """Return the milliseconds from a tap on a player until what each swap would do is laid out."""
    took: float = shown.browser.run(
        "const one = document.querySelector('.chip'); const began = performance.now(); one.click();"
        "document.body.getBoundingClientRect(); const took = performance.now() - began;"
        "if (document.querySelectorAll('.would').length !== arguments[0] / 2) return Infinity;"
        "document.querySelector('.chip.held').click(); return took;", MANY,
    )  # fmt: skip
    shown.settle()
    return took


def board(shown: Shown, address: str, prefix: str = "") -> None:
    """Go through the states of the board."""
    for name in filter(shown.wants, BOARD):
        typed, then, wanted = BOARD[name]
        shown.browser.open("about:blank")
        shown.browser.look(360, HEIGHT)
        shown.browser.open(address)
        shown.browser.wait("return document.querySelector('.team')", seconds=LONG)
        if typed:
            shown.browser.run(TYPED, {key: each.replace("\\n", "\n") for key, each in typed.items()})
        shown.settle()
        if then:
            shown.browser.run(then)
        if wanted:
            shown.browser.wait(wanted)
        shown.settle()
        shown.look(prefix + name)


def archive_pages(shown: Shown, base: str) -> None:
    """Go through the pages of the archive."""
    table = slug(ruleset_text(RULESET))
    for name, path in {
        "first page": "/", "leaderboard": f"/leaderboard/{table}.html", "rulesets": "/leaderboard/index.html",
        "leaderboard, searched": f"/leaderboard/{table}.html?q=1&games=3",
        "games": "/match/index.html", "game": f"/match/{slug(f'g{GAMES - 1}')}.html",
        "player": f"/player/{slug('p0')}.html", "search": "/search/index.html",
        "search, found": "/search/index.html?q=1", "fairness": "/fairness/index.html",
        "servers": "/servers/index.html", "queues": "/queues.html", "missing": "/player/nobody.html",
    }.items():  # fmt: skip
        if not shown.wants(name):
            continue
        shown.browser.open(base + path)
        shown.browser.wait("return document.getElementById('main') ?? document.querySelector('main')")
        shown.look(name)


def axe_source(folder: Path) -> str:
    """Return the source of axe-core."""
    command = ["npm", "install", "--no-fund", "--no-audit", "--prefix", str(folder), AXE]
    subprocess.run(command, check=True, capture_output=True)
    return (folder / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")


def walked(pictures: Path | None, only: str = "", axe: str = "") -> Row:
    """Go through everything."""
    with tempfile.TemporaryDirectory() as name, Browser(360, HEIGHT) as browser:
        folder = Path(name)
        shown = Shown(browser, axe or axe_source(folder), pictures, only)
        night = Night(folder)

        def begun() -> Server:
            return serve(night.url, "--http", f"{LOOPBACK}:0", "--http-rate", "1e9")

        bars = evenings(shown, night, begun)
        with begun() as server:
            base = f"http://{LOOPBACK}:{server.http}"
            archive_pages(shown, base)
            board(shown, f"{base}/board.html")
    return {"screens": shown.rows, "bars": bars}


def report(results: Row) -> str:
    """Return the page."""
    rows, bars = results["screens"], results["bars"]
    total = {kind: sum(len(each[kind]) for each in rows.values()) for kind in ("axe", "wide", "log")}
    sizes = f"{', '.join(map(str, WIDTHS[:-1]))} and {WIDTHS[-1]}"
    faults = [f"- {name}: {each[kind][0]}" for name, each in rows.items() for kind in total if each[kind]]
    looks, sights = len(rows) * 2 * len(LOOKED_AT), len(rows) * 2 * len(WIDTHS)
    placed = f"{bars['begin']:.0f}, {bars['end']:.0f}, {bars['bar']:.0f}"
    took = f"{bars['preview']:.0f}"
    lines = "\n".join([
        "| what | found |",
        "|---|--:|",
        f"| what axe-core finds (WCAG 2.2 AA, targets and labels too), {looks} looks | {total['axe']} |",
        f"| wider than the window, or beyond its edge, {sights} looks | {total['wide']} |",
        f"| complaints of the browser | {total['log']} |",
        "| taps from the link to *I'm in* | 1 |",
        "| taps from names to teams; a result; the next round | 1; 1; 1 |",
        f"| ten players' teams at 360 by 640: from, to, where the bar begins (pixels) | {placed} |",
        f"| a swap's previews of {MANY} players at a processor {SLOWER} times as slow (ms) | {took} |",
        *(["", *faults] if faults else []),
    ])  # fmt: skip
    return f"""\
# Screens

Written by `python -m benchmarks screens`: {len(rows)} screens and states in Chromium at {sizes} pixels, \
light and dark; the archive has {GAMES} games of {PEOPLE} people, some with names of 40 letters, right to \
left, of emoji and of markup.

{lines}
"""


def screens() -> Iterator[str]:
    """Go through the names of all screens."""
    yield from TONIGHT
    yield from BOARD


def main() -> int:
    """Read the arguments and do what they say."""
    if why := why_no_browser() or ("" if shutil.which("npm") else "npm is not installed"):
        print(f"skipped: {why}", file=sys.stderr)
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="where a picture of each screen goes")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="only screens whose name has this; nothing is kept"
    )
    add_modes(parser)
    given = parser.parse_args()
    if given.pictures is not None:
        given.pictures.mkdir(parents=True, exist_ok=True)
    if given.only:
        print(json.dumps(walked(given.pictures, given.only), indent=1))
        return 0
    return keep(given, RAW / "screens.json", PAGES / "SCREENS.md", lambda: walked(given.pictures), report)
