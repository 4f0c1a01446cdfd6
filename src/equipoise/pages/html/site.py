"""What every page of an archive shares: links, texts, templates, the policy, and the kinds of page.

A page is found by its path, such as ``player/ann-1b2c3d.html``.  The same paths serve a folder of static
files and a service, so every link is relative.  A kind of page is a file in :mod:`equipoise.pages.html`
and a line in :data:`KINDS`.
The texts of all pages stand in one file a language, so that others can translate.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from equipoise.core.match import Ruleset
from equipoise.core.plain_data import printable
from equipoise.core.rulesets import ruleset_text
from equipoise.errors import UnknownNameError
from equipoise.pages.html.small_pictures import signed, sparkline
from equipoise.pages.text.tables import FORMULA
from equipoise.ratings.point_changes import points
from equipoise.ratings.timeline import Chronicle


@cache
def languages() -> list[str]:
    """Return the names of the catalogues of texts."""
    folder = files(__package__).joinpath("texts")
    return sorted(each.name.removesuffix(".toml") for each in folder.iterdir() if each.name.endswith(".toml"))


@cache
def texts(language: str = "en") -> Mapping[str, Any]:
    """Return the catalogue of a language.

    Raises
    ------
    UnknownNameError
        If there is none.

    Examples
    --------
    >>> texts("en")["board"]["team"].format(number=2)
    'Team 2'
    """
    folder = files(__package__).joinpath("texts")
    if language not in languages():
        kind = "language"
        raise UnknownNameError(kind, language, languages())
    return tomllib.loads(folder.joinpath(f"{language}.toml").read_text(encoding="utf-8"))


#: The mark: a spirit level at rest.
MARK = (
    '<svg viewBox="0 0 40 24" aria-hidden="true">'
    '<rect x="1.3" y="3.3" width="37.4" height="17.4" rx="8.7" fill="#C6D352" stroke="currentColor" '
    'stroke-width="2.6"/><path d="M11 4v16M29 4v16" stroke="currentColor" stroke-width="2.2"/>'
    '<ellipse cx="20" cy="12" rx="5.2" ry="4" fill="#FBFDEB" stroke="currentColor" '
    'stroke-width="2"/></svg>'
)

#: The kinds of page, in the order of the menu; each module has a ``KIND``.
KINDS: Mapping[str, str] = MappingProxyType(
    {
        "leaderboard": "equipoise.pages.html.leaderboard_page",
        "match": "equipoise.pages.html.match_page",
        "player": "equipoise.pages.html.player_page",
        "fairness": "equipoise.pages.html.fairness_page",
        "servers": "equipoise.pages.html.servers_page",
        "search": "equipoise.pages.html.search_page",
    }
)

#: The first page, which is no kind of its own.
FRONT = "equipoise.pages.html.front_page"

#: The kinds in the menu, and those at the foot of pages.
MENU, FOOT = ("leaderboard", "match"), ("fairness", "servers")

#: The page that a host of files shows for what is missing.
NOT_FOUND = "404.html"

#: Matches that are looked through at once for one of them.
AT_ONCE = 1_000  # effort

#: The longest name on a page; a title shows the whole one up to what games allow.
LONGEST = 60


@dataclass(frozen=True, slots=True)
class PageKind:
    """A kind of page.

    Parameters
    ----------
    name : str
        Its folder; its heading is the catalogue's text of that name.
    keys : callable
        The names of the pages that there are, ``index`` being the one in the menu.
    render : callable
        From the site, a name and the query to the page (HTML, or the text of another ending); None where
        there is no such page.
    """

    name: str
    keys: Callable[[Site], Iterable[str]]
    render: Callable[[Site, str, Mapping[str, str]], str | None]


class MatchPlaces:
    """The places of matches by their slugs; the newest, which are asked for most, are looked at first."""

    def __init__(self, ids: Sequence[str]) -> None:
        self._ids, self._left = ids, len(ids)
        self._found: dict[str, int] = {}

    def get(self, wanted: str) -> int | None:
        """Return the place of a match, None where there is none."""
        while wanted not in self._found and self._left:
            first = max(self._left - AT_ONCE, 0)
            self._found.update((slug(self._ids[place]), place) for place in range(first, self._left))
            self._left = first
        return self._found.get(wanted)


@dataclass(frozen=True)
class Site:
    """The pages of an archive.

    Parameters
    ----------
    chronicle : Chronicle
        What they show.
    language : str
        Whose texts.
    live : bool
        Whether a service shows them, which can search and announces news.
    split : float, optional
        The date before and after which fairness is compared, seconds since 1970.
    sessions : callable
        Gives what runs now on game servers, as a service lists it.
    """

    chronicle: Chronicle
    language: str = "en"
    live: bool = False
    split: float | None = None
    sessions: Callable[[], Sequence[Mapping[str, Any]]] = tuple

    @cached_property
    def t(self) -> Mapping[str, str]:
        """The texts."""
        return texts_of_pages(self.language)

    @cached_property
    def slugs(self) -> Mapping[str, str]:
        """The player of each slug."""
        return {slug(player): player for player in self.chronicle.players}

    @cached_property
    def people(self) -> Sequence[tuple[str, str, int, int]]:
        """All players: name, slug, games and points; those of most games first."""
        return tuple(everybody(self.chronicle))

    @cached_property
    def ruleset_slugs(self) -> Mapping[str, Ruleset]:
        """The ruleset of each slug."""
        return {slug(ruleset_text(ruleset)): ruleset for ruleset in self.chronicle.rulesets}

    @cached_property
    def match_slugs(self) -> MatchPlaces:
        """The place of each match by its slug."""
        return MatchPlaces(self.chronicle.texts["ids"])

    def paths(self) -> Iterator[str]:
        """Go through the paths of all pages."""
        yield "index.html"
        if not self.live:
            yield NOT_FOUND
        for name in KINDS:
            for key in kind(name).keys(self):
                yield f"{name}/{key}" if "." in key else f"{name}/{key}.html"

    def page(self, path: str, query: Mapping[str, str] | None = None) -> str | None:
        """Return the page at a path, None where there is none."""
        if path in ("", "index.html"):
            return kind("front").render(self, "index", {})
        if path == NOT_FOUND:
            return page_beside_archive("missing", root="../", here="", language=self.language)
        folder, _, name = path.partition("/")
        if folder not in KINDS or "/" in name:
            return None
        key = name.removesuffix(".html") if name.endswith(".html") else name
        return kind(folder).render(self, key or "index", query or {})

    def render(self, template: str, root: str, title: str, **given: Any) -> str:
        """Return a page from a template.

        Parameters
        ----------
        template : str
            Its file.
        root : str
            What leads from the page to the site's root: ``""`` or ``"../"``.
        title : str
            What the page is called.
        **given
            What the template shows.
        """
        return (
            environment()
            .get_template(template)
            .render(
                {**shared(self.language), "title": title, "root": root, "site": self, "news": "all", **given}
            )
        )

    # What templates ask for

    def player_link(self, player: str, root: str) -> str:
        """Return where a player's page is."""
        return f"{root}player/{slug(player)}.html"

    def ruleset_link(self, ruleset: Ruleset, root: str) -> str:
        """Return where a ruleset's table is."""
        return f"{root}leaderboard/{slug(ruleset_text(ruleset))}.html"

    def match_link(self, place: int, root: str) -> str:
        """Return where a match's page is."""
        return f"{root}match/{slug(self.chronicle.texts['ids'][place])}.html"


