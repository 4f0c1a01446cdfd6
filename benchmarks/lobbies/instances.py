"""Instances of lobby filling as tournaments have them: 14 to 300 players in teams of three to five."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from equipoise import Lobby

#: Families of skill, with a standard deviation of about 1 each.
FAMILIES = ("normal", "uniform", "gamma", "lognormal", "whole numbers")


@dataclass(frozen=True)
class Processor:
    """A stopping criterion by processor time."""

    end: float

    def __call__(self) -> bool:
        """Tell whether the time is up."""
        return time.process_time() >= self.end

    def left(self) -> float:
        """Return the seconds until then."""
        return max(self.end - time.process_time(), 0.0)

    def part(self, share: float) -> Processor:
        """Return the criterion after a share of what is left."""
        return Processor(time.process_time() + share * self.left())


def within(seconds: float) -> Processor:
    """Return the criterion that holds after so much processor time from now."""
    return Processor(time.process_time() + seconds)


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


#: Instances on which plans or bounds were poor once, by name.
CASES = (
    "37 in threes, two lobbies",
    "14 in fives, two lobbies",
    "60 in threes, two allowed",
    "3,000 in threes, two allowed",
    "300 in pairs, a tenth barred from the top",
    "3,000 in pairs, a tenth barred from the top",
    "301 in pairs, one waits",
    *(f"3,000 in pairs, {lobbies} lobbies" for lobbies in (10, 30, 100)),
    *(
        f"{n:,} in {words}, {family}"
        for family in ("normal .3", "lognormal .6", "whole numbers")
        for n in (3_000, 30_000)
        for words in ("threes", "fives")
    ),
)

#: Players a team, by the word of a case.
_SIZES = {"pairs": 2, "threes": 3, "fives": 5}


def case(name: str) -> dict[str, Any]:
    """Return the arguments of ``fill`` for a case of :data:`CASES`.

    Parameters
    ----------
    name : str
        Its first number is how many players there are.
    """
    from equipoise.lobbies.sample_instances import MEAN_TEAM, scaled

    words = name.replace(",", "").split()
    team_size = _SIZES[words[2]]
    n = int(words[0])
    rng = np.random.default_rng([n, team_size, 3])
    targets = [target * team_size / 2.0 for target in (4.25, 5.0, 5.75)]
    teams = n // team_size
    limits = (teams * 48 // 150, -(-teams * 52 // 150))
    given: dict[str, Any] = {"team_size": team_size}
    if "two" in words and "lobbies" in words:
        skill = rng.normal(1200.0, 400.0, n)
        lobbies = [Lobby("low", 1000.0 * team_size), Lobby("high", 1400.0 * team_size)]
    elif words[-1] == "lobbies":
        skill, many = rng.normal(MEAN_TEAM / 2, 0.6, n), int(words[-2])
        each = teams / many
        lobbies = [
            Lobby(f"L{k}", float(targets[0] + (targets[2] - targets[0]) * k / (many - 1)), int(0.9 * each),
                  int(1.1 * each) + 1) for k in range(many)
        ]  # fmt: skip
    elif words[-1] == "numbers":
        skill = np.rint(rng.normal(25.0, 8.0, n))
        lobbies = [Lobby(k, float(round(10 * x)), *limits) for k, x in zip("ABC", targets, strict=True)]
    elif words[-1] in (".3", ".6"):
        drawn = rng.normal(0.0, float(words[-1]), n)
        skill = MEAN_TEAM / 2 * np.exp(drawn) if "lognormal" in words else MEAN_TEAM / 2 + drawn
        skill += MEAN_TEAM / 2 - skill.mean()
        lobbies = [Lobby(k, x, *limits) for k, x in zip("ABC", targets, strict=True)]
    else:
        made = scaled(0, n, team_size)
        skill, lobbies = np.array(list(made.players.values())), list(made.lobbies)
        if "allowed" in words:
            given["min_size"] = 2
        if "barred" in words:
            given["barred"] = {f"p{k}": ["C"] for k in rng.choice(n, n // 10, replace=False)}
    given["players"] = {f"p{k}": float(x) for k, x in enumerate(skill)}
    return {**given, "lobbies": lobbies}
