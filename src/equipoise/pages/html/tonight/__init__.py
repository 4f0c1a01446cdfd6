"""The page of an evening: one static document, its style, its modules and its texts.

What it shows comes from the service as data; nothing of a person is in these files.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from jinja2 import Environment
from markupsafe import Markup

from equipoise.pages.html.site import MARK, texts

#: The files of the page: its style, its modules, and their texts.
TONIGHT_FILES = ("tonight.css", "tonight.js", "page.js", "level.js", "wire.js", "picture.js", "texts.js")

#: What the page may load: its own files and nothing else, no script or style within the document.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' blob: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@cache
def tonight_html(language: str = "en") -> str:
    """Return the document, which is the same for every evening.

    Examples
    --------
    >>> page = tonight_html()
    >>> page.startswith("<!doctype html>"), "<script>" in page, "style=" in page
    (True, False, False)
    """
    catalogue = texts(language)
    template = Environment(autoescape=True).from_string(_read("tonight.html"))
    mark = Markup(MARK)  # noqa: S704  # a constant
    return template.render(language=catalogue["language"], t=catalogue["tonight"], mark=mark)


@cache
def tonight_file(name: str, language: str = "en") -> tuple[str, str]:
    """Return the text and the media type of one of :data:`TONIGHT_FILES`."""
    if name == "texts.js":
        words = json.dumps(texts(language)["tonight"], ensure_ascii=False)
        return f"export default {words};\n", "text/javascript"
    return _read(name), "text/css" if name.endswith(".css") else "text/javascript"


def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
