"""The pages that people tap on, of an evening and of a queue: one document, its style, modules and texts.

What it shows comes from the service as data; nothing of a person is in these files.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from equipoise.pages.html.site import MARK, texts

#: The pages, and the files of each: its style, its modules, and their texts.
FILES = {
    "tonight": (
        "tonight.css", "tonight.js", "page.js", "level.js", "device.js", "wire.js", "picture.js", "texts.js",
    ),
    "queue": ("tonight.css", "queue.js", "page.js", "level.js", "device.js", "texts.js"),
}  # fmt: skip

#: The modules that a page has not loaded when it begins.
_LATER = ("picture.js",)

#: What the page may load: its own files and nothing else, no script or style within the document.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@cache
def tapped_html(kind: str = "tonight", language: str = "en") -> str:
    """Return the document of one of the pages, which is the same for every evening, or every queue.

    Examples
    --------
    >>> page = tapped_html()
    >>> page.startswith("<!doctype html>"), "<script>" in page, "style=" in page
    (True, False, False)
    """
    template = Environment(autoescape=True).from_string(_read("tonight.html"))
    mark = Markup(MARK)  # noqa: S704  # a constant
    modules = [each for each in FILES[kind][2:] if each not in _LATER]
    return template.render(
        language=texts(language)["language"], t=_texts(kind, language), mark=mark, kind=kind, modules=modules
    )


@cache
def tapped_file(kind: str, name: str, language: str = "en") -> tuple[str, str]:
    """Return the text and the media type of one of the :data:`FILES` of a page."""
    if name == "texts.js":
        words = json.dumps(_texts(kind, language), ensure_ascii=False)
        return f"export default {words};\n", "text/javascript"
    return _read(name), "text/css" if name.endswith(".css") else "text/javascript"


def _texts(kind: str, language: str) -> dict[str, str]:
    """Return the texts of a page: those of an evening, and its own before them."""
    catalogue = texts(language)
    return {**catalogue["tonight"], **catalogue[kind]}


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
