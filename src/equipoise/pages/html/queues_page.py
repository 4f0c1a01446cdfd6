"""Queues: how they stand now, for those who run them; the page asks a service again and again."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from equipoise.pages.html.site import page_beside_archive


@cache
def queues_html(language: str = "en") -> str:
    """Return the page, which is empty until its script has asked the service that sent it.

    Examples
    --------
    >>> '<script src="queues.js" defer>' in queues_html()
    True
    """
    return page_beside_archive("queues", root="", here="queues", language=language)


@cache
def queues_script() -> bytes:
    """Return the script of the page."""
    return files("equipoise.pages.html").joinpath("queues.js").read_bytes()
