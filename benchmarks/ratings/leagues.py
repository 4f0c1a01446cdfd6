"""Leagues with a known truth that go wrong for one model or another: ``python -m benchmarks leagues``.

Four kinds, each of many leagues from seeds of their own: *smurfs* (strong players who join late, as new
accounts), *newcomers* (somebody new comes for somebody old, all the time), *misleading* statistics (those who
win have fewer kills), and *style* (kills tell how somebody plays, not how well).  The first two have results
alone, the others scores and statistics too.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from benchmarks.reporting import PAGES, RAW, add_modes, describe, keep

from equipoise.core.match import Contest, Ruleset, Statistics
from equipoise.core.registry import MODELS, resolve

KINDS = ("smurfs", "newcomers", "misleading", "style")

#: Players of a league at a time, of a team, and contests.
PLAYERS, SIZE, CONTESTS = 40, 4, 320

#: Standard deviation of true skill, in units of one player's noise in one game, over the leagues.
SIGMAS = (0.5, 0.8, 1.1)

#: When smurfs come, how many, and how many standard deviations above the mean they are.
FROM, SMURFS, ABOVE = 0.4, 6, (2.0, 3.0)

#: One player in so many contests makes room for a newcomer.
TURNOVER = 4

#: Mean kills, what a unit of skill adds to their logarithm if they mislead, and a player's own style.
KILLS, MISLEADING, STYLE = 15.0, -0.15, 0.6


def league(kind: str, seed: int) -> list[Contest]:
    """Return the contests of a league."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    sigma = SIGMAS[seed % len(SIGMAS)]
    skill = list(rng.normal(0.0, sigma, PLAYERS))
    style = list(rng.normal(0.0, STYLE, PLAYERS))
    here, made = list(range(PLAYERS)), []
    for n in range(CONTESTS):
        if kind == "smurfs" and n == int(FROM * CONTESTS):
            here += range(len(skill), len(skill) + SMURFS)
            skill += list(sigma * rng.uniform(*ABOVE, SMURFS))
            style += list(rng.normal(0.0, STYLE, SMURFS))
        if kind == "newcomers" and n % TURNOVER == TURNOVER - 1:
            here[int(rng.integers(len(here)))] = len(skill)
            skill.append(rng.normal(0.0, sigma))
            style.append(rng.normal(0.0, STYLE))
        who = rng.choice(here, 2 * SIZE, replace=False)
        made.append(_contest(rng, kind, n, who, np.array(skill), np.array(style)))
    return made


def _contest(rng: np.random.Generator, kind: str, number: int, who: Any, skill: Any, style: Any) -> Contest:
    line_up = who.reshape(2, SIZE)
    strength = skill[line_up]
    performance = (strength + rng.normal(0.0, 1.0, strength.shape)).sum(axis=1)
    won = performance[0] > performance[1]
    teams = [[f"p{player}" for player in team] for team in line_up.tolist()]
    ranks, at = ((1, 2) if won else (2, 1)), number * 3600.0
    if kind in ("smurfs", "newcomers"):
        return Contest(Ruleset(), teams, ranks, at=at)
    points = np.round(50.0 * np.exp(0.3 * (performance - performance.mean()) / math.sqrt(2.0 * SIZE)))
    if points[0] == points[1]:
        points[int(not won)] -= 1.0
    against = strength.mean(axis=1)[::-1, None]
    slope = MISLEADING if kind == "misleading" else 0.05
    own = style[line_up] if kind == "style" else 0.0
    edge = slope * (strength - against) + own
    kills, deaths = rng.poisson(KILLS * np.exp(edge)), rng.poisson(KILLS * np.exp(-edge))
    reports = [
        Statistics(player, float(k), float(d))
        for player, k, d in zip([*teams[0], *teams[1]], kills.ravel(), deaths.ravel(), strict=True)
    ]
    return Contest(Ruleset(), teams, ranks, at=at, scores=points.tolist(), statistics=reports)


def leagues(kind: str, many: int, first: int = 0) -> Sequence[list[Contest]]:
    """Return several leagues of a kind."""
    return [league(kind, seed) for seed in range(first, first + many)]


#: Leagues of a kind, and the part of each that is not scored.
MANY, WARM_UP = 40, 0.2

#: Who is shown how fast: a newcomer so many standard deviations above veterans, after so many games.
STRONG, GAMES, BEFORE, VETERANS, SHOWN = 2.5, 10, 40, 40, 0.65

