"""The board: one HTML file that divides players into teams without any server."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment
from markupsafe import Markup

from equipoise.core.paste_grammar import choices, short_grammar
from equipoise.core.plain_data import JOINED
from equipoise.errors import READS
from equipoise.pages.html.site import MARK, texts
from equipoise.teams.request_fields import BOARD, FIELDS

#: What the page's one script is made of, in order: what is asked and the search, what is typed, the page.
#: ``scripts/generated.py`` makes of these, for people to read, the file that is served.
SCRIPTS = (
    "problem.js",
    "worth.js",
    "search.js",
    "climb.js",
    "request.js",
    "line_kinds.js",
    "paste.js",
    "form.js",
    "teams.js",
    "moving.js",
    "start.js",
)

#: The script as it is served: one function without comments and with short names.
MINIFIED = "board.min.js"

#: The objectives that the page offers, the usual one first.
OBJECTIVES = ("spread", "difference", "win", "ratio", "indistinguishable")

#: The ways to read a text that means several things, each a button.
WAYS = (*READS, *choices())


def board_html(server: str = "", results: str = "", people: str = "", language: str = "en") -> str:
    """Return the page.

    Parameters
    ----------
    server : str
        Where a service answers what the page cannot prove itself; nothing for a page without a server.
    results : str
        Where a service takes results; nothing for a page without one.
    people : str
        Where a service says who is meant by names; nothing for a page without one.
    language : str
        Whose texts: a name of a catalogue in ``equipoise/pages/html/texts``.

    Examples
    --------
    >>> page = board_html()
    >>> page.startswith("<!doctype html>"), "http://" in page, page.count("<script>")
    (True, False, 1)
    """
    script, html = board_script(language), _without_indents(_read("board.html"))
    style = _style(script + html)
    policy = f"default-src 'self'; script-src '{_hashed(script)}'; style-src '{_hashed(style)}'; img-src data:; base-uri 'none'; form-action 'none'"  # noqa: E501
    catalogue = texts(language)
    template = Environment(autoescape=True).from_string(html)
    return template.render(
        language=catalogue["language"],
        t=catalogue["board"],
        objectives=OBJECTIVES,
        ways={way: catalogue["board"][_text_of(way)] for way in WAYS},
        policy=policy,
        server=server,
        results=results,
        people=people,
        # Neither holds what a name or a link could have put there.
        mark=Markup(MARK),  # noqa: S704
        script=Markup(script),  # noqa: S704
        style=Markup(style),  # noqa: S704
    )


@cache
def board_script(language: str = "en") -> str:
    """Return the page's one script: texts, judge and solver, reader, and the page's handling."""
    fields = [name for name, info in FIELDS.items() if BOARD in info.kept_by]
    data = {"TEXTS": _needed(texts(language)["board"]), "FIELDS": fields, "PASTES": _pastes()}
    constants = ",".join(f"{name}={_literal(value)}" for name, value in data.items())
    return f"const R=String.raw,{constants};\n{_read(MINIFIED)}"


def _needed(catalogue: dict[str, str]) -> dict[str, str]:
    """Return the texts without those that only stand in the page: ways to read, hints, the example."""
    standing = {_text_of(way) for way in WAYS} | {"example"}
    needed = [name for name in catalogue if name not in standing and not name.endswith("_hint")]
    return {name: catalogue[name] for name in needed}


def _text_of(way: str) -> str:
    return f"read_{way.replace('-', '_')}"


def _pastes() -> dict[str, Any]:
    """Return the grammar of pastes without the names of its questions, which the page has no room to say.

    Rules stand right behind the words and contexts whose patterns they repeat, which compresses better.
    """
    grammar = dict(short_grammar())
    asks = {name: {"choices": ask["choices"]} for name, ask in grammar.pop("asks").items()}
    last = {name: grammar.pop(name) for name in ("parts", "contexts", "rules")}
    return {"asks": asks, "joined": JOINED, **grammar, **last}


def _literal(data: Any) -> str:
    """Return data as JavaScript that does not end the element it stands in, in as few signs as it takes.

    Patterns are text in which a backslash is one: ``R`` is ``String.raw``.
    """
    if isinstance(data, dict):
        keys = {key: key if re.fullmatch(r"[A-Za-z]\w*", key, re.ASCII) else json.dumps(key) for key in data}
        return "{" + ",".join(f"{keys[key]}:{_literal(value)}" for key, value in data.items()) + "}"
    if isinstance(data, list | tuple):
        return "[" + ",".join(map(_literal, data)) + "]"
    if isinstance(data, str) and "\\" in data and not re.search(r"`|\$\{|</|[\0-\x1f]|\\$", data):
        return f"R`{data}`"
    return json.dumps(data, ensure_ascii=False).replace("</", "<\\/")


def _without_indents(text: str) -> str:
    """Return a text without indents and empty lines, which no string in it spans."""
    return re.sub(r"\n\s+", "\n", text)


def _style(text: str) -> str:
    """Return the style without rules of classes that a page does not have, and without needless spaces."""
    rules = re.sub(r" ?([{};,]) ?", r"\1", re.sub(r"\s+", " ", _read("../style.css") + _read("board.css")))
    return "".join(_used(rules.strip(), text))


def _used(rules: str, text: str) -> Iterator[str]:
    """Go through the rules that may hold for something in a page."""
    for selectors, inner in _rules(rules):
        if selectors.startswith("@media"):
            if some := "".join(_used(inner, text)):
                yield f"{selectors}{{{some}}}"
        elif all(name in text for name in re.findall(r"\.([a-z][\w-]*)", selectors)) or "," in selectors:
            yield f"{selectors}{{{inner}}}"


def _rules(rules: str) -> Iterator[tuple[str, str]]:
    """Go through rules and groups of them: what stands before the brace, and in it."""
    start = depth = opened = 0
    for at, sign in enumerate(rules):
        if sign == "{":
            opened = at if not depth else opened
            depth += 1
        elif sign == "}":
            depth -= 1
            if not depth:
                yield rules[start:opened], rules[opened + 1 : at]
                start = at + 1


@cache
def _read(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hashed(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"