def shared(language: str) -> dict[str, Any]:
    """Return what all templates are given."""
    return {
        "t": texts_of_pages(language), "language": texts(language)["language"], "menu": MENU, "foot": FOOT,
        "policy": policy(), "style": Markup(style()),  # noqa: S704  # a file of the package
    }  # fmt: skip


@cache
def texts_of_pages(language: str) -> Mapping[str, str]:
    """Return the texts of pages, and those of teams and levels, which an evening has too."""
    every = texts(language)
    return {**{name: every["tonight"][name] for name in OF_LEVELS}, **every["pages"]}


#: Texts that pages share with an evening.
OF_LEVELS = (
    "team_1", "team_2", "team_3", "team_4", "team_n", "even", "close", "ahead", "far_ahead", "in_100", "to",
)  # fmt: skip


def everybody(chronicle: Chronicle) -> Iterator[tuple[str, str, int, int]]:
    """Go through all players, those of most games first: name, slug, games, points where they play most."""
    total, most = np.zeros((2, len(chronicle.players)), dtype=np.int64)
    weight = np.zeros(len(chronicle.players))
    for number in range(len(chronicle.listed_rulesets)):
        known = chronicle.standings(number)
        total[known.players] += known.games
        more = known.games > most[known.players]
        most[known.players[more]] = known.games[more]
        weight[known.players[more]] = chronicle.columns["weight"][known.rows[more]]
    for who in np.argsort(-total, kind="stable").tolist():
        name = chronicle.players[who]
        yield shown(chronicle.name_of(name)), slug(name), int(total[who]), points(float(weight[who]))


