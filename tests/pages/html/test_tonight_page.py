"""An evening in ten browsers: taps, naps, no network, kills of the service, and one state at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.pages.browsers import Browser, why_no_browser
from benchmarks.pages.evening_of_ten import Phone, Service, evening_of_ten, pasted, report

from equipoise.archive.archive import open_archive
from equipoise.service.tonight import renewed_links

pytestmark = [
    pytest.mark.slow,
    pytest.mark.xdist_group("browsers"),
    pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser() or "there is one"),
]


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


def test_an_evening_of_ten(browser: Browser, service: Service) -> None:
    """Five games with kills between steps: everybody ends with the same state, nothing is doubled or lost."""
    played = evening_of_ten(browser, service, service.kill)
    assert played["games"] == 5
    assert "5 games" in report({"kills": 4, **played})


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


#: What is beyond the right edge of the page.
BEYOND = """
return [...document.querySelectorAll("body *")].filter((each) => !each.closest(".visually-hidden")
  && each.getBoundingClientRect().right > innerWidth + 1).map((each) => each.outerHTML.slice(0, 120))
"""


def did(desk: Phone, status: str) -> None:
    """Wait until somebody's tap is among those that everybody sees."""
    desk.until(
        "const view = JSON.parse(localStorage.getItem('equipoise:thursday:view') ?? '{\"steps\": []}');"
        "return view.steps.some((each) => each.status === arguments[0])", status,
    )  # fmt: skip


def test_two_tabs_of_one_device_lose_no_tap(browser: Browser, service: Service) -> None:
    """What one tab keeps without network the other one keeps and sends, though the first is closed."""
    desk = Phone(browser, service, "desk", organiser=True)
    pasted(desk, "Ann\nBob")
    one, other = (Phone(browser, service, "ann") for _ in range(2))
    one.tap("claim Ann")
    other.until("return document.querySelector('[data-key=\"set maybe\"]')")
    with one as window:
        window.run(NO_NETWORK)
    one.tap("set maybe")
    with one as window:
        window.open("about:blank")
    other.tap("set out")
    did(desk, "out")
    did(desk, "maybe")
    assert [each["status"] for each in desk.view["steps"]].count("maybe") == 1


def test_a_reload_in_the_middle_of_a_tap_sends_it_once(browser: Browser, service: Service) -> None:
    """Kept before it is sent, and sent by the page that comes after; what was kept long ago is not."""
    desk = Phone(browser, service, "desk", organiser=True)
    pasted(desk, "Ann\nBob")
    phone = Phone(browser, service, "ann")
    phone.tap("claim Ann")
    phone.until("return document.querySelector('[data-key=\"set maybe\"]')")
    with phone as window:
        old = "{id: 'long-ago-1', type: 'status', who: 'Ann', status: 'out', kept: Date.now() - 5e7}"
        window.run(
            f"localStorage.setItem('equipoise:thursday:outbox', JSON.stringify([{old}]));"
            "document.querySelector('[data-key=\"set maybe\"]').click(); location.reload()"
        )
    did(desk, "maybe")
    assert [each["status"] for each in desk.view["steps"]].count("maybe") == 1
    assert "out" not in [each["status"] for each in desk.view["steps"]]
    with phone as window:  # a page that is newer than what the device kept begins anew
        window.run("localStorage.setItem('equipoise:thursday:view', '{\"people\": 1}'); location.reload()")
    phone.until("return document.querySelector('[data-key=\"set maybe\"]')")


#: What gives a page's calls no answer, and what leaves no room where it keeps things.
NO_NETWORK = "window.fetch = () => Promise.reject(new TypeError('no network'));"
NO_ROOM = """
let n = 0;
for (let size = 1 << 22; size >= 1; size >>= 1) {
  try { for (;;) localStorage.setItem(`of-others-${n++}`, "x".repeat(size)); } catch {}
}
"""


BUSY_ONCE = """
const asked = window.fetch;
let refused = false;
window.fetch = (address, more) => {
  if (refused || !String(address).includes("/seat")) return asked(address, more);
  refused = true;
  return Promise.resolve(new Response("", { status: 503 }));
};
"""


def test_a_busy_service_is_asked_again_for_the_own_seat(browser: Browser, service: Service) -> None:
    """Without it a phone would not know who of the list it is."""
    phone = Phone(browser, service, "ann")
    with phone as window:
        window.command("Page.addScriptToEvaluateOnNewDocument", {"source": BUSY_ONCE})
        window.run("localStorage.removeItem('equipoise:seat'); location.reload()")
    phone.until("return localStorage.getItem('equipoise:seat')")


def test_a_tap_that_is_too_large_takes_no_other_with_it(browser: Browser, service: Service) -> None:
    """It is refused with 413, said and forgotten; what was tapped before and after it is taken."""
    desk = Phone(browser, service, "desk", organiser=True)
    pasted(desk, "Ann\nBob")
    desk.until("return document.querySelectorAll('.list li').length === 2")
    with desk as window:
        window.run(NO_NETWORK)
    for text in ("Cid", "Dee\n" * 300_000, "Eve"):
        pasted(desk, text)
    with desk as window:
        window.run("location.reload()")
    desk.until("return document.querySelectorAll('.list li').length === 4")
    desk.until("return document.querySelector('.note.fault')?.textContent.includes('did not take')")
    assert {each["name"] for each in desk.view["people"]} == {"Ann", "Bob", "Cid", "Eve"}
    assert desk.kept("outbox") == []
    pasted(desk, "Fay\nGus")
    desk.until("return document.querySelectorAll('.list li').length === 6")


