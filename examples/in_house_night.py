"""An in-house night: the roster changes between games, and nobody should meet the same teams twice in a row.

Run it with ``python examples/in_house_night.py``.
"""

from __future__ import annotations

import numpy as np

from equipoise import Bots, Player, Rating, balance, choose

REGULARS = [
    Player("Amber", Rating(31, 2.0), party="siblings"),
    Player("Birch", Rating(12, 2.0), party="siblings"),
    Player("Cedar", Rating(47, 4.0)),
    Player("Dahlia", Rating(25, 1.5)),
    Player("Elm", Rating(38, 3.0)),
    Player("Fern", Rating(19, 2.5)),
    Player("Ginkgo", Rating(54, 5.0)),
    Player("Hazel"),  # a newcomer: counted as the mean of the others
    Player("Iris", Rating(41, 2.0)),
    Player("Juniper", Rating(16, 2.0)),
    Player("Kudzu", Rating(29, 1.0)),
    Player("Larch", Rating(35, 3.0)),
]


def main() -> None:
    """Divide three games' rosters, one of the ten best splits each, as seeded."""
    rng = np.random.default_rng(2026)
    for game, absent in enumerate([set(), {"Elm"}, {"Elm", "Fern", "Larch"}], start=1):
        here = [player for player in REGULARS if player.id not in absent]
        solution = balance(here, bots=Bots(weight=28, target=12), apart=[("Ginkgo", "Cedar")], keep=10)
        split = choose(solution, rng=rng, power=4)
        print(f"Game {game} ({solution.status}):")
        for team, bots, chance in zip(split.teams, split.bots, split.win_probability, strict=True):
            names = [player.id for player in team] + ["bot"] * bots
            print(f"  {100 * chance:.1f} %  {', '.join(names)}")


if __name__ == "__main__":
    main()
