"""Queues: how they stand now, for those who run them; the page asks a service again and again."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from types import SimpleNamespace

from markupsafe import Markup

from equipoise.pages.html.site import KINDS, environment, policy, style, texts


@cache
def queues_html(language: str = "en") -> str:
    """Return the page, which is empty until its script has asked the service that sent it.

    Examples
    --------
    >>> '<script src="queues.js" defer>' in queues_html()
    True
    """
    t = texts(language)["pages"]
    return (
        environment()
        .get_template("queues.html")
        .render(
            t=t, language=texts(language)["language"], title=t["queues"], root="", here="queues",
            site=SimpleNamespace(live=False), kinds=[name for name in KINDS if name != "player"],
            policy=policy(), style=Markup(style()),  # noqa: S704  # a file of the package
        )
    )  # fmt: skip


@cache
def queues_script() -> bytes:
    """Return the script of the page."""
    return files("equipoise.pages.html").joinpath("queues.js").read_bytes()
