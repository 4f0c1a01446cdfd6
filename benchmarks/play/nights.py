"""Leagues through the command: ``python -m benchmarks nights`` plays them and writes ``NIGHTS.md``.

The leagues of ``starting.py``, whose guesses are useful, are played a second time as an organiser would play
them: ``equipoise night`` with names and guesses, ``won`` with the team, ``again --same`` for the second game
of a night, ``won`` again, and the names alone a week later, everything by what ``--json`` prints.
There teams are the most even ones by the sums of weights; the command takes, of teams nearly as even, those
of whose difference most is known, so single nights differ and its figures must be no higher.
``--report`` only writes the page anew, ``--check`` tells whether it is stale.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
from typing import Any

import numpy as np
from benchmarks.ratings.starting import GAMES, IDS, NIGHTS, PLAYERS, SEEDS, USEFUL, league
from benchmarks.reporting import PAGES, RAW, run
from click.testing import CliRunner

from equipoise.cli import group

#: Leagues of each seed.
LEAGUES = 10

WEEK, GAME = 7 * 86400.0, 1800.0
#: When the first night begins, seconds since 1970.
FIRST = 1.7e9


def night(store: str, *words: str) -> Any:
    """Take a step, and return what it prints."""
    done = CliRunner().invoke(group, ["night", "--json", "--store", store, *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def through_nights(seed: int, number: int, nights: int = NIGHTS) -> list[float]:
    """Return the distance of the true chance from even on each of the first nights of a league."""
    rng = np.random.default_rng([seed, number])  # as starting.py draws it
    truth = dict(zip(IDS, drawn := rng.normal(size=PLAYERS), strict=True))
    guesses = 1500.0 + 300.0 * (USEFUL * drawn + math.sqrt(1.0 - USEFUL**2) * rng.normal(size=PLAYERS))
    luck = rng.random((NIGHTS, GAMES))
    found = []
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{folder}/night.db"
        for n in range(nights):
            names = (
                IDS if n else [f"{name} {guess!r}" for name, guess in zip(IDS, guesses.tolist(), strict=True)]
            )
            (split,) = night(store, *names, "--vary", "0")["splits"]
            teams = sorted(split["teams"], key=lambda team: IDS[0] not in team)
            ahead = sum(truth[each] for each in teams[0]) - sum(truth[each] for each in teams[1])
            chance = 0.5 * math.erfc(-ahead / math.sqrt(2.0 * PLAYERS))
            found.append(abs(chance - 0.5))
            for game in range(GAMES):
                if game:
                    night(store, "again", "--same")
                winner = teams[0 if luck[n, game] < chance else 1][0]
                night(store, "won", winner, "--at", repr(FIRST + WEEK * n + GAME * game))
    return found


def measure() -> dict[str, Any]:
    """Play the leagues both ways."""
    found: dict[str, list[list[float]]] = {"guesses": [], "both": [], "command": []}
    for seed in range(SEEDS):
        for number in range(LEAGUES):
            alone = league(seed, number, USEFUL)
            for name in ("guesses", "both"):
                found[name].append(_rounded(alone[name]))
            found["command"].append(_rounded(through_nights(seed, number)))
            print(f"league {number} of seed {seed}", file=sys.stderr)
    return found


def _rounded(figures: list[float]) -> list[float]:
    return [round(each, 5) for each in figures]


def interval(per_league: Any) -> str:
    """Return a mean over leagues with its 95 % interval."""
    error = 1.96 * per_league.std(ddof=1) / math.sqrt(len(per_league))
    return f"{per_league.mean():+.4f} ({per_league.mean() - error:+.4f} to {per_league.mean() + error:+.4f})"


def report(results: dict[str, Any]) -> str:
    """Return the page."""
    figures = {name: np.array(each) for name, each in results.items()}
    command = figures["command"]
    rows = []
    for title, name in (
        ("guesses alone", "guesses"), ("the model, starting at the guesses", "both"),
        ("`equipoise night`", "command"),
    ):  # fmt: skip
        quarters = figures[name].mean(axis=0).reshape(4, 4).mean(axis=1)
        rows.append(f"| {title} | {' | '.join(f'{each:.3f}' for each in quarters)} |")
    return "\n".join([
        "# Leagues through the command", "",
        "`python -m benchmarks nights` measured and wrote this; do not edit.",
        f"{len(command)} leagues of [starting weights](STARTING.md), whose guesses correlate {USEFUL:g}",
        "with the truth, played by the rating model alone and by `equipoise night --json`.",
        "The figures are means of |p - 1/2| of the teams, p by the true skills.", "",
        "| teams by | nights 1-4 | 5-8 | 9-12 | 13-16 |", "|---|---|---|---|---|", *rows, "",
        "Over all nights the command is above the model by",
        f"{interval((command - figures['both']).mean(axis=1))},",
        f"and above guesses alone by {interval((command - figures['guesses']).mean(axis=1))};",
        "these are 95 % intervals over leagues.", "",
    ])  # fmt: skip


def main() -> int:
    """Do what the command line says."""
    return run(__doc__, RAW / "nights.json", PAGES / "NIGHTS.md", measure, report)
