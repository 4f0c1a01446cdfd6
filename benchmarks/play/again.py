"""Nights of four to sixteen people: teams that come again while unseen ones lie within the price.

Equal, nearly equal and spread ratings, six rounds each, some of them refused and some played.
Up to twelve people, what comes again is judged against all ways to divide.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from equipoise.core.player import Player
from equipoise.core.win_probability import win_probability
from equipoise.play.evening_events import Setup
from equipoise.play.ledger import LedgerGame
from equipoise.play.proposals import MEETING, Rated, arrange
from equipoise.teams.request import BalanceRequest

#: Rounds of a night, people up to whom all ways to divide are gone through, and spreads of their ratings.
ROUNDS, BRUTE, SPREADS = 6, 12, {"equal": 0.0, "nearly equal": 0.3, "spread": 5.0}


def known(names: Sequence[str], spread: float, seed: int) -> Rated:
    """Return what is known of people."""
    skill = dict(zip(names, np.random.default_rng(seed).normal(25.0, spread, len(names)), strict=True))
    return lambda ids: ([Player(each, float(skill[each])) for each in ids], {"beta": 5.0})


def distances(names: Sequence[str], rated: Rated) -> dict[frozenset[frozenset[str]], float]:
    """Return how far each way to divide people is from even, in win probability."""
    players, units = rated(names)
    asked = BalanceRequest.of(players, **units).units
    mu = {each.id: float(each.rating.mu) for each in players}  # type: ignore[union-attr]  # a rating
    total, found = sum(mu.values()), {}
    for size in {len(names) // 2, (len(names) + 1) // 2}:
        for mates in combinations(names[1:], size - 1):
            one = frozenset((names[0], *mates))
            first = sum(mu[player] for player in one)
            sums = np.array([[first, total - first]])
            sizes = np.array([[float(size), float(len(names) - size)]])
            chance = win_probability(sums, 0.0 * sums, sizes, asked.beta, asked.zero)[0][0]
            found[frozenset({one, frozenset(names) - one})] = abs(float(chance) - 0.5)
    return found


def evening(seed: int) -> Counter[str]:
    """Play a night and count rounds, teams that come again, and those that should not have."""
    rng = np.random.default_rng(seed)
    names = [f"p{n:02d}" for n in range(int(rng.integers(4, 17)))]
    rated = known(names, list(SPREADS.values())[seed % 3], seed)
    fair = distances(names, rated) if len(names) <= BRUTE else {}
    least, seen, games, counted = min(fair.values(), default=0.0), set(), [], Counter[str]()
    for number in range(ROUNDS):
        found = arrange(games, Setup(tuple(names)), rated, f"m{number}", seen=seen)
        again = found.proposal.parted in seen
        within = any(value <= least + MEETING - 1e-9 for split, value in fair.items() if split not in seen)
        counted.update(rounds=1, again=again, unsaid=again != found.repeated, wrong=again and within)
        seen.add(found.proposal.parted)
        if rng.random() < 0.6:
            games.append(LedgerGame(found.proposal.teams, found.proposal.chances, (1, 2)))
    return counted


def run(nights: int = 1000) -> dict[str, Any]:
    """Play nights and return what was counted, by the spread of ratings."""
    start, found = time.process_time(), {name: Counter[str]() for name in SPREADS}
    for seed in range(nights):
        found[list(SPREADS)[seed % 3]].update(evening(seed))
    return {
        "nights": nights,
        "seconds": time.process_time() - start,
        **{k: dict(v) for k, v in found.items()},
    }


if __name__ == "__main__":
    print(run())
