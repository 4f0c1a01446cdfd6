"""An evening in ten browsers: taps, naps, no network, kills of the service, and one state at the end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.pages.browsers import Browser, why_no_browser
from benchmarks.pages.evening_of_ten import Phone, Service, evening_of_ten, pasted, report

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
