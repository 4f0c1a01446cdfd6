"""Levers on a real server: a roster of which one side should win eight of ten games, with and without.

``python -m benchmarks levers`` plays what is not played yet and writes ``LEVERS.md``; ``--minutes N`` stops
after the game that runs then, and the next call goes on; ``--report`` only writes the page, ``--check`` tells
whether it is stale.  Every game that was begun is a line of ``levers.jsonl``, in the order played.

``fairness.py`` has a roster too of which *ratings* expected that one side wins eight of ten games; that side
won every game that was played without levers.  Here the roster is chosen by the games themselves too: by a
straight line through the margins of all games of that benchmark that were known, with a strength for each
bot, one for a filler and its skill, and one for the red side.  It is the roster of two times three bots whose
favourites win nearest to eight of ten games by both, by that line (colours swapped) and by the ratings.

Blocks of four games: one as it is, three with the bots of :func:`equipoise.play.live.levers.best_lever`,
two of
the four with the favourites red.  Ratings begin with the games for learning and learn from every game played
here, as on a running server; they see scores, frags and deaths alone.
"""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.games.openarena import openarena
from benchmarks.play import fairness
from benchmarks.play.fairness import SKILLS, USUAL, Learning, OutOfTimeError, Table, interval, whole_blocks
from benchmarks.reporting import PAGES, RAW

from equipoise.play.live.levers import best_lever

GAMES = RAW / "levers.jsonl"
PAGE = PAGES / "LEVERS.md"

#: Blocks to be played, and those of the other benchmark that were known when the roster was chosen.
BLOCKS, KNOWN_ARMS, KNOWN_LEVERS = 100, 29, 14

#: How often the favourites are to win.
FAVOURITE = 0.8

NAMES = sorted(SKILLS)


def known_games() -> list[dict[str, Any]]:
    """Return the games that were known when the roster was chosen."""
    first = {"arms": KNOWN_ARMS, "levers": KNOWN_LEVERS}
    return [line for line in fairness.lines() if line["number"] < first.get(line["stage"], math.inf)]


def strengths(found: Sequence[Mapping[str, Any]]) -> tuple[dict[str, float], float, float]:
    """Return the frags each bot is worth, those the red side is, and the spread of margins around them."""
    rows, margins = np.zeros((len(found), len(NAMES) + 3)), np.zeros(len(found))
    for row, line in zip(rows, found, strict=True):
        for side, sign in (("red", 1.0), ("blue", -1.0)):
            for name in line[side]:
                if name in SKILLS:
                    row[NAMES.index(name)] += sign
                else:
                    row[-3:-1] += sign * np.array([float(name.partition(":")[2]), 1.0])
        row[-1] = 1.0
    margins[:] = [line["scores"][0] - line["scores"][1] for line in found]
    shrunk = np.diag([1.0] * (len(NAMES) + 2) + [0.01])
    fitted = np.linalg.solve(rows.T @ rows + shrunk, rows.T @ margins)
    spread = math.sqrt(float(((margins - rows @ fitted) ** 2).sum()) / (len(found) - rows.shape[1]))
    return dict(zip(NAMES, fitted.tolist(), strict=False)), float(fitted[-1]), spread


@dataclass(frozen=True)
class Roster:
    """Two teams of three.

    Parameters
    ----------
    teams : pair of tuples of str
        The favourites first.
    by_margins, by_ratings : float
        The share of games that the favourites should win.
    """

    teams: tuple[tuple[str, ...], tuple[str, ...]]
    by_margins: float
    by_ratings: float

    @property
    def astray(self) -> float:
        """How far this is from what is wanted."""
        return max(abs(self.by_margins - FAVOURITE), abs(self.by_ratings - FAVOURITE))


