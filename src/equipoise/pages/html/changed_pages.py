"""Which pages of a site are others after matches more: of who played, the matches, and what lists them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

import numpy as np

from equipoise.core.rulesets import ruleset_text
from equipoise.pages.html import leaderboard_page, match_page
from equipoise.pages.html.site import Site, slug


def changed_pages(site: Site, before: int) -> Iterator[str]:
    """Go through the paths of pages that may be others than when there were so many matches."""
    chronicle = site.chronicle
    if before == len(chronicle):
        return
    yield from ("index.html", "match/index.html", "leaderboard/index.html", "fairness/index.html")
    yield from ("servers/index.html", "search/people.js")
    yield from (f"match/{slug(match)}.html" for match in chronicle.texts["ids"][before:])
    rows = match_page.ROWS
    yield from (
        f"match/index_{part}.html" for part in range(max(before // rows, 1), len(chronicle) // rows + 1)
    )
    first = chronicle.rows_in(before).start
    played = np.unique(chronicle.columns["player"][first:])
    shown = np.union1d(played, _beside_renamed(site, before))
    yield from (f"player/{slug(chronicle.players[number])}.html" for number in shown.tolist())
    yield from _tables(site, before)


def _renamed(site: Site, before: int) -> np.ndarray:
    """Return the players who were known and have another name now."""
    columns = site.chronicle.columns
    first = site.chronicle.rows_in(before).start
    known = columns["player"][:first].max(initial=-1)
    named = columns["named_player"][int(np.searchsorted(columns["named_match"], before)) :]
    return np.unique(named[named <= known])


def _beside_renamed(site: Site, before: int) -> np.ndarray:
    """Return those whose pages name somebody who has another name now: all who were in a match with them."""
    chronicle = site.chronicle
    columns = chronicle.columns
    found = []
    for number in _renamed(site, before).tolist():
        theirs = columns["match"][chronicle.rows_of(chronicle.players[number])]
        found.append(columns["player"][np.isin(columns["match"], theirs)])
    return np.unique(np.concatenate(found)) if found else np.empty(0, dtype=int)


def _tables(site: Site, before: int) -> Iterator[str]:
    """Go through the parts of tables in which a row is another, and their CSV."""
    chronicle = site.chronicle
    columns = chronicle.columns
    first = chronicle.rows_in(before).start
    touched = set(np.unique(columns["ruleset"][first:]).tolist())
    renamed = set(_renamed(site, before).tolist())
    for ruleset, number in chronicle.rulesets.items():
        name = slug(ruleset_text(ruleset))
        parts = leaderboard_page.parts_of(site, ruleset)
        if chronicle.week_of(before) != chronicle.week or not before:
            changed = set(range(parts))
        elif number in touched or renamed & set(chronicle.standings(number).players.tolist()):
            changed = _parts(site, number, before, renamed)
        else:
            continue
        for part in changed & set(range(parts)):
            yield f"leaderboard/{name}{f'_{part + 1}' if part else ''}.html"
        yield f"leaderboard/{name}.csv"


def _parts(site: Site, number: int, before: int, renamed: set[int]) -> set[int]:
    chronicle = site.chronicle
    old, new = chronicle.standings(number, before), chronicle.standings(number)
    rows = leaderboard_page.ROWS
    if -(-old.ranked // rows) != -(-new.ranked // rows):
        return set(range(-(-new.ranked // rows) + 1))
    least = min(old.ranked, new.ranked)
    other = np.flatnonzero(old.players[:least] != new.players[:least])
    moved = np.flatnonzero(np.isin(new.players[: new.ranked], [*renamed]))
    played = np.flatnonzero(chronicle.columns["match"][new.rows[: new.ranked]] >= before)
    tail = np.arange(least, max(old.ranked, new.ranked))
    return {0, *(int(at) // rows for at in np.concatenate([other, moved, played, tail]))}


@cache
def look() -> str:
    """Return a hash of what makes pages of data: templates, styles, texts and code."""
    digest = hashlib.sha256()
    for each in sorted(_below(files("equipoise.pages.html")), key=str):
        digest.update(each.read_bytes())
    return digest.hexdigest()[:20]


def _below(folder: Traversable) -> Iterator[Traversable]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _below(each) if each.name != "__pycache__" else ()
        else:
            yield each
