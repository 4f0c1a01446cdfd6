"""A report: one page of an archive that needs no other file, to pass on."""

from __future__ import annotations

from equipoise.pages.html.fairness_page import judged_of, part_of
from equipoise.pages.html.site import Site

#: Rulesets, and players of each, that a report has.
RULESETS, ROWS = 5, 50


def report_html(site: Site) -> str:
    """Return the report: the strongest of each ruleset, and how fair the games were."""
    chronicle = site.chronicle
    tables = [(ruleset, rows[:ROWS]) for ruleset, rows in list(chronicle.tables.items())[:RULESETS]]
    title = site.t["report"]
    return site.render(
        "report.html", "", title, chronicle=chronicle, tables=tables, part=part_of(site, judged_of(site))
    )
