"""Levers on a real server: a roster of which one side should win eight of ten games, with and without.

``python -m benchmarks levers`` plays what is not played yet and writes ``LEVERS.md``; ``--minutes N`` stops
after the game that runs then, and the next call goes on; ``--report`` only writes the page, ``--check`` tells
whether it is stale.  Every game that was begun is a line of ``levers.jsonl``, in the order played.

The file begins with games of an earlier benchmark: in random teams, for learning what bots and fillers are
worth, and of a roster of which *ratings* expected that one side wins eight of ten games (``uneven``); that
side won every game that was played without levers.  Here the roster is chosen by these games themselves too:
by a straight line through their margins, with a strength for each bot, one for a filler and its skill, and
one for the red side.  It is the roster of two times three bots whose favourites win nearest to eight of ten
games by both, by that line (colours swapped) and by the ratings.

Blocks of four games: one as it is, three with the bots of :func:`equipoise.play.live.levers.best_lever`,
two of the four with the favourites red.  In all of them red was added first, before it was known what that is
worth.  Ratings begin with the games for learning and learn from every game played here, as on a running
server; they see scores, frags and deaths alone.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from benchmarks.games.openarena import CHARACTERS, Bot, openarena
from benchmarks.play.four_arms import (
    SPEED,
    USUAL,
    Asked,
    Kept,
    Learning,
    Line,
    OutOfTimeError,
    Servers,
    grouped,
    hidden,
    interval,
    margin,
    row,
    run,
    shown,
    won,
)
from benchmarks.reporting import PAGES, RAW

from equipoise.core.player import Rating
from equipoise.play.live.levers import LEVELS, BotSkills, RatingUnits, best_lever, bot_skills

GAMES = RAW / "levers.jsonl"
PAGE = PAGES / "LEVERS.md"

SEED = 20261122
BLOCKS = 100

#: Skills of bots, and fillers: one or two for each side, unlike the others in looks.
SKILLS = hidden(SEED, 0)
FILLERS = {"fr0": "Skelebot", "fr1": "Neko", "fb0": "Sergei", "fb1": "Sorceress"}

#: How often the favourites are to win.
FAVOURITE = 0.8

NAMES = sorted(SKILLS)


def known_games(*stages: str) -> list[Line]:
    """Return games that were known when the roster was chosen."""
    kept = Kept(GAMES)
    return [line for stage in stages for line in kept.of(stage)]


def bot(name: str) -> Bot:
    """Return the bot of a name; of a filler it tells the skill."""
    if name in SKILLS:
        return Bot(name, CHARACTERS[int(name[1:])], SKILLS[name])
    filler, _, level = name.partition(":")
    return Bot(filler, FILLERS[filler], float(level))


def strengths(found: Sequence[Line]) -> tuple[dict[str, float], float, float]:
    """Return the frags each bot is worth, those the red side is, and the spread of margins around them."""
    rows, margins = np.zeros((len(found), len(NAMES) + 3)), np.zeros(len(found))
    for cells, line in zip(rows, found, strict=True):
        for side, sign in (("red", 1.0), ("blue", -1.0)):
            for name in line[side]:
                if name in SKILLS:
                    cells[NAMES.index(name)] += sign
                else:
                    cells[-3:-1] += sign * np.array([float(name.partition(":")[2]), 1.0])
        cells[-1] = 1.0
    margins[:] = [line["scores"][0] - line["scores"][1] for line in found]
    shrunk = np.diag([1.0] * (len(NAMES) + 2) + [0.01])
    fitted = np.linalg.solve(rows.T @ rows + shrunk, rows.T @ margins)
    spread = math.sqrt(float(((margins - rows @ fitted) ** 2).sum()) / (len(found) - rows.shape[1]))
    return dict(zip(NAMES, fitted.tolist(), strict=False)), float(fitted[-1]), spread


def fillers(learnt: Learning) -> BotSkills:
    """Return what fillers of any level are worth, as far as they were seen."""
    seen = set(learnt.ladder.model.players(learnt.ladder.state))
    points = [
        (level, learnt.rating(f"{filler}:{level:g}"))
        for filler in FILLERS
        for level in LEVELS
        if f"bot:{filler}:{level:g}" in seen
    ]
    mean = Rating(float(np.mean([rating.mu for _, rating in points] or [0.0])))
    return bot_skills(points, mean)


def lever_block(number: int) -> Iterator[tuple[str, bool]]:
    """Give the four games of a block: whether levers are on, and whether the favourites are red."""
    rng = np.random.default_rng([SEED, 5, number])
    off = int(rng.integers(4))
    reds = rng.permutation([True, True, False, False])
    for n in range(4):
        yield ("off" if n == off else "on"), bool(reds[n])


def lever_game(number: int, arm: str, red: bool, teams: tuple[Any, Any], learnt: Learning) -> Asked:
    """Return a game of the uneven roster: with the usual fillers, or with those of the best lever."""
    bots = ((USUAL,), (USUAL,))
    if arm == "on":
        people = [[learnt.rating(name) for name in team] for team in teams]
        bots = best_lever(people, bots, fillers(learnt), units(learnt), most=9).bots
    sides = list(zip(teams, bots, strict=True))
    if not red:
        sides.reverse()
    named = [
        (*people, *(f"f{colour}{n}:{level:g}" for n, level in enumerate(levels)))
        for colour, (people, levels) in zip("rb", sides, strict=True)
    ]
    turns = tuple(side for side, team in enumerate(named) for _ in team)
    return Asked("levers", number, arm, named[0], named[1], turns, bot)


def units(learnt: Learning) -> RatingUnits:
    """Return what the units of ratings mean."""
    model: Any = learnt.model
    return RatingUnits(model.beta, model.zero)


def favourites_red(line: Line) -> bool:
    """Tell whether the favourites were red."""
    return set(roster().teams[0]) <= set(line["red"])


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
    worth, red, spread = strengths(known_games("arms", "learn", "fill", "uneven"))
    learnt = learnt_before()
    ratings, skills = {name: learnt.rating(name) for name in NAMES}, fillers(learnt)

    def judged(teams: tuple[tuple[str, ...], tuple[str, ...]]) -> Roster:
        ahead = sum(worth[name] for name in teams[0]) - sum(worth[name] for name in teams[1])
        share = sum(0.25 * math.erfc(-(ahead + side) / spread / math.sqrt(2.0)) for side in (red, -red))
        people = [[ratings[name] for name in team] for team in teams]
        still = best_lever(people, ((USUAL,), (USUAL,)), skills, units(learnt), more=False, levels=())
        return Roster(teams, share, still.chances[0])

    rng = np.random.default_rng([SEED, 7])
    drawn = [[NAMES[n] for n in rng.choice(len(NAMES), 6, replace=False)] for _ in range(200)]
    ways = [
        (three, tuple(name for name in six if name not in three))
        for six in drawn for three in combinations(six, 3)
    ]  # fmt: skip
    return min(map(judged, ways), key=lambda found: found.astray)


def learnt_before() -> Learning:
    """Return the ratings at the beginning: by the games for learning, and of the earlier roster."""
    return Learning(known_games("learn", "fill", "uneven"))


def play_all(kept: Path, minutes: float, blocks: int = BLOCKS) -> bool:
    """Play what is not played yet; return whether everything is."""
    teams, learnt = roster().teams, learnt_before()
    with tempfile.TemporaryDirectory() as folder, openarena(Path(folder), speed=SPEED) as server:
        table = Servers(Kept(kept), [server], time.monotonic() + 60.0 * minutes)
        try:
            for number in range(blocks):
                for n, (arm, red) in enumerate(lever_block(number)):
                    asked = lever_game(4 * number + n, arm, red, teams, learnt)
                    learnt.take(*table.play([asked]))
        except OutOfTimeError:
            return False
    return True


def measured(kept: Kept) -> list[str]:
    """Return the rows of the table: the favourites' share of wins and the margins, levers off and on."""
    blocks = grouped(kept.of("levers"), lambda line: int(line["number"]) // 4, 4)
    rows = []
    for arm in ("off", "on") if blocks else ():
        for words, sides in (("both", (True, False)), ("red", (True,)), ("blue", (False,))):
            chosen = [
                [line for line in games if line["arm"] == arm and favourites_red(line) in sides]
                for games in blocks
            ]
            chosen = [games for games in chosen if games]
            shares = [float(np.mean([won(line, favourites_red(line)) for line in games])) for games in chosen]
            margins = [float(np.mean([margin(line) for line in games])) for games in chosen]
            count = sum(map(len, chosen))
            rows.append(row(arm, words, str(count), shown(interval(shares)), shown(interval(margins))))
    return rows


def page(path: Path = GAMES) -> str:
    """Return the page."""
    kept = Kept(path)
    rows = measured(kept)
    chosen = roster()
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
        f"Played: {len(kept.of('levers'))} games of {4 * BLOCKS} planned; whole blocks count.",
        f"{kept.failed} further games did not begin with the teams that were asked for, or did not end, and",
        "were begun again.",
        "Red was added first in all of these games, before it was known that first places on a server win",
        "games; so the table tells the sides apart.",
        "Intervals are 95 %, from a bootstrap of whole blocks.", "",
        "| levers | favourites are | games | favourites' share of wins | frags between winners and losers |",
        "|---|---|---|---|---|",
        *rows,
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def main() -> int:
    """Do what the command line says."""
    return run(__doc__, lambda minutes: play_all(GAMES, minutes), page, PAGE)
