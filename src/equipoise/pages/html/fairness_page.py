"""Fairness: whether predictions hold, by how much games are won, and how many are one-sided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import numpy as np

from equipoise.pages.html.graphs import calibration_graph, columns_graph
from equipoise.pages.html.site import PageKind, Site, day

#: Bins of chances and of margins, and rulesets that are listed.
BINS, RULESETS = 10, 100

#: A game is one-sided where the winners made three quarters of the points of both, or (without points) had
#: so much chance; a favourite below this much is no favourite.
ONE_SIDED, EVEN = 0.5, 0.6
ONE_SIDED_CHANCE = 0.75


def keys(site: Site) -> Iterator[str]:
    """There is one page."""
    del site
    return iter(["index"])


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return the page."""
    if key != "index":
        return None
    columns, chronicle = site.chronicle.columns, site.chronicle
    split = _date_in(query.get("date", "")) or site.split
    every = np.ones(len(columns["contest_at"]), dtype=bool)
    parts = [{"title": site.t["all_time"], **part_of(site, every)}]
    if split is not None:
        early = columns["contest_at"] < split
        titles = (site.t[name].format(date=day(split)) for name in ("before", "after_date"))
        parts = [
            {"title": title, **part_of(site, some)}
            for title, some in zip(titles, (early, ~early), strict=True)
        ]
    which = columns["contest_ruleset"]
    many = np.bincount(which, minlength=len(chronicle.listed_rulesets))
    order = np.argsort(-many, kind="stable")[:RULESETS].tolist()
    rulesets = [
        (chronicle.listed_rulesets[number], part_of(site, which == number, graphs=False))
        for number in order
        if many[number]
    ]
    return site.render(
        "fairness.html", "../", site.t["fairness"], parts=parts, rulesets=rulesets, query=query,
        here="fairness",
    )  # fmt: skip


def _date_in(text: str) -> float | None:
    try:
        return datetime.strptime(text[:10], "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def part_of(site: Site, chosen: Any, *, graphs: bool = True) -> dict[str, Any]:
    """Return the figures of some contests, given as a mask over all of them."""
    columns = site.chronicle.columns
    chance, won, margin = (
        columns[name][chosen].astype(np.float64) for name in ("favourite", "favourite_won", "margin")
    )
    count = len(chance)
    if not count:
        return {"contests": 0, "one_sided": None, "favourites": None, "even": None}
    unknown = np.isnan(margin)
    one_sided = np.where(unknown, chance >= ONE_SIDED_CHANCE, margin >= ONE_SIDED)
    found = {
        "contests": count, "one_sided": float(one_sided.mean()), "even": float((chance < EVEN).mean()),
        "favourites": float(won.mean()),
    }  # fmt: skip
    if not graphs:
        return found
    bin_of = np.minimum((chance * BINS).astype(int), BINS - 1)
    sums = [np.bincount(bin_of, weights, BINS) for weights in (None, chance, won)]
    bins = [(int(n), a / n, b / n) for n, a, b in zip(*(each.tolist() for each in sums), strict=True) if n]
    widths = np.bincount(np.minimum((margin[~unknown] * BINS).astype(int), BINS - 1), minlength=BINS)
    labels = [*(f"{100 * n // BINS} %" for n in range(BINS - 1)), "100 %"]
    return {
        **found, "bins": bins, "calibration": calibration_graph(bins, site.t["graph_calibration"]),
        "margins": columns_graph(widths.tolist(), labels, site.t["graph_margins"]),
    }  # fmt: skip


KIND = PageKind("fairness", keys, render)
