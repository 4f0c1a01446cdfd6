"""Pages of an archive in a browser: nothing complains, at phone and desk size, light and dark."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.pages.browsers import Browser, why_no_browser
from tests.pages.html.axe import complaints
from tests.pages.html.hostile import HOSTILE
from tests.pages.html.test_site import night

from equipoise.pages.html.one_page_report import report_html
from equipoise.pages.html.site import Site
from equipoise.ratings.models.elo import Elo
from equipoise.ratings.timeline import chronicle_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(why_no_browser()), reason=why_no_browser() or "there is one"),
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return one page of each kind, of people with names that mean harm."""
    names = tuple(f"{name}{n}" for n, name in enumerate(HOSTILE))
    site = Site(chronicle_of(Elo(), night(12, names)))
    folder = tmp_path_factory.mktemp("site")
    kinds: dict[str, Path] = {}
    for path in site.paths():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(site.page(path) or "", encoding="utf-8")
        if path.endswith(".html"):
            kinds[path.split("/")[0] + ("/index" if path.endswith("index.html") else "")] = folder / path
    (folder / "report.html").write_text(report_html(site), encoding="utf-8")
    return [*kinds.values(), folder / "report.html"]


def test_axe_finds_nothing_serious_on_any_page(pages: list[Path], axe: str) -> None:
    """No rule of WCAG 2.2 AA that a machine can check is broken, and no page is wider than the screen."""
    with Browser(390, 900, dark=True) as browser:
        for page in pages:
            browser.open(page.as_uri())
            assert browser.run("return document.title").endswith("Games")
            for width, dark in ((390, True), (1280, False)):
                browser.look(width, 900, dark=dark)
                assert browser.log() == [], page
                assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), page
                assert complaints(browser, axe) == [], page
