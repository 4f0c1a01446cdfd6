"""Fairness: whether predictions hold, by how much games are won, and how many are one-sided."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from equipoise.core.match import Contest, Ruleset
from equipoise.pages.html.graphs import calibration_graph, columns_graph
from equipoise.pages.html.site import PageKind, Site, date
from equipoise.ratings.timeline import margin_of, won_by

#: Bins of chances and of margins.
BINS = 10

#: A game is one-sided where the winners made three quarters of the points of both, or (without points) had
#: so much chance; a favourite below this much is no favourite.
ONE_SIDED, EVEN = 0.5, 0.6
ONE_SIDED_CHANCE = 0.75

Judged = tuple[Contest, Sequence[float]]


def keys(site: Site) -> Iterator[str]:
    """There is one page."""
    del site
    return iter(["index"])


def render(site: Site, key: str, query: Mapping[str, str]) -> str | None:
    """Return the page."""
    if key != "index":
        return None
    judged = judged_of(site)
    split = _date_in(query.get("date", "")) or site.split
    parts = [{"title": site.t["all_time"], **part_of(site, judged)}]
    if split is not None:
        day = date(split)[:10]
        early, late = (
            [one for one in judged if one[0].at < split],
            [one for one in judged if one[0].at >= split],
        )
        parts = [{"title": site.t["before"].format(date=day), **part_of(site, early)},
                 {"title": site.t["after_date"].format(date=day), **part_of(site, late)}]  # fmt: skip
    of: dict[Ruleset, list[Judged]] = {}
    for one in judged:
        of.setdefault(one[0].ruleset, []).append(one)
    rulesets = sorted(
        ((ruleset, part_of(site, some)) for ruleset, some in of.items()),
        key=lambda each: -each[1]["contests"],
    )
    return site.render(
        "fairness.html", "../", site.t["fairness"], parts=parts, rulesets=rulesets[:100], query=query,
        here="fairness",
    )  # fmt: skip


def judged_of(site: Site) -> list[Judged]:
    """Return every contest with the chances it was given."""
    chronicle = site.chronicle
    return [(contest, predicted) for match, chances in zip(chronicle.matches, chronicle.chances, strict=True)
            for contest, predicted in zip(match.contests, chances, strict=True)]  # fmt: skip


def _date_in(text: str) -> float | None:
    try:
        return datetime.strptime(text[:10], "%Y-%m-%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


def part_of(site: Site, judged: Sequence[Judged]) -> dict[str, Any]:
    """Return the figures of some contests."""
    sums = [[0, 0.0, 0.0] for _ in range(BINS)]
    margins, one_sided, even = [0] * BINS, 0, 0
    for contest, chances in judged:
        favourite = max(range(len(chances)), key=chances.__getitem__)
        chance = chances[favourite]
        row = sums[min(int(chance * BINS), BINS - 1)]
        row[0], row[1], row[2] = row[0] + 1, row[1] + chance, row[2] + won_by(contest, favourite)
        even += chance < EVEN
        margin = margin_of(contest)
        if margin is not None:
            margins[min(int(margin * BINS), BINS - 1)] += 1
        one_sided += chance >= ONE_SIDED_CHANCE if margin is None else margin >= ONE_SIDED
    count = len(judged)
    if not count:
        return {"contests": 0, "one_sided": None, "favourites": None, "even": None}
    bins = [(int(n), chance / n, won / n) for n, chance, won in sums if n]
    labels = [*(f"{100 * n // BINS} %" for n in range(BINS - 1)), "100 %"]
    return {
        "contests": count, "one_sided": one_sided / count, "even": even / count, "bins": bins,
        "favourites": sum(won for *_, won in sums) / count,
        "calibration": calibration_graph(bins, site.t["graph_calibration"]),
        "margins": columns_graph(margins, labels, site.t["graph_margins"]),
    }  # fmt: skip


KIND = PageKind("fairness", keys, render)
