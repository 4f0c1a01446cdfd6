"""Evening plans against round by round: ``python -m benchmarks evenings`` writes ``EVENINGS.md``.

Thirteen players of normal strength play six rounds of six against six.  Round by round, each round's teams
are those of ``equipoise night again``: the fairest ones that also part those who have just played together,
with the ledger deciding who sits out.  The plan divides all rounds at once.  Both are valued by the sums of a
plan, lower being better.
``--seeds N`` plays fewer of them and ``--check`` writes nothing.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

import numpy as np
from benchmarks.reporting import PAGES

from equipoise.core.player import Player
from equipoise.play.evening_events import Proposal, Setup
from equipoise.play.ledger import LedgerGame
from equipoise.play.proposals import arrange
from equipoise.play.round_plan import Rounds, planned

REPORT = PAGES / "EVENINGS.md"
PLAYERS, SIZE, ROUNDS, SEEDS = 13, 6, 6, 50


def evening(seed: int) -> dict[str, float]:
    """Return what the plan and round by round are worth, and by how many games sitting out differs."""
    names = tuple(f"p{n:02d}" for n in range(PLAYERS))
    skill = dict(zip(names, np.random.default_rng(seed).normal(25.0, 5.0, PLAYERS).tolist(), strict=True))

    def rated(ids: Sequence[str]) -> tuple[list[Player], dict[str, float]]:
        return [Player(each, skill[each]) for each in ids], {"beta": 5.0}

    setup = Setup(names, size=SIZE)
    rounds = Rounds([], setup, rated, ROUNDS)
    games: list[LedgerGame] = []
    proposals: list[Proposal] = []
    for n in range(ROUNDS):
        proposal = arrange(games, setup, rated, f"m{n}", seen={each.parted for each in proposals}).proposal
        proposals.append(proposal)
        games.append(LedgerGame(proposal.teams, proposal.chances, (1.0, 2.0), proposal.out))
    chosen = [_index(rounds, proposal.teams) for proposal in proposals]
    found = planned(rounds, seed)
    return {
        "plan": found.value, "rounds": rounds.value(chosen), "bound": found.bound,
        "plan_unfairness": found.unfairness, "rounds_unfairness": float(rounds.distance[chosen].sum()),
        "plan_repeats": found.repeats, "rounds_repeats": rounds.repeats(chosen),
        "plan_out": _difference(names, found.rounds), "rounds_out": _difference(names, proposals),
    }  # fmt: skip


def _index(rounds: Rounds, teams: Sequence[Sequence[str]]) -> int:
    """Return the index of a split among those of a round, whatever its teams are called."""
    wanted = set(map(frozenset, teams))
    playing = np.array([any(player in team for team in teams) for player in rounds.here])
    same = np.flatnonzero(((rounds.labels >= 0) == playing).all(axis=1)).tolist()
    return next(int(n) for n in same if set(map(frozenset, rounds.teams(n))) == wanted)


def _difference(names: Sequence[str], proposals: Sequence[Proposal]) -> int:
    counts = Counter(player for proposal in proposals for player in proposal.out)
    return max(counts[name] for name in names) - min(counts[name] for name in names)


def report(reported: Sequence[dict[str, float]]) -> tuple[str, bool]:
    """Return the page, and whether what must hold does."""
    columns = {name: np.array([each[name] for each in reported]) for name in reported[0]}
    better = columns["rounds"] - columns["plan"]
    error = 1.96 * better.std(ddof=1) / np.sqrt(len(reported))
    holds = bool(better.mean() - error > 0.0 and (columns["plan_out"] <= columns["rounds_out"]).all())
    rows = [
        f"| {what} | {columns[f'plan{key}'].mean():.4f} | {columns[f'rounds{key}'].mean():.4f} |"
        for what, key in (
            ("value, lower is better", ""), ("distances from even, six rounds", "_unfairness"),
            ("repeated partners and opponents", "_repeats"),
            ("sitting out: most less least", "_out"),
        )
    ]  # fmt: skip
    reported_better = (
        f"The plan is better by {better.mean():.4f} ± {error:.4f} (95 % interval), and better in "
        f"{int((better > 0).sum())} of {len(reported)} evenings.\n"
        f"No plan can be below {columns['bound'].mean():.4f}."
    )
    lines = [
        "# Evening plans", "", "`python -m benchmarks evenings` measured and wrote this; do not edit.",
        f"{PLAYERS} players, {ROUNDS} rounds of {SIZE} against {SIZE}; means of {len(reported)} seeds.", "",
        "| what | plan | round by round |", "|---|---|---|", *rows, "",
        reported_better,
        "Sitting out is no less equal in any evening." if holds else "**What must hold does not.**", "",
    ]  # fmt: skip
    return "\n".join(lines), holds


def main() -> int:
    """Measure, and write or check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    text, holds = report([evening(seed) for seed in range(given.seeds)])
    if given.check or given.seeds != SEEDS:
        print(text)
    else:
        REPORT.write_text(text, encoding="utf-8")
    return 0 if holds else 1