@cache
def kind(name: str) -> PageKind:
    """Return a kind of page."""
    found: PageKind = import_module(KINDS.get(name, FRONT)).KIND
    return found


@cache
def slug(text: str) -> str:
    """Return a name as part of a path: what is plain of it, and a hash that tells it from all others.

    Examples
    --------
    >>> slug("Ann"), slug("../../etc/passwd")[:11]
    ('ann-17239b6e25', 'etc-passwd-')
    """
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()[:200]).strip("-")[:40].strip("-")
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:10]
    return f"{plain}-{digest}" if plain else digest


def shown(name: str) -> str:
    """Return a name as a page shows it: signs that would change the text around it escaped, cut if long."""
    plain = printable(name)
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "\u2026"


def day(seconds: float | None) -> str:
    """Return the day of a time in UTC."""
    return date(seconds)[:10]


def date(seconds: float | None, dated: bool = True) -> str:
    """Return a time in UTC; ``~`` marks one that is assumed."""
    if seconds is None or not -6e10 < seconds < 2.5e11:
        return "?"
    text = datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
    return text if dated else f"~ {text}"


def percent(chance: float | None) -> str:
    """Return a probability as people write it."""
    return "?" if chance is None or math.isnan(chance) else f"{100 * chance:.0f} %"


def table_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    r"""Return a table as CSV in which no cell is a formula.

    Examples
    --------
    >>> table_csv(["name"], [["=1+1"], ["Ann"]])
    "name\r\n'=1+1\r\nAnn\r\n"
    """
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    for row in rows:
        writer.writerow([_harmless(cell) for cell in row])
    return out.getvalue()


def _harmless(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    text = printable(cell)
    return f"'{text}" if text.startswith(FORMULA) else text


@cache
def environment() -> Environment:
    """Return what fills templates: everything is escaped unless it is marked as markup."""
    made = Environment(
        loader=PackageLoader("equipoise.pages.html", "templates"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.filters |= {
        "shown": shown, "whole": printable, "date": date, "day": day, "percent": percent,
        "ruleset": ruleset_text, "score": "{:g}".format, "points": points, "signed": signed,
        "line": sparkline,
    }  # fmt: skip
    icon = base64.b64encode(mark_file().encode()).decode()
    made.globals |= {"mark": Markup(MARK), "icon": icon}  # noqa: S704  # a constant
    return made


@cache
def missing_html(language: str = "en") -> str:
    """Return the page for what is not there.

    Examples
    --------
    >>> "There is nothing here" in missing_html()
    True
    """
    return page_beside_archive("missing", root="/", here="", language=language)


def page_beside_archive(name: str, *, root: str, here: str, language: str) -> str:
    """Return a page that no archive is needed for, of the look of all others.

    Parameters
    ----------
    name : str
        Of its template, and of its title among the texts.
    root : str
        What stands before addresses of other pages.
    here : str
        Which kind of page it is in the menu; empty for none.
    language : str
        Of the texts.
    """
    title = texts_of_pages(language)[name]
    return environment().get_template(f"{name}.html").render(
        {**shared(language), "title": title, "root": root, "here": here, "site": SimpleNamespace(live=False),
         "news": ""}
    )  # fmt: skip


@cache
def style() -> str:
    """Return the one style of all pages."""
    folder = files("equipoise.pages.html")
    return "".join(folder.joinpath(name).read_text(encoding="utf-8") for name in ("style.css", "pages.css"))


@cache
def mark_file() -> str:
    """Return the mark as a picture of its own."""
    return MARK.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(
        "currentColor", "#221E18"
    )


@cache
def policy() -> str:
    """Return the content security policy: what is served here, and the one style."""
    digest = base64.b64encode(hashlib.sha256(style().encode()).digest()).decode()
    return (
        f"default-src 'self'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'self'"
    )
