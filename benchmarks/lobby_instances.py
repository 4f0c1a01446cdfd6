"""Instances of lobby filling as tournaments have them: 14 to 300 players in teams of three to five."""

from __future__ import annotations

from typing import Any

import numpy as np

from equipoise import Lobby

#: Families of skill, with a standard deviation of about 1 each.
FAMILIES = ("normal", "uniform", "gamma", "lognormal", "whole numbers")


def skills(rng: np.random.Generator, family: str, n: int) -> list[float]:
    """Return the skills of n players."""
    drawn = {
        "normal": lambda: rng.normal(5.0, 1.0, n),
        "uniform": lambda: rng.uniform(3.3, 6.7, n),
        "gamma": lambda: rng.gamma(6.0, 0.4, n),
        "lognormal": lambda: 1.4 * np.exp(rng.normal(0.0, 0.6, n)),
        "whole numbers": lambda: np.rint(rng.normal(1200.0, 400.0, n)),
    }[family]()
    return [float(skill) for skill in drawn]


def tournament(seed: int) -> dict[str, Any]:
    """Return the arguments of ``fill`` for one instance.

    Parties are there in two of three, limits on the lobbies' numbers of teams in half, players barred from
    a lobby in a fifth, smaller teams, means and absolute deviations in some.

    Parameters
    ----------
    seed : int
        Of the only randomness.
    """
    rng = np.random.default_rng([seed, 16])
    family = FAMILIES[seed % len(FAMILIES)]
    n = int(np.exp(rng.uniform(np.log(14), np.log(301))))
    team_size = int(rng.integers(3, 6))
    skill = skills(rng, family, n)
    names = [f"p{k}" for k in range(n)]
    per_player = bool(rng.random() < 0.15)
    min_size = team_size - 1 if rng.random() < 0.15 else team_size
    teams = n // team_size
    lobbies = int(min(rng.integers(1, 7), max(teams // 2, 1)))
    unit = 1.0 if per_player else float(team_size)
    mean, spread = float(np.mean(skill)), float(np.std(skill))
    # Targets as far apart as teams of random players are, and up to twice as far.
    apart = rng.uniform(0.5, 2.0) * spread * np.sqrt(team_size) * unit / team_size
    targets = mean * unit + apart * (np.arange(lobbies) - (lobbies - 1) / 2.0)
    least, most = 0, None
    if rng.random() < 0.5:
        least, most = int(0.5 * teams / lobbies), int(np.ceil(1.6 * teams / lobbies))
    made = [Lobby(f"L{k}", float(np.round(target, 4)), least, most) for k, target in enumerate(targets)]
    parties, at = [], 0
    share = rng.choice([0.0, 0.2, 0.5])
    order = rng.permutation(n)
    while at < share * n:
        size = int(rng.integers(2, team_size + 1))
        parties.append([names[k] for k in order[at : at + size]])
        at += size
    barred = {}
    if lobbies > 1 and rng.random() < 0.2:
        barred = {names[k]: [made[-1].name] for k in rng.choice(n, n // 10, replace=False)}
    return {
        "players": dict(zip(names, skill, strict=True)),
        "lobbies": made,
        "team_size": team_size,
        "min_size": min_size,
        "zero": 0.0,
        "parties": [party for party in parties if len(party) > 1],
        "barred": barred,
        "deviation": "absolute" if rng.random() < 0.15 else "squared",
        "per_player": per_player,
    }