@cache
def roster() -> Roster:
    """Return the roster that is played."""
    worth, red, spread = strengths(known_games())
    learnt = learnt_before()
    ratings, skills = {name: learnt.rating(name) for name in NAMES}, fairness.fillers(learnt)

    def judged(teams: tuple[tuple[str, ...], tuple[str, ...]]) -> Roster:
        ahead = sum(worth[name] for name in teams[0]) - sum(worth[name] for name in teams[1])
        share = sum(0.25 * math.erfc(-(ahead + side) / spread / math.sqrt(2.0)) for side in (red, -red))
        people = [[ratings[name] for name in team] for team in teams]
        still = best_lever(people, ((USUAL,), (USUAL,)), skills, learnt.scale, more=False, levels=())
        return Roster(teams, share, still.chances[0])

    rng = np.random.default_rng([fairness.SEED, 7])
    drawn = [[NAMES[n] for n in rng.choice(len(NAMES), 6, replace=False)] for _ in range(200)]
    ways = [
        (three, tuple(name for name in six if name not in three))
        for six in drawn for three in combinations(six, 3)
    ]  # fmt: skip
    return min(map(judged, ways), key=lambda found: found.astray)


def learnt_before() -> Learning:
    """Return the ratings at the beginning: by all games with fillers that were known, and for learning."""
    learnt = Learning()
    for line in known_games():
        if line["stage"] != "arms":
            learnt.take(line)
    return learnt


def play_all(kept: Path, minutes: float, blocks: int = BLOCKS) -> bool:
    """Play what is not played yet; return whether everything is."""
    teams, learnt = roster().teams, learnt_before()
    with tempfile.TemporaryDirectory() as folder, openarena(Path(folder), speed=fairness.SPEED) as server:
        played = Table(kept, server, time.monotonic() + 60.0 * minutes)
        try:
            for number in range(blocks):
                for arm, red in fairness.lever_block(number):
                    learnt.take(played(fairness.lever_game(number, arm, red, teams, learnt)))
        except OutOfTimeError:
            return False
    return True


def measured(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the favourites' share of wins, and the margins, with levers off and on."""
    favourites, _ = roster().teams
    blocks = whole_blocks(found, "levers", 4)
    result: dict[str, Any] = {"blocks": len(blocks)}
    for n, arm in enumerate(("off", "on") if blocks else ()):
        chosen = [[line for line in block if line["arm"] == arm] for block in blocks]
        won = [float(np.mean([fairness.favourites_won(line, favourites) for line in of])) for of in chosen]
        apart = [float(np.mean([fairness.margin(line) for line in of])) for of in chosen]
        result[arm] = interval(won, 20 + n)
        result[f"{arm} margin"] = interval(apart, 22 + n)
    return result


def page(kept: Path = GAMES) -> str:
    """Return the page."""
    text = kept.read_text(encoding="utf-8") if kept.exists() else ""
    every = [json.loads(line) for line in text.splitlines()]
    found = [line for line in every if "failed" not in line]
    reported = measured(found)
    chosen, shown = roster(), fairness.shown
    teams = chosen.teams
    skills = [sum(SKILLS[name] for name in team) for team in teams]
    lines = [
        "# Levers on a real server", "",
        "`python -m benchmarks levers` plays every game on OpenArena's server and writes this; do not edit.",
        "The command, its seed and its analysis were committed before the first game; no game was left out.",
        "How the games are played stands in [the proof in public](../docs/proof.md).", "",
        f"The favourites {', '.join(teams[0])} (hidden skill {skills[0]:.2f}) play against",
        f"{', '.join(teams[1])} ({skills[1]:.2f}), each with a filler of skill {USUAL:g}.",
        f"By the margins of earlier games they should win {chosen.by_margins:.2f} of the games,",
        f"by the ratings {chosen.by_ratings:.2f}.",
        "In each block one game is played as it is and three with the bots of the best lever, with swapped",
        "colours in half of them.",
        f"Played: {len(found)} games of {4 * BLOCKS} planned, whatever time allowed;",
        f"{reported['blocks']} whole blocks count.",
        f"{len(every) - len(found)} further games did not begin with the teams that were asked for, or",
        "did not end, and were begun again.",
        "Intervals are 95 %, from a bootstrap of whole blocks.", "",
    ]  # fmt: skip
    if reported["blocks"]:
        lines += [
            "| levers | games | favourites' share of wins | frags between winners and losers |",
            "|---|---|---|---|",
            f"| off | {reported['blocks']} | {shown(reported['off'])} | {shown(reported['off margin'])} |",
            f"| on | {3 * reported['blocks']} | {shown(reported['on'])} | {shown(reported['on margin'])} |",
        ]
    return "\n".join(lines) + "\n"


def main() -> int:
    """Do what the command line says."""
    return fairness.run(__doc__, lambda minutes: play_all(GAMES, minutes), page, PAGE)
