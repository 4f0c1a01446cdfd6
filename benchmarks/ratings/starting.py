"""Starting weights in leagues: ``python -m benchmarks starting`` writes ``STARTING.md`` and its picture.

Each league has twelve players with standard normal skill (in units of a player's noise in a game), two games
of six against six a night.  Teams of a night are the most even ones by the weights at its beginning; only
results are reported.
``--leagues N`` plays fewer of them and ``--check`` writes nothing.
"""

from __future__ import annotations

import argparse
import itertools
import math
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES

from equipoise.core.match import Contest, Ruleset
from equipoise.ratings.models.gaussian_filter.mixture import Mixture

REPORT, PICTURE = PAGES / "STARTING.md", PAGES / "starting.svg"

PLAYERS, NIGHTS, GAMES, LEAGUES, SEEDS = 12, 16, 2, 100, 5
#: How guesses correlate with the truth: useful ones, and ones that know nothing.
USEFUL, USELESS = 0.75, 0.0

IDS = [f"p{n:02d}" for n in range(PLAYERS)]
HALVES = np.array([
    [1.0 if n == 0 or n in rest else -1.0 for n in range(PLAYERS)]
    for rest in itertools.combinations(range(1, PLAYERS), PLAYERS // 2 - 1)
])  # fmt: skip


def league(seed: int, number: int, correlation: float) -> dict[str, list[float]]:
    """Return the mean distance of the true chance from even on each night, by each kind of weights."""
    rng = np.random.default_rng([seed, number])
    truth = rng.normal(size=PLAYERS)
    guesses = correlation * truth + math.sqrt(1.0 - correlation**2) * rng.normal(size=PLAYERS)
    luck = rng.random((NIGHTS, GAMES))
    starting = dict(zip(IDS, (1500.0 + 300.0 * guesses).tolist(), strict=True))
    kinds: dict[str, Any] = {"guesses": None, "ratings": Mixture(), "both": Mixture(starting=starting)}
    return {name: _season(model, truth, guesses, luck) for name, model in kinds.items()}


def _season(model: Mixture | None, truth: Any, guesses: Any, luck: Any) -> list[float]:
    state = None if model is None else model.initial()
    nights = []
    for night in range(NIGHTS):
        known = guesses
        if model is not None and state is not None:
            known = np.array([model.rating(state, player).mu for player in IDS])
        leads = np.abs(HALVES @ known)
        best = int(np.flatnonzero(leads <= leads.min() + 1e-9)[0])
        chance = 0.5 * math.erfc(-float(HALVES[best] @ truth) / math.sqrt(2.0 * PLAYERS))
        nights.append(abs(chance - 0.5))
        for game in range(GAMES):
            if model is not None and state is not None:
                teams = tuple(
                    [p for p, side in zip(IDS, HALVES[best], strict=True) if side == one] for one in (1, -1)
                )
                ranks = (1, 2) if luck[night, game] < chance else (2, 1)
                contest = Contest(Ruleset(), teams, ranks, at=86400.0 * 7 * night + 1800.0 * game)
                state = model.update(state, contest)
    return nights


def measure(leagues: int, seeds: int) -> dict[str, dict[str, Any]]:
    """Return of each correlation and kind an array of (league, night)."""
    found: dict[str, dict[str, Any]] = {}
    for name, correlation in (("useful", USEFUL), ("useless", USELESS)):
        played = [league(seed, n, correlation) for seed in range(seeds) for n in range(leagues)]
        found[name] = {kind: np.array([each[kind] for each in played]) for kind in played[0]}
    return found


def verdicts(found: dict[str, dict[str, Any]]) -> list[tuple[str, str, str, bool]]:
    """Return what must hold: the claim, the bar, what was measured, and whether it holds."""
    useful, useless = found["useful"], found["useless"]
    above = (useful["both"] - useful["guesses"]).mean(axis=1)
    error = 1.96 * above.std(ddof=1) / math.sqrt(len(above))
    mean = float(above.mean())
    late = float(useful["both"][:, 12:].mean())
    lost = float((useless["both"] - useless["ratings"])[:, 12:].mean())
    first = float(np.abs(useful["both"][:, 0] - useful["guesses"][:, 0]).mean())
    return [
        ("first night, difference from teams by guesses", "0", f"{first:.3f}", first <= 1e-9),
        ("nights 1 to 16, above guesses", "0", f"{mean:+.4f} ± {error:.4f}", mean - error <= 0.0),
        ("nights 13 to 16", "0.165", f"{late:.3f}", late <= 0.165),
        ("guesses that know nothing, nights 13 to 16, above ratings alone", "0.01", f"{lost:+.4f}",
         lost <= 0.01),
    ]  # fmt: skip


def report(found: dict[str, dict[str, Any]], leagues: int, seeds: int) -> str:
    """Return the page."""
    rows = [
        f"| {what} | {bar} | {got} | {'yes' if met else '**no**'} |"
        for what, bar, got, met in verdicts(found)
    ]
    lines = [
        "# Starting weights", "",
        "`python -m benchmarks starting` measured and wrote this; do not edit.",
        f"{leagues} leagues for each of {seeds} seeds; what a league is stands at the top of that file.",
        "The figures are means of |p - 1/2| of the teams, p by the true skills.", "",
        "![Mean distance from even over the nights](starting.svg)", "",
        "| what | at most | measured | met |", "|---|---|---|---|",
        *rows, "",
    ]  # fmt: skip
    for name, title in (
        ("useful", f"Guesses that correlate {USEFUL:g} with the truth"),
        ("useless", "Guesses that know nothing"),
    ):
        lines += [f"## {title}", "", "| weights | nights 1-4 | 5-8 | 9-12 | 13-16 |", "|---|---|---|---|---|"]
        for kind, figures in found[name].items():
            quarters = figures.mean(axis=0).reshape(4, 4).mean(axis=1)
            lines.append(f"| {kind} | {' | '.join(f'{x:.3f}' for x in quarters)} |")
        lines.append("")
    return "\n".join(lines)


def picture(found: dict[str, dict[str, Any]]) -> str:
    """Return the curves over the nights as SVG."""
    colours = {"guesses": "#888888", "ratings": "#d95f02", "both": "#1b6ca8"}
    parts = [('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 320" font-family="sans-serif" '
             'font-size="12">'), '<rect width="640" height="320" fill="white"/>']  # fmt: skip
    for level in (0.0, 0.1, 0.2, 0.3):
        y = 290 - 900 * level
        parts.append(f'<path d="M50 {y:g}H520" stroke="#dddddd"/><text x="20" y="{y + 4:g}">{level:g}</text>')
    ends = []
    for kind, figures in found["useful"].items():
        means = figures.mean(axis=0)
        points = " ".join(f"{50 + 31 * n:g},{290 - 900 * x:.1f}" for n, x in enumerate(means))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colours[kind]}" stroke-width="2"/>')
        ends.append((290 - 900 * float(means[-1]), kind))
    last = -100.0
    for y, kind in sorted(ends):
        last = max(y, last + 14)
        parts.append(f'<text x="525" y="{last + 4:.1f}" fill="{colours[kind]}">{kind}</text>')
    parts.append('<text x="50" y="312">mean |p - 1/2| over sixteen nights, two games each</text></svg>')
    return "\n".join(parts) + "\n"


def main() -> int:
    """Play, and write or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leagues", type=int, default=LEAGUES)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 where a bar is missed"
    )
    given = parser.parse_args()
    found = measure(given.leagues, given.seeds)
    for row in verdicts(found):
        print(*row)
    if not given.check:
        REPORT.write_text(report(found, given.leagues, given.seeds), encoding="utf-8")
        PICTURE.write_text(picture(found), encoding="utf-8")
    return 0 if all(met for *_, met in verdicts(found)) else 1
