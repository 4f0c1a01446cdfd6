"""What a service shows, in a real browser: pages that follow, and who won reported from the board."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from benchmarks.pages.browsers import Browser, why_no_browser
from tests.service.http.asking import ask
from tests.service.process import TOKEN, Served

pytestmark = pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser() or "there is one")

RESULT = {"id": "four", "game": "oa", "game_type": "ctf", "teams": [["ann"], ["bob"]], "scores": [3, 1]}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser."""
    with Browser() as browser:
        yield browser


def test_a_page_that_is_open_follows(served: Served, browser: Browser) -> None:
    """A match that is reported appears by itself: nothing is loaded anew, and what was asked for stays."""
    for _ in range(200):
        if ask(f"{served.http}/match/index.html").status == 200:
            break
    browser.open(f"{served.http}/match/index.html")
    before = browser.run("window.same = true; return document.querySelectorAll('li.game').length")
    browser.wait("return news.readyState === EventSource.OPEN")
    said = ask(f"{served.http}/v1/results", RESULT, Authorization=f"Bearer {TOKEN}")
    assert said.status in (200, 201, 202), said.body
    browser.wait("return document.querySelectorAll('li.game').length > arguments[0]", before, seconds=90.0)
    assert browser.run("return window.same")
    assert browser.log() == []


def test_who_won_is_reported_from_the_board(served: Served, browser: Browser) -> None:
    """A wrong token is said to be one and keeps nothing; the right one keeps the match, the winners first."""
    browser.open(f"{served.http}/board.html")
    browser.run("document.getElementById('text').value = 'Red 3\\nBlue 1'; typed()")
    browser.wait("return document.querySelector('#played button')")
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for token, words in (("wrong", "was not kept"), (TOKEN, "is kept")):
        browser.run("document.getElementById('token').value = arguments[0]", token)
        browser.tap("#played button")
        browser.wait("return document.getElementById('said').textContent.includes(arguments[0])", words)
    matches = ask(f"{served.http}/v1/matches").plain["matches"]
    (kept,) = [match for match in matches if match["id"].startswith("board-")]
    first = browser.run("return byPlayer(state.labels).indexOf(0) ? 'Blue' : 'Red'")
    (contest,) = kept["contests"]
    assert [one["id"] for one in contest["teams"][0]] == [first]
    assert contest["ranks"] == [1, 2]
