"""A report: one page of an archive that needs no other file, to pass on."""

from __future__ import annotations

import numpy as np

from equipoise.pages.html.fairness_page import part_of
from equipoise.pages.html.site import Site

#: Rulesets, and players of each, that a report has.
RULESETS, ROWS = 5, 50


def report_html(site: Site) -> str:
    """Return the report: the strongest of each ruleset, and how fair the games were."""
    chronicle = site.chronicle
    tables = [(ruleset, chronicle.table(ruleset, 0, ROWS)) for ruleset in list(chronicle.rulesets)[:RULESETS]]
    every = np.ones(len(chronicle.columns["contest_at"]), dtype=bool)
    title = site.t["report"]
    return site.render(
        "report.html", "", title, chronicle=chronicle, tables=tables, part=part_of(site, every)
    )