def test_where_no_room_is_left_a_tap_is_kept_all_the_same(browser: Browser, service: Service) -> None:
    """What was seen last gives way to it, over a reload too; a browser that keeps nothing sends it."""
    desk = Phone(browser, service, "desk", organiser=True)
    pasted(desk, "Ann\nBob")
    phone = Phone(browser, service, "ann")
    phone.tap("claim Ann")
    phone.until("return document.querySelector('[data-key=\"set maybe\"]')")
    with phone as window:
        window.run(NO_NETWORK + NO_ROOM)
    phone.tap("set maybe")
    assert [each["status"] for each in phone.kept("outbox")] == ["maybe"]
    with phone as window:
        window.run("location.reload()")
    did(desk, "maybe")
    phone.until("return document.querySelector('[data-key=\"set maybe\"][aria-pressed=true]')")
    with phone as window:
        window.run("Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); };")
    phone.tap("set out")
    did(desk, "out")
    assert [each["status"] for each in desk.view["steps"]].count("maybe") == 1
    assert [each["status"] for each in desk.view["steps"]].count("out") == 1


def test_a_revoked_link_gives_way_to_the_new_one(browser: Browser, service: Service) -> None:
    """The page says so, keeps what was tapped, and goes on with a link that is opened in its tab."""
    desk = Phone(browser, service, "desk", organiser=True)
    pasted(desk, "Ann\nBob")
    phone = Phone(browser, service, "ann")
    phone.tap("claim Ann")
    phone.until("return document.querySelector('[data-key=\"set maybe\"]')")
    with open_archive(f"sqlite:///{service.store}") as archive:
        service.links = renewed_links(archive, "thursday", hours=1.0)
    phone.tap("set maybe")
    phone.until("return document.getElementById('code')")
    with phone as window:
        window.run("location.href = arguments[0]", service.link("ann"))
    phone.until("return document.querySelector('[data-key=\"set maybe\"][aria-pressed=true]')")


def test_the_keyboard_and_large_text_do_for_an_evening(browser: Browser, service: Service) -> None:
    """The focus is never lost, at every screen, and nothing is beyond 360 pixels at 200 %."""
    desk = Phone(browser, service, "desk", organiser=True)

    def press(key: str) -> None:
        desk.until("const one = document.querySelector(`[data-key=\"${arguments[0]}\"]`);"
                   " if (one?.disabled !== false) return false; one.focus(); return true", key)  # fmt: skip
        with desk as window:
            window.press("Enter")

    def fits(key: str) -> None:
        desk.until('return document.querySelector(`[data-key="${arguments[0]}"]`)', key)
        with desk as window:
            assert window.run("return document.activeElement !== document.body"), key
            window.run("document.documentElement.style.fontSize = '200%'")
            beyond = window.run(BEYOND)
            assert not beyond, (key, beyond)
            window.run("document.documentElement.style.fontSize = ''")

    pasted(
        desk,
        "\n".join(f"{name} Longbottom-Smythe {n}" for n, name in enumerate(("Ann", "Bob", "Cid", "Dee"))),
    )
    press("bar go")
    fits("next")
    press("bar go")
    fits("won 0")
    press("won 0")
    fits("undo result")
    press("bar go")
    fits("next")


def test_a_score_is_of_the_round_in_which_it_was_typed(browser: Browser, service: Service) -> None:
    """Typed and not saved, since a draw was tapped: the next round begins without one."""
    desk = Phone(browser, service, "desk", organiser=True)
    pasted(desk, "Ann\nBob\nCid\nDee")
    desk.until("return document.querySelectorAll('.list li').length === 4")
    for key in ("bar go", "bar go", "more 0", "more 0", "more 1", "draw", "bar go", "bar go"):
        desk.tap(key)
        desk.until("return !JSON.parse(localStorage.getItem('equipoise:thursday:outbox') ?? '[]').length")
    desk.shows("playing", 2)
    desk.until("return document.querySelector('[data-key=\"score 0\"]')")
    with desk as window:
        typed = window.run("return [...document.querySelectorAll('.score input')].map((each) => each.value)")
    assert typed == ["", ""]


def test_who_asks_for_a_taken_name_may_take_another(browser: Browser, service: Service) -> None:
    """Until somebody answers: whoever is somebody else meanwhile no longer asks."""
    desk = Phone(browser, service, "desk", organiser=True)
    pasted(desk, "Ann\nBob")
    owner, other = Phone(browser, service, "ann"), Phone(browser, service, "bob")
    owner.tap("claim Ann")
    owner.until("return document.querySelector('[data-key=\"set maybe\"]')")
    other.tap("claim Ann")
    other.tap("not you")
    other.tap("claim Bob")
    other.until("return document.querySelector('[data-key=\"set maybe\"]')")
    owner.until("return !document.querySelector('[data-key=\"allow Ann\"]')")
