"""Languages: one file each, from which every text of every page comes."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.pages.html.test_site import reported  # noqa: F401  # the fixture

from equipoise.pages.html import site as site_module
from equipoise.pages.html.board import board_html, board_script
from equipoise.pages.html.queues_page import queues_html
from equipoise.pages.html.site import Site, missing_html, shared, texts, texts_of_pages
from equipoise.pages.html.tonight import tapped_file, tapped_html
from equipoise.pages.text.evening import called
from equipoise.ratings.timeline import Chronicle

#: What stands before every text of the language that is made here.
MARK = "§"

CACHED = (
    site_module.languages, texts, texts_of_pages, board_script, queues_html, missing_html, tapped_file,
    tapped_html,
)  # fmt: skip


def marked(value: Any, name: str = "") -> str:
    """Return a catalogue as TOML, each text with a mark before it."""
    lines, tables = [], []
    for key, each in value.items():
        if isinstance(each, dict):
            tables.append(f"[{name}{key}]\n{marked(each, f'{name}{key}.')}")
        else:
            text = "xx" if key == "language" else f"{MARK}{each}"
            lines.append(f"{key} = {_quoted(text)}")
    return "\n".join([*lines, *tables])


def _quoted(text: str) -> str:
    for sign, escaped in (("\\", "\\\\"), ('"', '\\"'), ("\n", "\\n")):
        text = text.replace(sign, escaped)
    return f'"{text}"'


@pytest.fixture
def language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Add a language that is English with a mark before each text, as one file."""
    package = files("equipoise.pages.html")
    folder = tmp_path / "texts"
    folder.mkdir()
    english = package.joinpath("texts/en.toml").read_text(encoding="utf-8")
    (folder / "en.toml").write_text(english, encoding="utf-8")
    (folder / "xx.toml").write_text(marked(tomllib.loads(english)), encoding="utf-8")

    def at(name: str) -> Any:
        return folder if name == "texts" else package.joinpath(name)

    monkeypatch.setattr(site_module, "files", lambda _: SimpleNamespace(joinpath=at))
    for each in CACHED:
        each.cache_clear()
    yield "xx"
    for each in CACHED:
        each.cache_clear()


class Words(HTMLParser):
    """The texts of a page that people see or hear."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._inside: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Take in attributes that are read aloud or shown."""
        if tag not in ("meta", "link", "input", "br", "img"):
            self._inside.append(tag)
        self.found += [value for name, value in attributes if name in ("aria-label", "placeholder") and value]

    def handle_endtag(self, tag: str) -> None:
        """Go on after an element."""
        if tag in self._inside:
            del self._inside[len(self._inside) - 1 - self._inside[::-1].index(tag) :]

    def handle_data(self, data: str) -> None:
        """Take in text that is neither a name nor a script."""
        if not {"script", "style", "bdi"} & set(self._inside):
            self.found.append(data)


def foreign(page: str) -> list[str]:
    """Return words of a page that are of no catalogue: letters before which no mark stands."""
    words = Words()
    words.feed(page)
    allowed = ("equipoise", "CSV", "UTC")
    return [
        text for text in words.found
        if MARK not in text and re.search(r"[A-Za-z]{3}", text) and text.strip() not in allowed
    ]  # fmt: skip


def test_a_language_is_one_file(language: str, reported: Chronicle) -> None:  # noqa: F811
    """Every text of every kind of page is of the catalogue that was asked for."""
    assert foreign(missing_html()), "English has no marks"
    for live in (False, True):
        site = Site(reported, language=language, live=live)
        for path in site.paths():
            page = site.page(path)
            assert page is not None
            if path.endswith(".html"):
                assert '<html lang="xx">' in page, path
                assert not foreign(page), path
    for name, page in {
        "board": board_html(language=language), "queues": queues_html(language),
        "missing": missing_html(language), "tonight": tapped_html("tonight", language),
        "queue": tapped_html("queue", language),
    }.items():  # fmt: skip
        assert '<html lang="xx">' in page, name
        assert not foreign(page), name
    for kind in ("tonight", "queue"):
        assert MARK in tapped_file(kind, "texts.js", language)[0]
    assert shared(language)["language"] == "xx"


def test_a_team_has_one_name_on_pages_in_chats_and_at_a_terminal() -> None:
    """Whoever types the word on the page means the same team."""
    shown = texts_of_pages("en")
    assert [shown[f"team_{n + 1}"].lower() for n in range(4)] == list(map(called, range(4)))