RESULTS, REPORT = RAW / "leagues.json", PAGES / "LEAGUES.md"


def measure(many: int) -> dict[str, Any]:
    """Return the mean log-loss of each model on each kind, and how fast and how steady ratings are."""
    models: dict[str, Any] = {name: resolve("model", MODELS, name)() for name in MODELS}
    losses: dict[str, dict[str, float]] = {kind: {} for kind in KINDS}
    for kind in KINDS:
        played = leagues(kind, many)
        for name, model in models.items():
            found = []
            for contests in played:
                _, chances = model.run(model.initial(), contests)
                rows = list(zip(chances, contests, strict=True))[int(WARM_UP * len(contests)) :]
                found += [-math.log(max(row[contest.ranks.index(1)], 1e-6)) for row, contest in rows]
            losses[kind][name] = float(np.mean(found))
    joined = [_with_a_smurf(np.random.default_rng([9, seed])) for seed in range(many // 2)]
    shown = {name: _shown(model, joined) for name, model in models.items()}
    return {**describe(), "leagues": many, "losses": losses, "shown": shown}


def _with_a_smurf(rng: np.random.Generator) -> tuple[list[Contest], list[Contest]]:
    """Return contests of veterans, and those after them of somebody new who is far stronger."""
    skill = rng.normal(0.0, 1.0, VETERANS)
    skill = np.append(0.8 * (skill - skill.mean()) / skill.std(), 0.8 * STRONG)
    rows: list[Contest] = []
    for n in range(BEFORE * VETERANS // (2 * SIZE) + GAMES):
        late = n >= BEFORE * VETERANS // (2 * SIZE)
        who = rng.choice(VETERANS, 2 * SIZE - late, replace=False)
        who = rng.permutation([*who, VETERANS] if late else who)
        rows.append(_contest(rng, "smurfs", n, who, skill, skill))
    return rows[:-GAMES], rows[-GAMES:]


def _shown(model: Any, joined: Sequence[tuple[list[Contest], list[Contest]]]) -> dict[str, float]:
    """Return the part of the newcomer's lead that is shown, and how far veterans moved meanwhile."""
    parts, moves = [], []
    for before, after in joined:
        known = model.run(model.initial(), before)[0]
        then = model.run(known, after)[0]
        old, new = (
            np.array([model.rating(state, f"p{n}").mu for n in range(VETERANS)]) for state in (known, then)
        )
        lead = model.rating(then, f"p{VETERANS}").mu - new.mean()
        parts.append(lead / new.std() / STRONG)
        moves.append(float(np.abs((new - new.mean()) - (old - old.mean())).mean() / new.std()))
    return {"shown": float(np.mean(parts)), "moved": float(np.mean(moves))}


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    losses, shown = results["losses"], results["shown"]
    models = list(shown)
    rows = [
        (kind, *(f"{row[name]:.4f}" for name in models), f"{row['default'] - min(row.values()):.4f}")
        for kind, row in losses.items()
    ]
    lines = [
        "# Leagues with smurfs, newcomers and statistics that mislead",
        "",
        "`python -m benchmarks leagues` measured and wrote this; do not edit.",
        "What each kind is stands at the top of that file.",
        "",
        f"- Date: {results['date']}; commit {results['commit']}; {results['leagues']} leagues of each kind.",
        "",
        "Mean log-loss of what was predicted; the first fifth of each league is not scored.",
        "",
        *_table(("league", *models, "default above the best"), rows),
        "",
        f"A newcomer who is {STRONG} standard deviations above {VETERANS} veterans with {BEFORE} games each:",
        f"the part of that which is shown after {GAMES} games with results alone, and how far veterans move",
        "meanwhile, in their standard deviations.",
        "",
        *_table(
            ("model", "shown", "veterans move"),
            [(name, f"{row['shown']:.2f}", f"{row['moved']:.3f}") for name, row in shown.items()],
        ),
        "",
        f"The default model is to show {SHOWN}: {'met' if shown['default']['shown'] >= SHOWN else 'missed'}.",
        "",
    ]
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (head, ("---",) * len(head), *rows)]


def main() -> int:
    """Measure, report or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_modes(parser)
    parser.add_argument("--leagues", type=int, default=MANY, help="of each kind")
    given = parser.parse_args()
    return keep(given, RESULTS, REPORT, lambda: measure(given.leagues), report)
