"""Random requests that an oracle can go through: decimal ties, hostile scales, every rule and objective.

Requests are plain data as ``equipoise balance --request`` reads them.  Nothing of equipoise is used here, so
that the same number gives the same request to any version of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SEED = 20261122

OBJECTIVES = ("difference", "ratio", "win", "spread", "indistinguishable")

#: Legal splits that go through an oracle in a moment, by number of teams.
MOST_PLAYERS = {2: 10, 3: 7, 4: 6}


def question(number: int, seed: int = SEED) -> dict[str, Any]:
    """Return the request of this number, with the two objectives in ``pareto`` where a front is asked for.

    Decimals are written with few digits, and shifted by powers of ten as text, so that no rounding of a
    product is in them.
    """
    rng = np.random.default_rng([seed, number])
    teams = int(rng.choice([2, 2, 2, 3, 4]))
    n = (
        int(rng.integers(teams, MOST_PLAYERS[teams] + 1))
        if rng.random() < 0.3
        else MOST_PLAYERS[teams] - int(rng.integers(0, 3))
    )
    asked: dict[str, Any] = {"players": _players(rng, n)}
    if teams != 2:
        asked["teams"] = teams
    plain = rng.random() < 0.3
    for chance, add in () if plain else (
        (0.3, _relations), (0.3, _sizes), (0.3, _bots), (0.3, _preferences), (0.12, _roles), (0.15, _rules),
    ):  # fmt: skip
        if rng.random() < chance:
            add(rng, asked, n, teams)
    _objective(rng, asked)
    if any("side" in player for player in asked["players"]) and rng.random() < 0.5:
        asked["side_weight"] = float(rng.choice([0.05, 0.5, 3.0]))
    if rng.random() < 0.12:
        _solver(rng, asked, teams)
    if rng.random() < 0.1:
        asked["beta"] = _scaled(str(rng.integers(1, 99)), int(rng.integers(-3, 4)))
    for player in asked["players"]:
        if player.get("weight", 0.0) < 0.0:  # only what is called a mean may be below 0
            player["mu"] = player.pop("weight")
    return asked


def _scaled(decimal: str, power: int) -> float:
    return float(f"{decimal}e{power}")


def _players(rng: np.random.Generator, n: int) -> list[dict[str, Any]]:
    power = int(rng.integers(-9, 13)) if rng.random() < 0.5 else 0
    makers = {
        "tenths": lambda: [f"{x / 10}" for x in rng.integers(0, 100, n)],
        "hundredths": lambda: [f"{x / 100}" for x in rng.integers(100, 9999, n)],
        "few": lambda: [f"{x / 10}" for x in rng.choice(rng.integers(1, 60, 3), n)],
        "thirds": lambda: [
            f"{x}.{d}" for x, d in zip(rng.integers(0, 9, n), rng.integers(1, 9, n), strict=True)
        ],
        "negative": lambda: [f"{x / 10}" for x in rng.integers(-80, 80, n)],
        "ratings": lambda: [str(round(x)) for x in rng.normal(1500, 200, n)],
        "whole": lambda: [str(x) for x in rng.integers(0, 6, n)],
        "normal": lambda: [f"{x:.6f}" for x in rng.normal(25, 8, n)],
        "heavy": lambda: [f"{x:.4g}" for x in rng.lognormal(3, 1.5, n)],
        "powers": lambda: [str(2 ** int(x)) for x in rng.permutation(n)],
        "orders": lambda: [
            f"{x}e{p}" for x, p in zip(rng.integers(1, 99, n), rng.integers(-6, 7, n), strict=True)
        ],
        "alike": lambda: [f"{rng.integers(1, 99) / 10}"] * n,
        "close": lambda: [f"1000.{x:02d}" for x in rng.integers(0, 9, n)],
    }
    name = (
        str(rng.choice(list(makers)))
        if rng.random() < 0.6
        else str(rng.choice(["tenths", "hundredths", "few"]))
    )
    texts = makers[name]()
    power = min(power, 14 - int(f"{max(abs(float(text)) for text in texts):e}".partition("e")[2]))
    shifted = [float(f"{text}e{power}") if "e" not in text else _shifted(text, power) for text in texts]
    players: list[dict[str, Any]] = [
        {"name": f"p{i}", "weight": weight + 0.0} for i, weight in enumerate(shifted)
    ]
    if rng.random() < 0.15:
        for player in players:
            player["sigma"] = _scaled(str(rng.integers(0, 30) / 10), power)
    if rng.random() < 0.25:
        for player in players:
            player["side"] = float(rng.choice([0.5, 0.5, 0.0, 0.25, 1.0]))
    if rng.random() < 0.03:
        del players[int(rng.integers(n))]["weight"]
    return players


def _shifted(text: str, power: int) -> float:
    mantissa, _, exponent = text.partition("e")
    return float(f"{mantissa}e{int(exponent) + power}")


def _names(rng: np.random.Generator, n: int, size: int) -> list[str]:
    return [f"p{i}" for i in rng.permutation(n)[:size]]


def _relations(rng: np.random.Generator, asked: dict[str, Any], n: int, teams: int) -> None:
    kind = rng.integers(4)
    if kind in (0, 3) and n > 3:
        asked["parties"] = [_names(rng, n, int(rng.integers(2, 4)))]
    if kind in (1, 3):
        asked["apart"] = [_names(rng, n, 2)]
    if kind == 2:
        asked["fixed"] = {_names(rng, n, 1)[0]: int(rng.integers(1, teams + 1))}


def _sizes(rng: np.random.Generator, asked: dict[str, Any], n: int, teams: int) -> None:
    kind = rng.integers(3)
    if kind == 0 and n > teams:
        sizes = [1] * teams
        for team in rng.integers(0, teams, n - teams):
            sizes[int(team)] += 1
        asked["sizes"] = sizes
    elif kind == 1:
        asked["max_difference"] = int(rng.integers(0 if n % teams == 0 else 1, 4))
    else:
        asked["min_size"], asked["max_size"] = (
            int(rng.integers(0, n // teams + 1)),
            int(rng.integers(-(-n // teams), n + 1)),
        )


def _bots(rng: np.random.Generator, asked: dict[str, Any], n: int, teams: int) -> None:
    if "sizes" in asked:
        return
    kind = rng.integers(3)
    weight = asked["players"][0].get("weight", 1.0) if kind == 1 else None
    bots: dict[str, Any] = {} if weight is None else {"weight": weight}
    if kind == 2:
        bots["target"] = n + int(rng.integers(0, 2 * teams))
    asked["bots"] = bots or True


def _preferences(rng: np.random.Generator, asked: dict[str, Any], n: int, teams: int) -> None:
    del teams
    if n > 2:
        asked["preferences"] = [
            {
                "kind": str(rng.choice(["together", "apart"])),
                "players": _names(rng, n, int(rng.integers(2, 4))),
                "price": float(rng.choice([0.0, 0.01, 0.02, 0.1, 0.3, 1.0])),
            }
            for _ in range(int(rng.integers(1, 4)))
        ]
    if rng.random() < 0.5:
        asked["side_price"] = float(rng.choice([0.01, 0.05, 0.1]))
        for player in asked["players"]:
            player["side"] = float(rng.choice([0.5, 0.0, 0.25, 0.9, 1.0]))


def _roles(rng: np.random.Generator, asked: dict[str, Any], n: int, teams: int) -> None:
    if n // teams < 2:
        return
    asked["roles"] = {"tank": 1} if n // teams < 3 or rng.random() < 0.5 else {"tank": 1, "heal": 1}
    for player in asked["players"]:
        weight = player.get("weight")
        known = {
            role: None if weight is None or rng.random() < 0.4 else _near(rng, weight)
            for role in asked["roles"]
            if rng.random() < 0.8
        }
        if known:
            player["roles"] = known


def _near(rng: np.random.Generator, weight: float) -> float:
    """Return another decimal of about that size, and of its sign."""
    mantissa, _, power = f"{weight:.1e}".partition("e")
    digits = max(int(abs(float(mantissa)) * 10) + int(rng.integers(-5, 6)), 0)
    return float(f"{'-' if weight < 0 else ''}{digits}e{int(power) - 1}") + 0.0


def _rules(rng: np.random.Generator, asked: dict[str, Any], n: int, teams: int) -> None:
    counted = {name: float(rng.integers(1, 9)) / 10 for name in _names(rng, n, int(rng.integers(2, n + 1)))}
    even = sum(round(10 * factor) for factor in counted.values()) / 10 / teams
    rule: dict[str, Any] = {"name": "r", "players": counted, "at_most": round(1.3 * even + 0.3, 1)}
    if rng.random() < 0.2:
        rule["in_team"] = int(rng.integers(1, teams + 1))
    asked["rules"] = [rule]


def _objective(rng: np.random.Generator, asked: dict[str, Any]) -> None:
    weights = [player.get("weight", 0.0) for player in asked["players"]]
    roles = [r for p in asked["players"] for r in (p.get("roles") or {}).values() if r is not None]
    bots = asked.get("bots")
    lowest = min([*weights, *roles, bots.get("weight", 0.0) if isinstance(bots, dict) else 0.0])
    names = [name for name in OBJECTIVES if name != "ratio" or lowest >= 0]
    preferring = "preferences" in asked
    kind = rng.random()
    if kind < 0.3:
        asked["objective"] = str(rng.choice(names))
    elif kind < 0.62:
        order = _order(rng, names, 2)
        if preferring and rng.random() < 0.3:
            order[0] = "preferences"
        _in_order(rng, asked, order, weights)
    elif kind < 0.8:
        order = _order(rng, names, 3)
        if preferring and rng.random() < 0.3:
            order[1] = "preferences"
        _in_order(rng, asked, order, weights)
    elif kind < 0.87:
        pair = [str(name) for name in rng.permutation([name for name in names if name != "ratio"])[:2]]
        asked["objective"] = {pair[0]: 1.0, pair[1]: float(rng.choice([0.5, 1.0, 100.0]))}
    else:
        asked["pareto"] = [
            str(name) for name in rng.permutation([*names, *(["preferences"] * preferring)])[:2]
        ]


def _order(rng: np.random.Generator, names: list[str], size: int) -> list[str]:
    """Return different objectives; often first the one in which decimals tie most."""
    order = [str(name) for name in rng.permutation(names)[:size]]
    if rng.random() < 0.4:
        order = ["difference", *(name for name in order if name != "difference")][:size]
    return order


def _in_order(
    rng: np.random.Generator, asked: dict[str, Any], order: list[str], weights: list[float]
) -> None:
    asked["objective"] = order
    if rng.random() < 0.4:
        size = max((abs(weight) for weight in weights), default=1.0) or 1.0
        power = int(f"{size:e}".partition("e")[2])
        asked["tolerances"] = [
            0.0
            if rng.random() < 0.3
            else _scaled(str(rng.integers(1, 9)), power - 1)
            if name in ("difference", "spread")
            else float(rng.choice([0.001, 0.01, 0.1]))
            for name in order[:-1]
        ]


def _solver(rng: np.random.Generator, asked: dict[str, Any], teams: int) -> None:
    """Ask for an exact solver that can do it."""
    names = ["enumerate"]
    if teams == 2 and "roles" not in asked:
        names.append("mitm")
    asked["solver"] = str(rng.choice(names))
