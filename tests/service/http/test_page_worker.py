"""The worker of pages: new matches are learnt from alone, and pages that are right are not made again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from equipoise.archive.archive import open_archive
from equipoise.core.match import Contest, Match, Ruleset
from equipoise.pages.html.site import slug
from equipoise.service.http.pages import Of, Page, Paging

Asked = tuple[str, dict[str, str], Of | None]


def match(n: int, *players: str) -> Match:
    """Return a match of two against two."""
    contest = Contest(Ruleset("game", "duel"), (players[:2], players[2:]), (1, 2), at=86_400.0 * n)
    return Match((contest,), id=f"m{n}")


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Return the address of an archive of some matches."""
    url = f"sqlite:///{tmp_path}/games.db"
    with open_archive(url) as archive:
        archive.record([match(n, "ann", "bob", "cid", "dan") for n in range(1, 21)])
        archive.record([match(21, "eve", "fay", "gus", "hal")])
    return url


def answer(worker: Paging, asked: Asked) -> Page:
    """Return the answer to a question."""
    parts = worker(asked)
    while True:
        try:
            next(parts)
        except StopIteration as stopped:
            found: Page = stopped.value
            return found


def until(worker: Paging, asked: Asked, right: Callable[[Page], Any]) -> Page:
    """Return the first answer that is right."""
    for _ in range(1_000_000):
        found = answer(worker, asked)
        if right(found):
            return found
    pytest.fail("it never comes")


def test_a_result_is_shown_and_leaves_other_pages_as_they_are(url: str) -> None:
    """Of who played and of lists there are new pages; another player's and another match's stay."""
    worker = Paging(url)
    first = until(worker, ("", {}, None), lambda page: page.state == "now")
    assert "21 games" in (first.text or "")
    had = first.of
    assert had is not None
    with open_archive(url) as archive:
        archive.record([match(22, "ann", "bob", "cid", "new")])
        revision = archive.revision()
    now = until(worker, ("", {}, None), lambda page: page.revision == revision)
    assert "22 games" in (now.text or "")
    assert now.of == Of(had.lineage, 22)
    for path, state in {
        "": "now", "index.html": "now", "servers/index.html": "now", "match/index.html": "now",
        f"player/{slug('ann')}.html": "now", f"player/{slug('eve')}.html": "same",
        f"match/{slug('m3')}.html": "same", f"match/{slug('m22')}.html": "now",
        f"leaderboard/{slug('game/duel')}.html": "now",
    }.items():  # fmt: skip
        assert answer(worker, (path, {}, had)).state == state, path
    assert answer(worker, (f"match/{slug('m3')}.html", {"q": "x"}, had)).state == "now"
    assert answer(worker, ("match/nothing.html", {}, None))[:2] == ("now", None)


def test_a_correction_makes_all_pages_again(url: str) -> None:
    """A match that is undone, one that is late, somebody who is forgotten: another lineage, other pages."""
    worker = Paging(url)
    had = until(worker, ("", {}, None), lambda page: page.state == "now").of
    assert had is not None

    def undo() -> None:
        archive.undo("m3")

    def late() -> None:
        archive.record([match(0, "ann", "bob", "cid", "dan")])

    def forget() -> None:
        archive.forget("ann")

    for change, many in ((undo, 20), (late, 21), (forget, 21)):
        with open_archive(url) as archive:
            change()
        found = until(
            worker, ("", {}, had), lambda page, last=had.lineage: page.of and page.of.lineage != last
        )
        assert found.of is not None
        had = found.of
        assert found.state == "now"
        assert f"{many} games" in (found.text or "")
    assert ">ann<" not in (answer(worker, ("", {}, None)).text or "")
    assert answer(worker, (f"player/{slug('ann')}.html", {}, None)).text is None


def test_what_is_kept_is_what_is_made_anew(url: str) -> None:
    """A process that begins goes on from what is kept, and comes to the same as from all matches."""
    with open_archive(url) as archive:
        kept = archive.keep_chronicle(archive.chronicle())
        archive.record([match(22, "ann", "eve", "cid", "new")])
    with open_archive(url) as archive:
        part = archive.chronicle(whole=False)
        assert part.lineage == kept.lineage
        archive.keep_chronicle(part)
        archive.record([match(23, "ann", "fay", "bob", "gus")])
    with open_archive(url) as archive:
        grown = archive.chronicle()
        assert (grown.lineage, grown.saved) == (kept.lineage, 22)
        archive.undo("m1")
        archive.undo("m1", back=True)
        made = archive.chronicle()
    assert made.lineage != grown.lineage
    assert made.chronicle.texts == grown.chronicle.texts
    assert made.chronicle.learning.state == grown.chronicle.learning.state
    for name, column in made.chronicle.columns.items():
        assert column.tobytes() == grown.chronicle.columns[name].tobytes(), name


def test_nobody_is_shown_again_who_is_forgotten(url: str) -> None:
    """Not even once, to whoever comes first: the pages before are not gone on with."""
    worker = Paging(url)
    until(worker, ("", {}, None), lambda page: "ann" in (page.text or ""))
    worker._next = 0.0  # it may look again
    with open_archive(url) as archive:
        archive.forget("ann")
    first = answer(worker, ("", {}, None))
    assert first.state == "later" or f"player/{slug('ann')}.html" not in (first.text or "")
    now = until(worker, ("", {}, None), lambda page: page.state == "now")
    assert f"player/{slug('ann')}.html" not in (now.text or "")
